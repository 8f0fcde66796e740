package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const (
	textNotFound    = "The specified resource does not exist."
	textInputs      = "One of the request inputs is not valid."
	textProcessing  = "An error occurred while processing this request."
	textNeedValue   = "The values are not specified for all properties in the entity."
	textCondition   = "The update condition specified in the request was not satisfied."
	textValueLarge  = "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less."
	textBodyLarge   = "The request body is too large and exceeds the maximum permissible limit."
	textEntityLarge = "The entity is larger than the maximum allowed size (1MB)."
)

const allTypes = `{"PartitionKey":"pk","RowKey":"rk",` +
	`"Text":"smile \ud83d\ude00 / <&> 'q' \"d\"","I32":-5,"I64@odata.type":"Edm.Int64","I64":"9223372036854775807",` +
	`"D":3.0,"Bool":true,"When":"2013-08-02T17:37:43.0090043Z","When@odata.type":"Edm.DateTime",` +
	`"Id":"C9DA6455-213D-42C9-9A79-3E9149A57833","Id@odata.type":"Edm.Guid","Bytes@odata.type":"Edm.Binary","Bytes":"YmluYXJ5",` +
	`"NaN@odata.type":"Edm.Double","NaN":"NaN","None":null}`

func TestInsertEntity(t *testing.T) {
	const location = "https://" + testHost + "/things(PartitionKey='pk',RowKey='rk')"
	const stored = `"Text":"smile \ud83d\ude00 / <&> 'q' \"d\"","I32":-5,"I64@odata.type":"Edm.Int64","I64":"9223372036854775807",` +
		`"D":3.0,"Bool":true,"When@odata.type":"Edm.DateTime","When":"2013-08-02T17:37:43.0090043Z",` +
		`"Id@odata.type":"Edm.Guid","Id":"c9da6455-213d-42c9-9a79-3e9149a57833","Bytes@odata.type":"Edm.Binary","Bytes":"YmluYXJ5",` +
		`"NaN@odata.type":"Edm.Double","NaN":"NaN"}`
	for _, c := range []struct {
		name, prefer string
		status       int
	}{
		{"without Prefer", "", 201},
		{"content", "return-content", 201},
		{"no content", "return-no-content", 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("Things")
			r := f.do("POST", "/things", allTypes, "Prefer: "+c.prefer).wantStatus(c.status)
			etag := r.header.Get("ETag")
			r.wantHeader("Location", location).wantHeader("Preference-Applied", c.prefer)
			r.wantHeader("Cache-Control", "no-cache").wantHeader("X-Content-Type-Options", "nosniff").wantHeader("x-ms-version", testVersion)
			head := `{"odata.metadata":"https://` + testHost + `/$metadata#things/@Element","odata.etag":"` +
				strings.ReplaceAll(etag, `"`, `\"`) + `","PartitionKey":"pk","RowKey":"rk","Timestamp":"` + etagTime(etag) + `",`
			if c.status == 204 {
				r.wantBody("").wantHeader("DataServiceId", location).wantHeader("Content-Type", "")
			} else {
				r.wantBody(head+stored).wantHeader("DataServiceId", "").
					wantHeader("Content-Type", "application/json;odata=minimalmetadata;streaming=true;charset=utf-8")
			}
			f.do("GET", "/things(PartitionKey='pk',RowKey='rk')", "").wantStatus(200).wantHeader("ETag", etag).wantBody(head + stored)
		})
	}
}

// etagTime returns the Timestamp in an ETag.
func etagTime(etag string) string {
	text, err := url.QueryUnescape(strings.TrimSuffix(strings.TrimPrefix(etag, `W/"datetime'`), `'"`))
	if err != nil {
		return err.Error()
	}
	return text
}

func TestMetadataLevels(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	etag := f.insert("things", `{"PartitionKey":"o'x","RowKey":"a b","n@odata.type":"Edm.Int64","n":"1"}`)
	quoted := strings.ReplaceAll(etag, `"`, `\"`)
	const path = "/things(PartitionKey='o''x',RowKey='a%20b')"
	for level, want := range map[string]string{
		"nometadata":      `{"PartitionKey":"o'x","RowKey":"a b","Timestamp":"TIME","n":"1"}`,
		"minimalmetadata": `{"odata.metadata":"https://` + testHost + `/$metadata#things/@Element","odata.etag":"ETAG","PartitionKey":"o'x","RowKey":"a b","Timestamp":"TIME","n@odata.type":"Edm.Int64","n":"1"}`,
		"fullmetadata": `{"odata.metadata":"https://` + testHost + `/$metadata#things/@Element","odata.type":"devstoreaccount1.things","odata.id":"https://` + testHost + path +
			`","odata.etag":"ETAG","odata.editLink":"` + path[1:] + `","PartitionKey":"o'x","RowKey":"a b","Timestamp@odata.type":"Edm.DateTime","Timestamp":"TIME","n@odata.type":"Edm.Int64","n":"1"}`,
	} {
		t.Run(level, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			want := strings.NewReplacer("ETAG", quoted, "TIME", etagTime(etag)).Replace(want)
			contentType := "application/json;odata=" + level + ";streaming=true;charset=utf-8"
			f.do("GET", path, "", "Accept: application/json; odata="+level).wantStatus(200).wantBody(want).wantHeader("Content-Type", contentType)
			f.do("GET", path+"?$format=application%2Fjson%3Bodata%3D"+level, "", "Accept: application/atom+xml").
				wantStatus(200).wantBody(want).wantHeader("Content-Type", contentType)
		})
	}
}

func TestInsertRefused(t *testing.T) {
	key := func(pk, rk string) string { return fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"%s"}`, pk, rk) }
	with := func(member string) string { return `{"PartitionKey":"p","RowKey":"new",` + member + `}` }
	properties := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"p%d":1,`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, c := range []struct {
		name, body    string
		status        int
		code, message string
	}{
		{"no keys", `{"a":1}`, 400, "PropertiesNeedValue", textNeedValue},
		{"a null key", `{"PartitionKey":"p","RowKey":null}`, 400, "PropertiesNeedValue", textNeedValue},
		{"a number as a key", `{"PartitionKey":1,"RowKey":"r"}`, 400, "InvalidInput", textInputs},
		{"a typed key", `{"PartitionKey":"c9da6455-213d-42c9-9a79-3e9149a57833","PartitionKey@odata.type":"Edm.Guid","RowKey":"r"}`, 400, "InvalidInput", textInputs},
		{"a slash in a key", key("a/b", "r"), 400, "OutOfRangeInput", "The 'PartitionKey' parameter of value 'a/b' is out of range."},
		{"a hash in a key", key("p", "a#b"), 400, "OutOfRangeInput", "The 'RowKey' parameter of value 'a#b' is out of range."},
		{"a key too long", key(strings.Repeat("k", 1025), "r"), 400, "PropertyValueTooLarge", textValueLarge},
		{"the key exists", key("p", "r"), 409, "EntityAlreadyExists", "The specified entity already exists."},
		{"malformed", `{"PartitionKey":"p"`, 400, "InvalidInput", textProcessing},
		{"not an object", `[1]`, 400, "InvalidInput", textProcessing},
		{"an unknown type", with(`"a@odata.type":"Edm.Banana","a":"x"`), 400, "InvalidInput", textProcessing},
		{"int64 overflow", with(`"a@odata.type":"Edm.Int64","a":"9223372036854775808"`), 400, "InvalidInput", textProcessing},
		{"an object as a value", with(`"a":{}`), 400, "InvalidInput", textProcessing},
		{"a date before 1601", with(`"a@odata.type":"Edm.DateTime","a":"0001-01-01T00:00:00Z"`), 400, "OutOfRangeInput", "The 'a' parameter of value '01/01/0001 00:00:00' is out of range."},
		{"a property twice", with(`"a":1,"a":2`), 400, "DuplicatePropertiesSpecified", "A property is specified more than one time."},
		{"a dash in a name", with(`"a-b":1`), 400, "PropertyNameInvalid", "The property name is invalid."},
		{"a number as name", with(`"123":1`), 400, "PropertyNameInvalid", "The property name is invalid."},
		{"a name too long", with(`"` + strings.Repeat("n", 256) + `":1`), 400, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255)."},
		{"253 properties", with(properties(253)), 400, "TooManyProperties", "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties."},
		{"a string too long", with(`"a":"` + strings.Repeat("x", 32*1024+1) + `"`), 400, "PropertyValueTooLarge", textValueLarge},
		{"an entity too large", with(largeProperties(17)), 400, "EntityTooLarge", textEntityLarge},
		{"a value above the limit of an entity", with(`"a":"` + strings.Repeat("x", 1<<19) + `"`), 400, "EntityTooLarge", textEntityLarge},
		{"a body too large", with(`"a":"` + strings.Repeat("x", 4<<20) + `"`), 413, "RequestBodyTooLarge", textBodyLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.insert("things", key("p", "r"))
			f.do("POST", "/things", c.body, "Prefer: return-no-content").wantError(c.status, c.code, c.message)
			if got := f.do("GET", "/things", "").rowKeys(); got != "r" {
				t.Errorf("stored %q", got)
			}
		})
	}
}

// largeProperties returns strings of 64 KiB each.
func largeProperties(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"large%d":"%s"`, i, strings.Repeat("x", 32*1024)))
	}
	return strings.Join(members, ",")
}

func TestInsertAtTheLimits(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for i, member := range []string{
		`"` + strings.Repeat("n", 255) + `":1`,
		`"a":"` + strings.Repeat("x", 32*1024) + `"`,
		`"a":"` + strings.Repeat(`\u00e9`, 32*1024) + `"`,
		`"ꀕ":"a letter"`,
		largeProperties(15),
	} {
		body := fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"%d",%s}`, strings.Repeat("k", 1024), i, member)
		f.insert("things", body)
	}
	f.insert("things", `{"PartitionKey":"","RowKey":""}`)
	f.do("GET", "/things(PartitionKey='',RowKey='')", "").wantStatus(200)
}

func TestInsertIntoMissingTable(t *testing.T) {
	f := newFixture(t)
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantError(404, "TableNotFound", "The table specified does not exist.")
}

// TestConditions tests each operation with each kind of If-Match.
func TestConditions(t *testing.T) {
	const stale = `W/"datetime'2012-06-15T22%3A51%3A44.9662825Z'"`
	const malformed = "The etag value 'MalformedETag' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid."
	for _, c := range []struct {
		name, ifMatch string
		exists        bool
		writes        string // outcome of PUT, MERGE and PATCH
		deletes       string
	}{
		{"none, exists", "", true, "204", "400 InvalidInput " + textInputs},
		{"none, missing", "", false, "204", "400 InvalidInput " + textInputs},
		{"any, exists", "*", true, "204", "204"},
		{"any, missing", "*", false, "404 ResourceNotFound " + textNotFound, "404 ResourceNotFound " + textNotFound},
		{"current", "current", true, "204", "204"},
		{"stale", stale, true, "412 UpdateConditionNotSatisfied " + textCondition, "412 UpdateConditionNotSatisfied " + textCondition},
		{"stale, missing", stale, false, "404 ResourceNotFound " + textNotFound, "404 ResourceNotFound " + textNotFound},
		{"another weak tag", `W/"wrong"`, true, "412 UpdateConditionNotSatisfied " + textCondition, "412 UpdateConditionNotSatisfied " + textCondition},
		{"an odd tag", `W/"datetime''2013-01-01''"`, true,
			"412 ConditionNotMet The condition specified using HTTP conditional header(s) is not met.",
			"412 ConditionNotMet The condition specified using HTTP conditional header(s) is not met."},
		{"malformed", "MalformedETag", true, "400 InvalidInput " + malformed, "400 InvalidInput " + malformed},
	} {
		for _, method := range []string{"PUT", "MERGE", "PATCH", "DELETE"} {
			t.Run(c.name+" "+method, func(t *testing.T) {
				f := newFixture(t)
				f.createTable("things")
				etag := ""
				if c.exists {
					etag = f.insert("things", `{"PartitionKey":"p","RowKey":"r","old":1}`)
				}
				body, want := `{"PartitionKey":"p","RowKey":"r","new":2}`, c.writes
				if method == "DELETE" {
					body, want = "", c.deletes
				}
				const path = "/things(PartitionKey='p',RowKey='r')"
				r := f.do(method, path, body, "If-Match: "+strings.Replace(c.ifMatch, "current", etag, 1), "Prefer: return-content")
				got := fmt.Sprint(r.status)
				if r.status >= 400 {
					code, message := r.serviceError()
					got += " " + code + " " + message
				}
				if got != want {
					t.Fatalf("%s\ngot  %s\nwant %s", method, got, want)
				}
				r.wantHeader("Preference-Applied", "").wantHeader("Location", "")
				checkOutcome(f, method, path, r, c.exists, etag)
			})
		}
	}
}

// checkOutcome checks the stored entity after a change that may have failed.
func checkOutcome(f *fixture, method, path string, r *response, existed bool, etag string) {
	f.Helper()
	stored := f.do("GET", path, "")
	switch {
	case r.status == 204 && method == "DELETE":
		r.wantHeader("ETag", "")
		stored.wantStatus(404)
	case r.status == 204:
		if r.header.Get("ETag") == etag {
			f.Error("the change did not change the ETag")
		}
		stored.wantStatus(200).wantHeader("ETag", r.header.Get("ETag"))
		_, kept := stored.members()["old"]
		if want := existed && method != "PUT"; kept != want {
			f.Errorf("the old property exists: %v, want %v", kept, want)
		}
	case existed:
		stored.wantStatus(200).wantHeader("ETag", etag)
	default:
		stored.wantStatus(404)
	}
}

func TestReplaceAndMerge(t *testing.T) {
	const stored = `{"PartitionKey":"p","RowKey":"r","b":"1","a":"2","C":"3"}`
	for _, c := range []struct{ name, method, body, want string }{
		{"replace drops, by name", "PUT", `{"z":1,"B":2,"a":3}`, `"B":2,"a":3,"z":1`},
		{"replace drops nulls", "PUT", `{"z":1,"B":null}`, `"z":1`},
		{"merge keeps, by name", "MERGE", `{"z":1,"a":true}`, `"C":"3","a":true,"b":"1","z":1`},
		{"merge ignores nulls", "MERGE", `{"a":null}`, `"C":"3","a":"2","b":"1"`},
		{"empty merge", "PATCH", `{}`, `"C":"3","a":"2","b":"1"`},
		{"keys in the body are ignored", "MERGE", `{"PartitionKey":"q","RowKey":5,"z":1}`, `"C":"3","a":"2","b":"1","z":1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			before := f.insert("things", stored)
			const path = "/things(PartitionKey='p',RowKey='r')"
			after := f.do(c.method, path, c.body).wantStatus(204).header.Get("ETag")
			if before == after {
				t.Error("the ETag did not change")
			}
			f.do("GET", path, "", "Accept: application/json;odata=nometadata").
				wantBody(`{"PartitionKey":"p","RowKey":"r","Timestamp":"` + etagTime(after) + `",` + c.want + `}`)
		})
	}
}

func TestReplaceAndMergeRefused(t *testing.T) {
	const path = "/things(PartitionKey='p',RowKey='r')"
	f := newFixture(t)
	f.createTable("things")
	etag := f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for _, method := range []string{"PUT", "MERGE", "PATCH"} {
		for _, body := range []string{`{"a":"2","b":`, `{"a":"2","b":"x","b@odata.type":"Edm.Int32"}`, `["a"]`} {
			f.do(method, path, body).wantStatus(400)
		}
	}
	f.do("GET", path, "").wantStatus(200).wantHeader("ETag", etag)
}

func TestMergeBeyondTheLimits(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r",`+largeProperties(15)+`}`)
	const path = "/things(PartitionKey='p',RowKey='r')"
	more := strings.ReplaceAll(largeProperties(2), "large", "more")
	f.do("MERGE", path, "{"+more+"}").wantError(400, "EntityTooLarge", textEntityLarge)
	f.do("GET", path+"?$select=more0", "", "Accept: application/json;odata=nometadata").wantBody(`{"more0":null}`)
}

func TestTunnelledMethods(t *testing.T) {
	for _, c := range []struct {
		name, method, override string
		status                 int
		code                   string
	}{
		{"merge", "POST", "MERGE", 204, ""},
		{"patch, lower case", "POST", "patch", 204, ""},
		{"put", "POST", "PUT", 204, ""},
		{"unknown", "POST", "GET", 400, "XMethodIncorrectValue"},
		{"two, as fetch joins them", "POST", "MERGE, PUT", 400, "XMethodIncorrectCount"},
		{"not by POST", "PUT", "MERGE", 400, "XMethodNotUsingPost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			r := f.do(c.method, "/things(PartitionKey='p',RowKey='r')", `{"a":1}`, "X-HTTP-Method: "+c.override).wantStatus(c.status)
			if c.code != "" {
				if code, _ := r.serviceError(); code != c.code {
					t.Errorf("code %s, want %s", code, c.code)
				}
			}
		})
	}
}

func TestKeysInAddresses(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, c := range []struct{ name, pk, predicate string }{
		{"a quote", "o'x", "PartitionKey='o''x',RowKey='r'"},
		{"an escaped quote", "o'y", "PartitionKey=%27o%27%27y%27,RowKey=%27r%27"},
		{"a space after the comma", "a b", "PartitionKey='a%20b', RowKey='r'"},
		{"row key first", "pk", "RowKey='r',PartitionKey='pk'"},
		{"a plus", "a+b", "PartitionKey='a+b',RowKey='r'"},
		{"a percent sign", "100%", "PartitionKey='100%25',RowKey='r'"},
		{"not ASCII", "é😀", "PartitionKey='%C3%A9%F0%9F%98%80',RowKey='r'"},
		{"blanks", "  ", "PartitionKey='%20%20',RowKey='r'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			location := f.do("POST", "/things", `{"PartitionKey":"`+c.pk+`","RowKey":"r"}`, "Prefer: return-no-content").
				wantStatus(204).header.Get("Location")
			target := strings.ReplaceAll("https://"+testHost+"/things("+c.predicate+")", ", ", ",%20")
			if got := f.do("GET", target, "").wantStatus(200).members()["PartitionKey"]; got != c.pk {
				t.Errorf("got %q, want %q", got, c.pk)
			}
			f.do("GET", location, "").wantStatus(200)
		})
	}
}

// cacheControlOf returns an error's Cache-Control: none if the URL parser found the
// error, otherwise the usual one.
func cacheControlOf(status int) string {
	if status == 501 {
		return "no-cache"
	}
	return ""
}

func TestBadAddresses(t *testing.T) {
	const keyCount = "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.things'."
	for _, c := range []struct {
		name, method, path string
		status             int
		code, message      string
	}{
		{"one key", "GET", "/things(PartitionKey='p')", 400, "InvalidInput", keyCount},
		{"a bare key", "GET", "/things('p')", 400, "InvalidInput", keyCount},
		{"another key", "GET", "/things(PartitionKey='p',Row='r')", 400, "InvalidInput", keyCount},
		{"a slash in a key", "GET", "/things(PartitionKey='a%2Fb',RowKey='r')", 400, "InvalidInput", "Bad Request - Error in query syntax."},
		{"a question mark", "GET", "/things(PartitionKey='a%3Fb',RowKey='r')", 400, "OutOfRangeInput", "One of the request inputs is out of range."},
		{"an unterminated key", "GET", "/things(PartitionKey='a,RowKey='r')", 400, "InvalidInput", "Bad Request - Error in query syntax."},
		{"tables under a table", "GET", "/things/Tables", 501, "NotImplemented", "The requested operation is not implemented on the specified resource."},
		{"a table under a table", "DELETE", "/things/Tables('things')", 400, "InvalidInput", keyCount},
		{"an unsupported verb", "PUT", "/Tables", 405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."},
		{"an unknown verb", "BREW", "/Tables", 400, "InvalidHttpVerb", "The HTTP verb specified was not recognized by the server."},
		{"keys of the list of tables", "GET", "/Tables('a','b')", 400, "InvalidInput", "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.Tables'."},
		{"the model", "GET", "/$metadata", 501, "NotImplemented", "The requested operation is not implemented on the specified resource."},
		{"a verb that the service lacks", "DELETE", "/", 405, "MethodNotAllowed", "The requested method is not allowed on the specified resource."},
		{"the service", "GET", "/", 501, "NotImplemented", "The requested operation is not implemented on the specified resource."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.do(c.method, c.path, "").wantError(c.status, c.code, c.message).wantHeader("Cache-Control", cacheControlOf(c.status))
		})
	}
	t.Run("a control character", func(t *testing.T) {
		newFixture(t).do("GET", "/things(PartitionKey='%01',RowKey='r')", "").wantStatus(400).wantBody("")
	})
}
