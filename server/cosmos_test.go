package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sandtable/odata/batch"
	"sandtable/server/auth"
)

const cosmosBase = "https://devstoreaccount1.table.cosmos.azure.com"

// The suffixes of Cosmos DB's error messages, with "id-1" for the id of the answer.
const (
	cosmosEnd      = "\nRequestID:id-1\n"
	cosmosBelow    = "\r\nActivityId: id-1, documentdb-dotnet-sdk/2.11.0 Host/64-bit MicrosoftWindowsNT/6.2.9200.0\nRequestID:id-1\n"
	cosmosInBatch  = "\n\nRequestID:id-1\n"
	cosmosFull     = "application/json;odata=fullmetadata"
	cosmosMinimal  = "application/json;odata=minimalmetadata"
	cosmosNotFound = "The specified resource does not exist."
)

// cosmos sends a request to the account's endpoint in Cosmos DB. In the body of
// the response its id is replaced by "id-1".
func (f *fixture) cosmos(method, target, body string, headers ...string) *response {
	f.Helper()
	r := f.do(method, cosmosBase+target, body, append([]string{"x-ms-client-request-id: the client's"}, headers...)...)
	r.body = strings.ReplaceAll(r.body, r.header.Get("x-ms-request-id"), "id-1")
	return r
}

// wantCosmosError checks an error's message with its suffix and its content type.
func (r *response) wantCosmosError(status int, code, text, contentType string) *response {
	r.Helper()
	r.wantStatus(status).wantHeader("Content-Type", contentType)
	body, ok := strings.CutSuffix(r.body, "\r\n")
	if !ok {
		r.Errorf("no end of line after the body")
	}
	wantCosmosBody(r.T, body, code, text)
	return r
}

func wantCosmosBody(t *testing.T, body, code, text string) {
	t.Helper()
	value, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"odata.error":{"code":"` + code + `","message":{"lang":"en-us","value":` + string(value) + `}}}`
	if body != want {
		t.Errorf("body\n got %s\nwant %s", body, want)
	}
}

// TestCosmosTableNames: Cosmos DB has tables with names that the storage refuses.
func TestCosmosTableNames(t *testing.T) {
	f := newFixture(t)
	const name = "啊齄 1-2"
	r := f.cosmos("POST", "/Tables", `{"TableName":"`+name+`"}`).wantStatus(201)
	r.wantHeader("Location", cosmosBase+"/Tables('"+name+"')")
	if got := r.members()["TableName"]; got != name {
		t.Errorf("TableName is %q", got)
	}
	escaped := url.PathEscape(name)
	f.cosmos("POST", "/"+escaped, `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
	f.cosmos("GET", "/"+escaped+"(PartitionKey='p',RowKey='r')", "").wantStatus(200)
	if r := f.do("GET", "/Tables", "").wantStatus(200); len(r.members()["value"].([]any)) != 1 {
		t.Errorf("tables of the storage's host: %s", r.body)
	}
	f.do("POST", "/Tables", `{"TableName":"`+name+`"}`).wantError(400, "InvalidResourceName", "The specifed resource name contains invalid characters.")
	f.cosmos("POST", "/Tables", `{"TableName":"a/b"}`).wantStatus(400)
	f.cosmos("DELETE", "/Tables('"+escaped+"')", "").wantStatus(204)
}

func TestCosmosHeaders(t *testing.T) {
	f := newFixture(t)
	for _, base := range []string{"https://devstoreaccount1.table.cosmosdb.azure.com", cosmosBase + ":443"} {
		f.do("POST", base+"/Tables", `{"TableName":"things"}`, "Prefer: return-no-content").wantStatus(204).wantHeader("DataServiceId", "")
		r := f.do("POST", base+"/things", `{"PartitionKey":"p","RowKey":"r"}`, "Prefer: return-no-content", "x-ms-client-request-id: abc").wantStatus(204)
		r.wantHeader("Location", base+"/things(PartitionKey='p',RowKey='r')").wantHeader("Preference-Applied", "return-no-content")
		for _, name := range []string{"x-ms-client-request-id", "x-ms-version", "Server", "Cache-Control", "X-Content-Type-Options", "DataServiceId", "x-ms-error-code"} {
			r.wantHeader(name, "")
		}
		f.do("POST", base+"/things(PartitionKey='p',RowKey='r')", `{"a":1}`, "X-HTTP-Method: MERGE").wantStatus(204).wantHeader("Content-Type", "application/json")
		f.do("POST", base+"/things(PartitionKey='p',RowKey='r')", `{"a":1}`, "X-HTTP-Method: MERGE", "If-Match: *").wantStatus(204).wantHeader("Content-Type", "")
		f.do("DELETE", base+"/Tables('things')", "", "Accept: */*").wantStatus(204).wantHeader("Content-Type", "")
		f.do("POST", base+"/Tables", `{"TableName":"things"}`, "Prefer: return-no-content", "x-ms-version: 2020-12-06").wantStatus(204).wantHeader("Content-Type", "application/json")
		f.do("DELETE", base+"/Tables('things')", "", "x-ms-version: 2020-12-06").wantStatus(204).wantHeader("Content-Type", "application/json")
	}
}

// TestCosmosBodies: metadata, times and names as Cosmos DB writes them.
func TestCosmosBodies(t *testing.T) {
	f := newFixture(t)
	r := f.cosmos("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201).wantHeader("Content-Type", cosmosMinimal)
	r.wantBody(`{"TableName":"things","odata.metadata":"` + cosmosBase + `/$metadata#Tables/@Element"}`)
	if !regexp.MustCompile(`^W/"datetime'2026-11-20T18%3A44%3A02\.\d{7}Z'"$`).MatchString(r.header.Get("ETag")) {
		t.Errorf("ETag of a table: %q", r.header.Get("ETag"))
	}
	const entity = `{"PartitionKey":"a b","RowKey":"o'x@é","Etag":"dropped","etag":"kept","When@odata.type":"Edm.DateTime","When":"2020-01-02T03:04:05Z"}`
	inserted := f.cosmos("POST", "/things", entity, "Accept: "+cosmosFull).wantStatus(201).wantHeader("Content-Type", cosmosFull)
	const path = "things(PartitionKey='a b',RowKey='o''x@é')"
	inserted.wantHeader("Location", cosmosBase+"/"+path)
	tag := inserted.header.Get("ETag")
	instant := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(tag, `W/"datetime'`), `'"`), "%3A", ":")
	quoted, _ := json.Marshal(tag) // a string always encodes
	link := strings.Replace(path, "é", `\u00e9`, 1)
	start := `"odata.type":"devstoreaccount1.things","odata.id":"` + cosmosBase + "/" + link + `","odata.editLink":"` + link + `",`
	properties := `"PartitionKey":"a b","RowKey":"o'x@\u00e9","etag":"kept","When@odata.type":"Edm.DateTime","When":"2020-01-02T03:04:05.0000000Z",`
	inserted.wantBody("{" + start + `"odata.metadata":"` + cosmosBase + `/things/$metadata#things/@Element","odata.etag":` + string(quoted) + "," +
		properties + `"Timestamp@odata.type":"Edm.DateTime","Timestamp":"` + instant + `"}`)
	f.cosmos("GET", "/things?$select=etag,RowKey,x", "").wantStatus(200).wantBody(`{"value":[{"odata.etag":` + string(quoted) +
		`,"RowKey":"o'x@\u00e9","etag":"kept","x":null}],"odata.metadata":"` + cosmosBase + `/$metadata#things"}`)
	f.cosmos("GET", "/things", "", "Accept: application/json;odata=nometadata").wantBody(
		`{"value":[{` + strings.Replace(properties, `"When@odata.type":"Edm.DateTime",`, "", 1) + `"Timestamp":"` + instant + `"}]}`)
	f.cosmos("GET", "/Tables", "").wantBody(`{"value":[{"TableName":"things"}],"odata.metadata":"` + cosmosBase + `/$metadata#Tables"}`)
	// The full ETag identifies the entity, whatever its last digit is.
	f.cosmos("DELETE", "/things(PartitionKey='a%20b',RowKey='o''x@%C3%A9')", "", "If-Match: "+tag).wantStatus(204)
}

// TestCosmosAnyLevel: what answers a request for JSON that names no level. $format
// does not count.
func TestCosmosAnyLevel(t *testing.T) {
	const anyLevel = "application/json"
	f := newFixture(t)
	for _, c := range []struct {
		name, method, target, body, accept string
		status                             int
		contentType, want                  string
	}{
		{"create a table", "POST", "/Tables?$format=" + cosmosFull, `{"TableName":"things"}`, anyLevel, 201, anyLevel, `"TableName":"things","odata.metadata":`},
		{"table exists", "POST", "/Tables", `{"TableName":"things"}`, anyLevel, 409, anyLevel, `TableAlreadyExists`},
		{"insert", "POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`, anyLevel, 201, anyLevel, `"RowKey":"r","Timestamp@odata.type":"Edm.DateTime",`},
		{"the first counts", "GET", "/things", "", anyLevel + ", " + cosmosFull, 200, anyLevel, `{"value":[{"odata.etag":`},
		{"another $format", "GET", "/things?$format=" + cosmosFull, "", cosmosMinimal, 200, cosmosMinimal, `"RowKey":"r","Timestamp":`},
		{"tables", "GET", "/Tables", "", anyLevel, 200, anyLevel, `{"value":[{"TableName":"things"}]}`},
		{"stale tag", "DELETE", "/things(PartitionKey='p',RowKey='r')", "", anyLevel, 412, cosmosFull, "UpdateCondition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			r := f.cosmos(c.method, c.target, c.body, "Accept: "+c.accept, `If-Match: W/"old"`).wantStatus(c.status).wantHeader("Content-Type", c.contentType)
			if !strings.Contains(r.body, c.want) || c.method == "GET" && strings.Contains(r.body, "odata.metadata") != (c.accept == cosmosMinimal) {
				t.Errorf("body %s", r.body)
			}
		})
	}
}

// TestCosmosOrder: properties stay in the order in which they came. The Table service
// sorts them by name after an update.
func TestCosmosOrder(t *testing.T) {
	for name, c := range map[string]struct{ method, body, cosmos, storage string }{
		"replaced": {"PUT", `{"z":1,"a":2}`, `"z":1,"a":2`, `"a":2,"z":1`},
		"merged":   {"MERGE", `{"y":4,"c":5,"a":6}`, `"z":1,"c":5,"b":3,"y":4,"a":6`, `"a":6,"b":3,"c":5,"y":4,"z":1`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			const entity, plain = "/things(PartitionKey='p',RowKey='r')", "Accept: application/json;odata=nometadata"
			f.insert("things", `{"PartitionKey":"p","RowKey":"r","z":1,"c":2,"b":3}`)
			for want, do := range map[string]func(method, target, body string, headers ...string) *response{c.cosmos: f.cosmos, c.storage: f.do} {
				do("POST", entity, c.body, "X-HTTP-Method: "+c.method).wantStatus(204)
				if got := do("GET", entity, "", plain).body; !strings.Contains(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
				f.do("DELETE", entity, "", "If-Match: *").wantStatus(204)
				f.insert("things", `{"PartitionKey":"p","RowKey":"r","z":1,"c":2,"b":3}`)
			}
		})
	}
}

func TestCosmosErrors(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	const entity = "/things(PartitionKey='p',RowKey='r')"
	const unsupported = "The requested operation is not supported."
	for _, c := range []struct {
		name, method, target, body, header string
		status                             int
		code, text, contentType            string
	}{
		{"missing entity", "GET", "/things(PartitionKey='p',RowKey='x')", "", "", 404, "ResourceNotFound", cosmosNotFound + cosmosEnd, cosmosMinimal},
		{"missing table", "GET", "/missing", "", "", 404, "ResourceNotFound", cosmosNotFound + cosmosEnd, cosmosMinimal},
		{"missing table, deleted", "DELETE", "/Tables('missing')", "", "", 404, "ResourceNotFound", cosmosNotFound + cosmosEnd, cosmosFull},
		{"missing table, its policies", "GET", "/missing?comp=acl", "", "Accept: application/xml", 404, "ResourceNotFound", cosmosNotFound + cosmosEnd, cosmosFull},
		{"table exists", "POST", "/Tables", `{"TableName":"things"}`, "", 409, "TableAlreadyExists", "The specified table already exists." + cosmosEnd, cosmosMinimal},
		{"entity exists", "POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`, "Prefer: return-no-content", 409, "EntityAlreadyExists", "The specified entity already exists." + cosmosEnd, cosmosMinimal},
		{"stale tag", "PUT", entity, "{}", `If-Match: W/"old"`, 412, "UpdateConditionNotSatisfied", textCondition + cosmosEnd, cosmosFull},
		{"no key", "POST", "/things", `{"PartitionKey":"p"}`, "", 400, "PropertiesNeedValue", "PartitionKey/RowKey cannot be empty" + cosmosBelow, cosmosFull},
		{"empty key", "POST", "/things", `{"PartitionKey":"p","RowKey":""}`, "", 400, "PropertiesNeedValue", "PartitionKey/RowKey cannot be empty" + cosmosBelow, cosmosFull},
		{"empty key of an upsert", "PUT", "/things(PartitionKey='',RowKey='r')", `{}`, "", 400, "PropertiesNeedValue", "PartitionKey/RowKey cannot be empty" + cosmosBelow, cosmosFull},
		{"filter", "GET", "/things?$filter=a+b+c", "", "", 400, "InvalidInput", "Request url is invalid." + cosmosBelow, cosmosMinimal},
		{"PATCH", "PATCH", entity, "{}", "", 400, "InvalidInput", "One of the input values is invalid." + cosmosBelow, cosmosFull},
		{"policies", "PUT", "/things?comp=acl", "", "Accept: application/xml", 501, "NotImplemented", unsupported + cosmosBelow, cosmosFull},
		{"properties", "PUT", "/?restype=service&comp=properties", "", "Accept: application/xml", 501, "NotImplemented", unsupported + cosmosBelow, cosmosFull},
		{"create a table below a table", "POST", "/things/Tables", `{"TableName":"more"}`, "", 400, "InvalidInput", "Request url is invalid." + cosmosBelow, cosmosFull},
		{"delete a table below a table", "DELETE", "/things/Tables('more')", "", "", 400, "InvalidInput", "Request url is invalid." + cosmosBelow, cosmosFull},
		{"query tables below a table", "GET", "/things/Tables", "", "", 400, "InvalidInput", "Request url is invalid." + cosmosBelow, cosmosFull},
		{"no Accept", "GET", "/things", "", "Accept:", 415, "MediaTypeNotSupported", "None of the provided media types are supported" + cosmosBelow, cosmosFull},
		{"any Accept", "PUT", entity, "{}", "Accept: */*", 415, "MediaTypeNotSupported", "None of the provided media types are supported" + cosmosBelow, cosmosFull},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			f.cosmos(c.method, c.target, c.body, c.header).wantCosmosError(c.status, c.code, c.text, c.contentType).
				wantHeader("Preference-Applied", "").wantHeader("x-ms-error-code", "")
		})
	}
	f.cosmos("GET", "/things(PartitionKey='p',RowKey='%01')", "").wantStatus(400).wantBody("")
	r := f.do("GET", "https://devstoreaccount1-secondary.table.cosmos.azure.com/?restype=service&comp=stats", "")
	r.body = strings.ReplaceAll(r.body, r.header.Get("x-ms-request-id"), "id-1")
	r.wantCosmosError(501, "NotImplemented", unsupported+cosmosBelow, cosmosFull)
	f.do("GET", "https://strictaccount.table.cosmos.azure.com/Tables", "", "x-ms-version: 2020-12-06").wantStatus(401).
		wantHeader("WWW-Authenticate", "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com")
}

func TestCosmosSAS(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	key := "p"
	for _, c := range []struct {
		name, method, accept string
		startKey             *string
		status               int
		code, text           string
	}{
		{"key range", "GET", cosmosMinimal, &key, 501, "NotImplemented", "Shared access signature with PartitionKey or RowKey are not supported" + cosmosBelow},
		{"permission", "PUT", "application/json", nil, 403, "Forbidden", "This request is not authorized to perform this operation using this permission." + cosmosBelow},
	} {
		t.Run(c.name, func(t *testing.T) {
			sas, err := auth.SAS{Table: "things", Permissions: "r", Expiry: f.now.AddDate(0, 0, 1), StartPartitionKey: c.startKey}.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			f.cosmos(c.method, "/things(PartitionKey='p',RowKey='r')?"+sas, "{}", "Accept: "+c.accept).wantCosmosError(c.status, c.code, c.text, c.accept)
		})
	}
}

// cosmosBatch sends a changeset whose operations name their ids.
func (f *fixture) cosmosBatch(operations ...string) *response {
	f.Helper()
	body := strings.ReplaceAll(changeset(operations...), "https://"+testHost, cosmosBase)
	return f.cosmos("POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=batch_1", "Accept:")
}

func fieldNames(part batch.Response) string {
	var names []string
	for _, f := range part.Header {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestCosmosBatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"old"}`)
	parts := f.cosmosBatch(
		insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`),
		part("MERGE", "/things(PartitionKey='p',RowKey='2')", "{}"),
		part("MERGE", "/things(PartitionKey='p',RowKey='2')", "{}", "If-Match: *"),
		part("DELETE", "/things(PartitionKey='p',RowKey='old')", "", "If-Match: *"),
	).wantStatus(202).wantHeader("Cache-Control", "").parts()
	for i, want := range []string{"ETag Preference-Applied Location Content-ID", "ETag Content-Type Content-ID", "ETag Content-ID", "Content-ID"} {
		if got := fieldNames(parts[i]); got != want || parts[i].Status != 204 {
			t.Errorf("part %d: %d %q, want %q", i, parts[i].Status, got, want)
		}
		if got := parts[i].Header.Get("Content-ID"); got != fmt.Sprint(i+1) {
			t.Errorf("part %d: Content-ID %q", i, got)
		}
	}
}

// TestCosmosBatchOfTwoTables: names that differ for the store are two tables, even if
// Unicode folds them to one.
func TestCosmosBatchOfTwoTables(t *testing.T) {
	f := newFixture(t)
	f.createTable("books")
	f.cosmos("POST", "/Tables", `{"TableName":"bookſ"}`).wantStatus(201)
	parts := f.cosmosBatch(
		part("POST", "/book%C5%BF", `{"PartitionKey":"p","RowKey":"1"}`),
		part("POST", "/books", `{"PartitionKey":"p","RowKey":"2"}`),
	).wantStatus(202).parts()
	if len(parts) != 1 || parts[0].Status != 400 {
		t.Errorf("got %+v, want one part that refuses the second table", parts)
	}
}

func TestCosmosBatchRefused(t *testing.T) {
	missing := strings.ReplaceAll(insertPart("missing", `{"PartitionKey":"p","RowKey":"1"}`), "things", "missing")
	remove := part("DELETE", "/things(PartitionKey='p',RowKey='x')", "", "If-Match: *")
	for _, c := range []struct {
		name, code, text string
		operations       []string
	}{
		{"alone, with its position", "ResourceNotFound", "0:" + cosmosNotFound + cosmosInBatch, []string{remove}},
		{"the second", "ResourceNotFound", "1:" + cosmosNotFound + cosmosInBatch, []string{insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`), remove}},
		{"missing table, without a position", "ResourceNotFound", cosmosNotFound + cosmosEnd, []string{missing}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			parts := f.cosmosBatch(c.operations...).wantStatus(202).parts()
			if len(parts) != 1 || parts[0].Status != 404 || fieldNames(parts[0]) != "Content-Type" || parts[0].Header.Get("Content-Type") != cosmosFull {
				t.Fatalf("got %+v", parts)
			}
			wantCosmosBody(t, string(parts[0].Body), c.code, c.text)
		})
	}
	t.Run("PATCH", func(t *testing.T) {
		f := newFixture(t)
		f.createTable("things")
		f.cosmosBatch(insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`), part("PATCH", "/things(PartitionKey='p',RowKey='2')", "{}")).
			wantCosmosError(400, "InvalidInput", "One of the input values is invalid."+cosmosBelow, cosmosFull)
	})
	t.Run("an entity inserted twice", func(t *testing.T) {
		f := newFixture(t)
		f.createTable("things")
		insert := insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`)
		f.cosmosBatch(insert, insert).wantCosmosError(400, "InvalidDuplicateRow",
			"1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."+cosmosBelow, cosmosFull)
	})
}

func TestCosmosLimits(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	entity := func(rk string, size int) string {
		return `{"PartitionKey":"p","RowKey":"` + rk + `","a":"` + strings.Repeat("x", size) + `"}`
	}
	f.do("POST", "/things", entity("1", 40<<10)).wantError(400, "PropertyValueTooLarge", textValueLarge)
	f.cosmos("POST", "/things", entity("1", 40<<10)).wantStatus(201)
	f.cosmos("POST", "/things", entity("2", 900<<10)).wantStatus(201)
	f.cosmos("POST", "/things", entity("3", 1100<<10)).wantStatus(400).wantParts(`"EntityTooLarge"`)
	f.do("MERGE", "/things(PartitionKey='p',RowKey='2')", `{"b":1}`).wantError(400, "EntityTooLarge", textEntityLarge)
	var many strings.Builder
	for i := range 255 {
		fmt.Fprintf(&many, `,"a%d":%d`, i, i)
	}
	f.cosmos("POST", "/things", `{"PartitionKey":"p","RowKey":"many"`+many.String()+`}`).wantStatus(201)
	f.cosmos("POST", "/things", `{"PartitionKey":"p","RowKey":"name","`+strings.Repeat("n", 1000)+`":1}`).wantStatus(201)
	f.cosmos("POST", "/things", `{"PartitionKey":"p","RowKey":"bad","`+strings.Repeat("n ", 200)+`":1}`).wantStatus(400).wantParts(`"PropertyNameInvalid"`)
	if got := len(f.cosmos("GET", "/things(PartitionKey='p',RowKey='many')", "").wantStatus(200).members()); got != 260 {
		t.Errorf("%d members, want 260", got)
	}
	var operations []string
	for i := range 101 {
		operations = append(operations, insertPart("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"b%d"}`, i)))
	}
	if parts := f.cosmosBatch(operations...).wantStatus(202); strings.Count(parts.body, "HTTP/1.1 204") != 101 {
		t.Errorf("got %s", parts.body)
	}
}

func TestCosmosContinuation(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, rk := range []string{"1", "2", "3"} {
		f.insert("things", `{"PartitionKey":"p|","RowKey":"`+rk+`"}`)
	}
	query, seen := "", ""
	for range 3 {
		r := f.cosmos("GET", "/things?$top=1"+query, "")
		seen += r.rowKeys()
		token := r.header.Get("x-ms-continuation-NextPartitionKey")
		if token == "" {
			break
		}
		r.wantHeader("x-ms-continuation-NextRowKey", "NA")
		if !json.Valid([]byte(token)) || strings.HasPrefix(token, "[") != (query != "") {
			t.Errorf("token %s after the query %q", token, query)
		}
		query = "&NextRowKey=NA&NextPartitionKey=" + url.QueryEscape(token)
	}
	if seen != "123" {
		t.Errorf("saw %s", seen)
	}
}
