package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sandtable/odata/batch"
)

// part returns an operation of a changeset as the JavaScript SDK writes it.
func part(method, target, body string, headers ...string) string {
	lines := []string{"Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
		method + " https://" + testHost + target + " HTTP/1.1",
		"accept: application/json;odata=minimalmetadata", "dataserviceversion: 3.0"}
	if body != "" {
		lines = append(lines, "content-type: application/json")
	}
	lines = append(lines, headers...)
	return strings.Join(append(lines, "", body), "\r\n")
}

func insertPart(table, body string) string {
	return part("POST", "/"+table, body, "prefer: return-no-content")
}

// changeset joins operations into the body of an entity group transaction.
func changeset(operations ...string) string {
	var b strings.Builder
	b.WriteString("--batch_1\r\ncontent-type: multipart/mixed; boundary=changeset_1\r\n\r\n\r\n")
	for _, o := range operations {
		b.WriteString("--changeset_1\r\n" + o + "\r\n")
	}
	b.WriteString("--changeset_1--\r\n--batch_1--\r\n")
	return b.String()
}

func (f *fixture) batch(operations ...string) *response {
	f.Helper()
	return f.do("POST", "/$batch", changeset(operations...), "Content-Type: multipart/mixed; boundary=batch_1")
}

// parts splits a batch's response.
func (r *response) parts() []batch.Response {
	r.Helper()
	r.wantStatus(202)
	parts, err := batch.ParseResponses(r.header.Get("Content-Type"), []byte(r.body))
	if err != nil {
		r.Fatalf("%v in %s", err, r.body)
	}
	return parts
}

// statuses joins the parts' statuses.
func (r *response) statuses() string {
	r.Helper()
	var s []string
	for _, p := range r.parts() {
		s = append(s, fmt.Sprint(p.Status))
	}
	return strings.Join(s, " ")
}

// wantFailure checks that the batch failed with this error.
func (r *response) wantFailure(status int, code, message string) batch.Response {
	r.Helper()
	parts := r.parts()
	if len(parts) != 1 {
		r.Fatalf("%d parts, want only the failed one: %s", len(parts), r.body)
	}
	inner := &response{r.T, parts[0].Status, r.header, string(parts[0].Body)}
	inner.wantError(status, code, message)
	return parts[0]
}

var guid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func TestBatchToTheByte(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, rk := range []string{"merge", "put", "gone"} {
		f.insert("things", `{"PartitionKey":"p","RowKey":"`+rk+`"}`)
	}
	r := f.batch(
		part("POST", "/things", `{"PartitionKey":"p","RowKey":"1"}`, "Prefer: return-no-content", "Content-ID: 7"),
		part("POST", "/things?$format=application%2Fjson%3Bodata%3Dnometadata", `{"PartitionKey":"p","RowKey":"2"}`),
		part("PATCH", "/things(PartitionKey='p',RowKey='merge')", `{"a":1}`, "If-Match: *"),
		part("PUT", "/things(PartitionKey='p',RowKey='put')", `{"a":1}`),
		part("DELETE", "/things(PartitionKey='p',RowKey='gone')", "", "If-Match: *"),
		part("POST", "/THINGS(PartitionKey='p',RowKey='tunnelled')", `{"a":1}`, "X-HTTP-Method: MERGE"),
		part("MERGE", "/things(PartitionKey='p',RowKey='both')", `{"a":1}`, "X-HTTP-Method: MERGE"),
	)
	etag := func(rk string) string {
		return f.do("GET", "/things(PartitionKey='p',RowKey='"+rk+"')", "").wantStatus(200).header.Get("ETag")
	}
	const head = "--changesetresponse_ID\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
	const location = "https://" + testHost + "/things(PartitionKey='p',RowKey='"
	want := "--batchresponse_ID\r\nContent-Type: multipart/mixed; boundary=changesetresponse_ID\r\n\r\n" +
		head + "HTTP/1.1 204 No Content\r\nContent-ID: 7\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n" +
		"Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: " + location + "1')\r\nDataServiceId: " + location + "1')\r\nETag: " + etag("1") + "\r\n\r\n\r\n" +
		head + "HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\nContent-Type: application/json;odata=nometadata;streaming=true;charset=utf-8\r\n" +
		"X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nLocation: " + location + "2')\r\nETag: " + etag("2") + "\r\n\r\n" +
		`{"PartitionKey":"p","RowKey":"2","Timestamp":"` + etagTime(etag("2")) + `"}` + "\r\n" +
		head + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nETag: " + etag("merge") + "\r\n\r\n\r\n" +
		head + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nETag: " + etag("put") + "\r\n\r\n\r\n" +
		head + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\n\r\n\r\n" +
		head + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nETag: " + etag("tunnelled") + "\r\n\r\n\r\n" +
		head + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nETag: " + etag("both") + "\r\n\r\n\r\n" +
		"--changesetresponse_ID--\r\n--batchresponse_ID--\r\n"
	r.wantStatus(202)
	r.body = guid.ReplaceAllString(r.body, "ID")
	r.wantBody(want)
	if got := guid.ReplaceAllString(r.header.Get("Content-Type"), "ID"); got != "multipart/mixed; boundary=batchresponse_ID" {
		t.Errorf("Content-Type: %s", got)
	}
	f.do("GET", "/things(PartitionKey='p',RowKey='gone')", "").wantStatus(404)
}

func TestBatchRefused(t *testing.T) {
	insert := func(pk, rk string) string { return insertPart("things", `{"PartitionKey":"`+pk+`","RowKey":"`+rk+`"}`) }
	many := func(n int) (operations []string) {
		for i := range n {
			operations = append(operations, insert("p", fmt.Sprint(i)))
		}
		return operations
	}
	const textDuplicate = "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."
	for _, c := range []struct {
		name          string
		operations    []string
		status        int
		code, message string
		executing     bool // the part has Cache-Control
	}{
		{"conflict, alone: no index", []string{insert("p", "taken")}, 409, "EntityAlreadyExists", "The specified entity already exists.", true},
		{"conflict among others", []string{insert("p", "1"), insert("p", "2"), insert("p", "taken")}, 409, "EntityAlreadyExists", "2:The specified entity already exists.", true},
		{"another partition", []string{insert("p", "1"), insert("q", "2")}, 400, "CommandsInBatchActOnDifferentPartitions", "1:All commands in a batch must operate on same entity group.", true},
		{"an entity twice", []string{insert("p", "1"), insert("p", "2"), insert("p", "1")}, 400, "InvalidDuplicateRow", "2:" + textDuplicate, true},
		{"another table", []string{insert("p", "1"), insertPart("others", `{"PartitionKey":"p","RowKey":"2"}`)}, 400, "InvalidInput", "1:One of the request inputs is not valid.", false},
		{"101 operations", many(101), 400, "InvalidInput", "99:The batch request operation exceeds the maximum 100 changes per change set.", true},
		{"a missing table, alone", []string{insertPart("missing", `{"PartitionKey":"p","RowKey":"1"}`)}, 404, "TableNotFound", "0:The table specified does not exist.", false},
		{"a missing table and an entity twice", []string{insertPart("missing", `{"PartitionKey":"p","RowKey":"1"}`), insertPart("missing", `{"PartitionKey":"p","RowKey":"1"}`)},
			404, "TableNotFound", "0:The table specified does not exist.", false},
		{"a bad key after an entity twice", []string{insert("p", "1"), insert("p", "1"), part("PUT", "/things(PartitionKey='p',RowKey='a%23')", "{}")},
			400, "OutOfRangeInput", "2:One of the request inputs is out of range.", false},
		{"a control character in the address", []string{insert("p", "1"), part("PUT", "/things(PartitionKey='p',RowKey='%01')", "{}")},
			400, "OutOfRangeInput", "1:One of the request inputs is out of range.", false},
		{"a stale tag", []string{insert("p", "1"), part("PUT", "/things(PartitionKey='p',RowKey='taken')", "{}", `If-Match: W/"old"`)},
			412, "UpdateConditionNotSatisfied", "1:" + textCondition, true},
		{"a missing entity, alone", []string{part("DELETE", "/things(PartitionKey='p',RowKey='x')", "", "If-Match: *")}, 404, "ResourceNotFound", textNotFound, true},
		{"a bad key in the address, alone", []string{part("PUT", "/things(PartitionKey='a%2Fb',RowKey='x')", "{}")}, 400, "InvalidInput", "0:Bad Request - Error in query syntax.", false},
		{"an entity without keys", []string{insert("p", "1"), insertPart("things", `{"a":1}`)}, 400, "PropertiesNeedValue", "1:" + textNeedValue, true},
		{"no Accept", []string{strings.Replace(insert("p", "1"), "accept: application/json;odata=minimalmetadata\r\n", "", 1)}, 0, "", "", false},
		{"an address without a path", []string{strings.Replace(insert("p", "1"), testHost+"/things", testHost, 1)}, 405, "MethodNotAllowed", "0:The requested method is not allowed on the specified resource.", false},
		{"another content type", []string{strings.Replace(insert("p", "1"), "content-type: application/json", "content-type: text/plain", 1)},
			415, "MediaTypeNotSupported", "0:None of the provided media types are supported", false},
		{"a table operation", []string{part("POST", "/Tables", `{"TableName":"new"}`)}, 400, "InvalidInput", "0:One of the request inputs is not valid.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.createTable("others")
			f.insert("things", `{"PartitionKey":"p","RowKey":"taken"}`)
			r := f.batch(c.operations...)
			if c.status == 0 {
				if parts := r.parts(); parts[0].Status != 415 || !strings.Contains(string(parts[0].Body), "<code>AtomFormatNotSupported</code>") {
					t.Errorf("got %d %s", parts[0].Status, parts[0].Body)
				}
			} else {
				part := r.wantFailure(c.status, c.code, c.message)
				if got := part.Header.Get("Cache-Control") != ""; got != c.executing {
					t.Errorf("Cache-Control is there: %v, want %v", got, c.executing)
				}
				if got := part.Header.Get("DataServiceVersion"); got != "3.0;" {
					t.Errorf("DataServiceVersion %s", got)
				}
			}
			if got := f.do("GET", "/things", "").rowKeys(); got != "taken" {
				t.Errorf("a failed batch stored %q", got)
			}
		})
	}
}

func TestBatchOfAHundred(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	insertMany(f, 100)
	if got := len(strings.Fields(f.do("GET", "/things", "").rowKeys())); got != 100 {
		t.Errorf("%d entities", got)
	}
}

// queryBatch puts the query of an entity into a batch, as older .NET SDKs do.
func (f *fixture) queryBatch(base, entity string) *response {
	f.Helper()
	body := "--batch_1\r\n" + part("GET", entity, "") + "\r\n--batch_1--\r\n"
	return f.do("POST", base+"/$batch", body, "Content-Type: multipart/mixed; boundary=batch_1")
}

func TestBatchQuery(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	etag := f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for _, base := range []string{"", testSecondary} {
		found := f.queryBatch(base, "/things(PartitionKey='p',RowKey='r')").parts()
		if len(found) != 1 || found[0].Status != 200 || found[0].Header.Get("ETag") != etag {
			t.Errorf("got %+v", found)
		}
		f.queryBatch(base, "/things(PartitionKey='p',RowKey='x')").wantFailure(404, "ResourceNotFound", "0:"+textNotFound)
	}
}

func TestBatchMalformed(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		status                  int
		code                    string
	}{
		{"no boundary", "multipart/mixed", changeset(), 400, "InvalidInput"},
		{"JSON", "application/json", "{}", 400, "InvalidInput"},
		{"nonsense", "multipart/mixed; boundary=batch_1", "nonsense", 400, "InvalidInput"},
		{"a query in a changeset", "multipart/mixed; boundary=batch_1", changeset(part("GET", "/things()", "")), 400, "InvalidInput"},
		{"more than 4 MiB", "multipart/mixed; boundary=batch_1", changeset(strings.Repeat("x", 4<<20)), 413, "RequestBodyTooLarge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			r := f.do("POST", "/$batch", c.body, "Content-Type: "+c.contentType).wantStatus(c.status)
			if code, _ := r.serviceError(); code != c.code {
				t.Errorf("code %s, want %s", code, c.code)
			}
		})
	}
}

func TestBatchByOtherMethods(t *testing.T) {
	f := newFixture(t)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		f.do(method, "/$batch", "", "Content-Type: multipart/mixed; boundary=batch_1").
			wantError(405, "MethodNotAllowed", "The requested method is not allowed on the specified resource.")
	}
}

// TestBatchAfterBatch: batches use the same memory one after another.
func TestBatchAfterBatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	insert := func(pk, rk string) string { return insertPart("things", `{"PartitionKey":"`+pk+`","RowKey":"`+rk+`"}`) }
	tests := []struct {
		name       string
		operations []string
		want       string
	}{
		{"of three", []string{insert("p", "1"), insert("p", "2"), insert("p", "3")}, "204 204 204"},
		{"without operations", nil, ""},
		{"that fails", []string{insert("q", "1"), insert("q", "1")}, "400"},
		{"with the same rows elsewhere", []string{insert("q", "1"), insert("q", "2")}, "204 204"},
		{"of one", []string{part("DELETE", "/things(PartitionKey='p',RowKey='1')", "", "If-Match: *")}, "204"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := f.batch(tt.operations...).statuses(); got != tt.want {
				t.Errorf("statuses %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEmptyBatch(t *testing.T) {
	f := newFixture(t)
	r := f.batch().wantStatus(202)
	r.body = guid.ReplaceAllString(r.body, "ID")
	r.wantBody("--batchresponse_ID\r\nContent-Type: multipart/mixed; boundary=changesetresponse_ID\r\n\r\n" +
		"--changesetresponse_ID--\r\n--batchresponse_ID--\r\n")
}

// TestBatchTargets: the addresses in an answer begin as those of the part, if they are whole.
func TestBatchTargets(t *testing.T) {
	const (
		host    = "https://" + testHost
		path    = "http://127.0.0.1:10002/devstoreaccount1"
		proxied = "http://localhost:8080/table/devstoreaccount1" // behind a proxy that removes a folder
	)
	for _, c := range []struct{ endpoint, target, base string }{
		{host, "https://elsewhere.example/things", "https://elsewhere.example"},
		{host, "http://127.0.0.1/things()", "http://127.0.0.1"},
		{host, "http://" + strings.Repeat("a", 2000) + "/things", host}, // or 4 MB would be written with each of 1,000 entities
		{host, "/things", host},
		{host, "/things?$format=application/json", host},
		{path, "/devstoreaccount1/things", path},
		{proxied, "http://localhost/some/folder/table/devstoreaccount1/things", "http://localhost/some/folder/table/devstoreaccount1"},
		{proxied, "http://localhost/" + strings.Repeat("a", 2000) + "/table/devstoreaccount1/things", proxied},
		{proxied, "/some/folder/table/devstoreaccount1/things", proxied},
		{proxied, "/table/devstoreaccount1/things", proxied},
		{proxied, "http://localhost/things", proxied},
		{proxied, "/things", proxied},
		{proxied, "/things?$filter=a%20eq%20'/table/devstoreaccount1/'", proxied},
	} {
		t.Run(fmt.Sprintf("%s: %.60s", c.endpoint, c.target), func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			o := strings.Replace(insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`), host+"/things", c.target, 1)
			r := f.do("POST", c.endpoint+"/$batch", changeset(o), "Content-Type: multipart/mixed; boundary=batch_1").wantStatus(202)
			if got, want := r.parts()[0].Header.Get("Location"), c.base+"/things(PartitionKey='p',RowKey='r')"; got != want {
				t.Errorf("Location %s, want %s", got, want)
			}
		})
	}
}

// TestBatchTableNamedAsTheAccount: in path style, too, a part may leave out the account if
// its table has that name.
func TestBatchTableNamedAsTheAccount(t *testing.T) {
	const account = "http://127.0.0.1:10002/devstoreaccount1"
	f := newFixture(t)
	f.createTable("devstoreaccount1")
	for i, target := range []string{"/devstoreaccount1", "/devstoreaccount1()", "http://127.0.0.1:10002/devstoreaccount1()", "/devstoreaccount1/devstoreaccount1", account + "/devstoreaccount1"} {
		o := strings.Replace(insertPart("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%d"}`, i)), "https://"+testHost+"/things", target, 1)
		r := f.do("POST", account+"/$batch", changeset(o), "Content-Type: multipart/mixed; boundary=batch_1").wantStatus(202)
		if got := r.parts()[0]; got.Status != 204 {
			t.Errorf("%s: %d %s", target, got.Status, got.Body)
		}
	}
	for i, target := range []string{"/devstoreaccount1", account} {
		o := strings.Replace(part("DELETE", "/things", "", "If-Match: *"), "https://"+testHost+"/things", target+fmt.Sprintf("(PartitionKey='p',RowKey='%d')", i), 1)
		r := f.do("POST", account+"/$batch", changeset(o), "Content-Type: multipart/mixed; boundary=batch_1").wantStatus(202)
		if got := r.parts()[0]; got.Status != 204 {
			t.Errorf("%s: %d %s", target, got.Status, got.Body)
		}
	}
}

// TestBatchAtTheAccount: in path style, too, a part whose address ends with the account
// names no table.
func TestBatchAtTheAccount(t *testing.T) {
	const account = "http://127.0.0.1:10002/devstoreaccount1"
	f := newFixture(t)
	for _, target := range []string{account, account + "/"} {
		o := strings.Replace(insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`), "https://"+testHost+"/things", target, 1)
		r := f.do("POST", account+"/$batch", changeset(o), "Content-Type: multipart/mixed; boundary=batch_1").wantStatus(202)
		r.wantFailure(405, "MethodNotAllowed", "0:The requested method is not allowed on the specified resource.")
	}
}

// TestReasonOfATransaction: observers see why a transaction failed, although its response
// has the status 202.
func TestReasonOfATransaction(t *testing.T) {
	f := newFixture(t)
	f.do("POST", "/Tables", `{"TableName":"Things"}`).wantStatus(201)
	insert := insertPart("Things", `{"PartitionKey":"p","RowKey":"r"}`)
	for _, want := range []string{"", "0:entity already exists"} {
		f.batch(insert).wantStatus(202)
		if got := f.records[len(f.records)-1]; got.Reason != want {
			t.Errorf("the reason is %q, want %q", got.Reason, want)
		}
	}
}
