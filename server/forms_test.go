package server_test

import "testing"

// TestFormsOfOtherSitesChangeNothing: a form can POST to any URL, but only with one
// of three content types, none of which the service accepts. So /table/ on a page's
// own origin needs no other protection.
func TestFormsOfOtherSitesChangeNothing(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const own = "https://page.example/table/devstoreaccount1"
	changeset := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n" +
		"POST " + own + "/things HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + `{"PartitionKey":"p","RowKey":"r"}` + "\r\n--c--\r\n--b--\r\n"
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"} {
		for path, body := range map[string]string{
			"/things": `{"PartitionKey":"p","RowKey":"r"}`, "/Tables": `{"TableName":"other"}`, "/$batch": changeset,
			"/things?comp=acl": "<SignedIdentifiers/>", "/?restype=service&comp=properties": "<StorageServiceProperties/>",
		} {
			r := f.do("POST", own+path, body, "Content-Type: "+contentType, "Origin: https://evil.example", "x-ms-version:", "Accept: text/html")
			if r.status < 400 {
				t.Errorf("%s as %q: status %d", path, contentType, r.status)
			}
		}
	}
	if got := f.do("GET", "/things()", "").rowKeys(); got != "" {
		t.Errorf("inserted %q", got)
	}
	f.do("GET", "/Tables('other')", "").wantStatus(404)
}
