package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandtable/server/auth"
)

// These tests cover surprising responses of the service, each from a recording or a
// report.

const (
	fullJSON   = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"
	textBearer = "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."
)

// TestNotAuthorized: the table service itself detects that a SAS does not grant an
// operation, as an execution error.
func TestNotAuthorized(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	sas := auth.AccountSAS(testAccount, testKey, f.now.Add(time.Hour))
	f.do("GET", "/things?comp=acl&"+sas, "").wantStatus(403).
		wantHeader("Content-Type", "application/xml").wantHeader("x-ms-error-code", "AuthorizationFailure")
	q := entitySAS("things", "r", f.now.Add(time.Hour))
	for _, c := range []struct{ name, method, target, body, code, text string }{
		{"permission", "PUT", "/things(PartitionKey='p',RowKey='r')", "{}", "AuthorizationPermissionMismatch", " using this permission."},
		{"resource", "GET", "/Tables", "", "AuthorizationFailure", "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.do(c.method, c.target+"?"+q, c.body).
				wantError(403, c.code, "This request is not authorized to perform this operation"+c.text).
				wantHeader("Cache-Control", "no-cache").wantHeader("X-Content-Type-Options", "nosniff").
				wantHeader("Content-Type", fullJSON).wantHeader("x-ms-error-code", "").
				wantHeader("Server", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0")
		})
	}
}

// TestNotAuthorizedByVersion: older versions do not name what a SAS lacks.
func TestNotAuthorizedByVersion(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	sas := entitySAS("things", "r", f.now.Add(time.Hour))
	const text = "This request is not authorized to perform this operation"
	for version, want := range map[string][2]string{
		"2017-04-17": {"AuthorizationFailure", text + "."},
		"2017-11-09": {"AuthorizationPermissionMismatch", text + " using this permission."},
	} {
		f.do("POST", "/things?"+sas, `{"PartitionKey":"p","RowKey":"r"}`, "x-ms-version: "+version).wantError(403, want[0], want[1])
	}
}

// TestNotAuthentic: failed authentication is detected before the table service, as
// headers and XML namespace prefixes show.
func TestNotAuthentic(t *testing.T) {
	wrong := "Authorization: SharedKey strictaccount:AAAA"
	t.Run("JSON", func(t *testing.T) {
		r := newFixture(t).do("GET", strictBase+"/Tables", "", wrong, "x-ms-client-request-id: abc").wantError(403, "AuthenticationFailed", textAuthFailed).
			wantHeader("Content-Type", "application/json").wantHeader("x-ms-error-code", "AuthenticationFailed").wantHeader("Server", "Microsoft-HTTPAPI/2.0")
		for _, name := range []string{"Cache-Control", "X-Content-Type-Options", "x-ms-version", "x-ms-client-request-id"} {
			r.wantHeader(name, "")
		}
	})
	t.Run("XML", func(t *testing.T) {
		r := newFixture(t).do("GET", strictBase+"/Tables", "", wrong, "Accept:", "x-ms-version: 2015-04-05").wantStatus(403).
			wantHeader("Content-Type", "application/xml").wantHeader("x-ms-error-code", "").wantHeader("x-ms-version", "")
		if !strings.Contains(r.body, "<m:error xmlns:m=") || !strings.Contains(r.body, "<m:code>AuthenticationFailed</m:code>") {
			t.Errorf("body %s", r.body)
		}
	})
	t.Run("no credentials", func(t *testing.T) {
		newFixture(t).do("POST", strictBase+"/Tables", `{"TableName":"things"}`, "x-ms-version: 2020-12-06").
			wantError(401, "NoAuthenticationInformation", textBearer).wantHeader("Content-Type", "application/json").
			wantHeader("x-ms-error-code", "NoAuthenticationInformation").wantHeader("Cache-Control", "").wantHeader("X-Content-Type-Options", "").
			wantHeader("x-ms-version", "2020-12-06").wantHeader("Server", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0")
	})
	t.Run("a bearer token", func(t *testing.T) {
		const token, target = "Authorization: Bearer e30.e30.x", strictBase + "/?restype=service&comp=properties"
		newFixture(t).do("GET", target, "", token, "x-ms-version: 2019-07-07").wantDocumentError(403, "AuthenticationFailed", textAuthFailed).
			wantHeader("x-ms-version", "").wantHeader("Server", "Microsoft-HTTPAPI/2.0").wantHeader("WWW-Authenticate", "")
		newFixture(t).do("GET", target, "", token, "x-ms-version: 2020-12-06").wantDocumentError(401, "InvalidAuthenticationInfo", textBearer).
			wantHeader("x-ms-version", "").wantHeader("Server", "Microsoft-HTTPAPI/2.0").wantHeader("x-ms-error-code", "InvalidAuthenticationInfo")
	})
	t.Run("no credentials, about a document", func(t *testing.T) {
		newFixture(t).do("GET", strictBase+"/?restype=service&comp=properties", "", "x-ms-version: 2020-12-06").wantStatus(401).
			wantHeader("Content-Type", "application/xml").wantHeader("x-ms-error-code", "InvalidAuthenticationInfo")
	})
	t.Run("no credentials and no version", func(t *testing.T) {
		r := newFixture(t).do("GET", strictBase+"/Tables", "", "x-ms-version:").wantStatus(404).
			wantHeader("WWW-Authenticate", "").wantHeader("x-ms-error-code", "").wantHeader("x-ms-version", "")
		if !strings.Contains(r.body, "<code>ResourceNotFound</code>") {
			t.Errorf("body %s", r.body)
		}
	})
}

// TestVersionOfSAS: the version of a SAS before 2014-02-14 overrides the request's.
func TestVersionOfSAS(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	old := signedTableSAS("things", "r", "2012-02-12", f.now.Add(time.Hour))
	if r := f.do("GET", "/things?"+old, "").wantStatus(415); !strings.Contains(r.body, "<code>JsonFormatNotSupported</code>") {
		t.Errorf("body %s", r.body)
	}
	f.do("GET", "/things?"+old, "", "Accept: application/atom+xml").wantStatus(200).
		wantHeader("Content-Type", "application/atom+xml;charset=utf-8")
	newer := signedTableSAS("things", "r", "2014-02-14", f.now.Add(time.Hour))
	f.do("GET", "/things?"+newer, "").wantStatus(200).wantHeader("Content-Type", fullJSON)
}

// TestKeysInLocation: the service does not escape what RFC 2396 calls unreserved.
func TestKeysInLocation(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	r := f.do("POST", "/things", `{"PartitionKey":"a!b*c(d)'","RowKey":"-_.~ $&+,;=:@%"}`).wantStatus(201)
	path := "/things(PartitionKey='a!b*c(d)''',RowKey='-_.~%20%24%26%2B%2C%3B%3D%3A%40%25')"
	r.wantHeader("Location", "https://"+testHost+path)
	f.do("GET", path, "").wantStatus(200)
}

// TestBatchReachesEntitiesOnly: a batch cannot read or set access policies.
func TestBatchReachesEntitiesOnly(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.batch(part("PUT", "/things?comp=acl", "<SignedIdentifiers />")).wantFailure(400, "InvalidInput", "0:One of the request inputs is not valid.")
	f.batchQuery("/things?comp=acl").wantFailure(400, "InvalidInput", "0:One of the request inputs is not valid.")
}

// TestBatchTargetWithAddress: a URL within a filter is not the target.
func TestBatchTargetWithAddress(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r","u":"http://example.org/x"}`)
	parts := f.batchQuery("/things()?$filter=u%20eq%20'http://example.org/x'").parts()
	if len(parts) != 1 || parts[0].Status != 200 || !strings.Contains(string(parts[0].Body), `"RowKey":"r"`) {
		t.Errorf("got %+v", parts)
	}
}

// TestTableBelowTable: a client may use a table's URL as the account's. The service
// looks that table up before it misses the keys of an entity, as a live suite shows.
func TestTableBelowTable(t *testing.T) {
	f := newFixture(t)
	f.do("POST", "/things/Tables", `{"TableName":"things"}`).wantError(404, "TableNotFound", "The table specified does not exist.")
	f.createTable("things")
	f.do("POST", "/things/Tables?$format=application/json;odata=minimalmetadata", `{"TableName":"things"}`).
		wantError(400, "PropertiesNeedValue", "The values are not specified for all properties in the entity.").wantHeader("Cache-Control", "no-cache")
	f.do("GET", "/things/Tables", "").
		wantError(501, "NotImplemented", "The requested operation is not implemented on the specified resource.").wantHeader("Cache-Control", "no-cache")
	f.do("GET", "/things/others(PartitionKey='p',RowKey='r')", "").
		wantError(501, "NotImplemented", "The requested operation is not implemented on the specified resource.").wantHeader("Cache-Control", "no-cache")
	f.do("POST", "/things/$batch", "--batch_1--", "Content-Type: multipart/mixed; boundary=batch_1").
		wantError(415, "MediaTypeNotSupported", "None of the provided media types are supported")
	f.do("DELETE", "/things/Tables('things')", "", "Accept: application/json").
		wantError(400, "InvalidInput", "The number of keys specified in the URI does not match number of key properties for the resource 'devstoreaccount1.things'.").
		wantHeader("Cache-Control", "")
	if got := f.do("GET", "/things", "").rowKeys(); got != "" {
		t.Errorf("remaining: %q", got)
	}
}

func TestSelectNames(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	names := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint("p", i))
		}
		return strings.Join(list, ",")
	}
	f.do("GET", "/things?$select="+names(255), "").wantStatus(200)
	f.do("GET", "/things?$select="+names(256), "").wantError(400, "InvalidInput", "One of the request inputs is not valid.")
}

// batchQuery sends a batch with one query for a path.
func (f *fixture) batchQuery(target string) *response {
	f.Helper()
	o := strings.Replace(part("GET", target, ""), "https://"+testHost, "", 1)
	return f.do("POST", "/$batch", "--batch_1\r\n"+o+"\r\n--batch_1--\r\n", "Content-Type: multipart/mixed; boundary=batch_1")
}

// entitySAS returns a SAS for a table of the open account.
func entitySAS(table, permissions string, expiry time.Time) string {
	return signedTableSAS(table, permissions, "2019-02-02", expiry)
}

// signedTableSAS signs as a version requires: since 2015 the resource starts with the
// service's name, and there are two more fields.
func signedTableSAS(table, permissions, version string, expiry time.Time) string {
	q := url.Values{}
	q.Set("sv", version)
	q.Set("tn", table)
	q.Set("sp", permissions)
	q.Set("se", expiry.UTC().Format(time.RFC3339))
	lines := []string{permissions, "", q.Get("se"), "/" + testAccount + "/" + table, "", version, "", "", "", ""}
	if version >= "2015-04-05" {
		lines = []string{permissions, "", q.Get("se"), "/table/" + testAccount + "/" + table, "", "", "", version, "", "", "", ""}
	}
	q.Set("sig", auth.Sign(testKey, strings.Join(lines, "\n")))
	return q.Encode()
}

// TestLengthMissing: the HTTP layer wants a length of POST and PUT before anything else.
func TestLengthMissing(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const noLength = "Content-Length:"
	for _, c := range []struct{ name, method, target string }{
		{"POST", "POST", "/Tables"},
		{"PUT", "PUT", "/things(PartitionKey='p',RowKey='r')"},
		{"before credentials", "POST", strictBase + "/Tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			f.do(c.method, c.target, "", noLength).wantError(411, "MissingContentLengthHeader", "The Content-Length header was not specified.").
				wantHeader("Server", "Microsoft-HTTPAPI/2.0").wantHeader("x-ms-version", "")
		})
	}
	f.do("PUT", "/things?comp=acl", "", noLength).wantStatus(411)
	f.do("MERGE", "/things(PartitionKey='p',RowKey='r')", "", noLength).wantStatus(415)
	f.do("DELETE", "/Tables('things')", "", noLength).wantStatus(204)
}

// TestTwoSlashes: the HTTP layer refuses an address with two slashes before its first name,
// which a client made of an endpoint with a slash. In a batch the table service does.
func TestTwoSlashes(t *testing.T) {
	const text = "The requested URI does not represent any resource on the server."
	f := newFixture(t)
	for _, c := range []struct{ accept, contentType string }{
		{"application/json;odata=fullmetadata", "application/json"},
		{"*/*", "application/xml"},
	} {
		t.Run(c.accept, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			f.do("GET", "//things()", "", "x-ms-version: 2019-07-07", "Accept: "+c.accept).wantStatus(400).wantParts("InvalidUri", text).
				wantHeader("Content-Type", c.contentType).wantHeader("x-ms-error-code", "InvalidUri").wantHeader("x-ms-version", "").
				wantHeader("Server", "Microsoft-HTTPAPI/2.0").wantHeader("Cache-Control", "").wantHeader("X-Content-Type-Options", "")
		})
	}
	f.batch(strings.Replace(insertPart("things", "{}"), "/things", "//things", 1)).wantFailure(400, "InvalidUri", "0:"+text)
}
