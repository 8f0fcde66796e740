package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestSeveralIfMatch: the second one is not ignored. The last case is how fetch joins
// the lines.
func TestSeveralIfMatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for _, tags := range [][]string{{"*", `W/"a"`}, {`W/"a"`, "*"}, {`*, W/"a"`}} {
		r := httptest.NewRequest("DELETE", "https://"+testHost+"/things(PartitionKey='p',RowKey='r')", nil)
		r.Header = http.Header{"If-Match": tags, "X-Ms-Version": {testVersion}, "Accept": {"application/json"}}
		f.send(r).wantStatus(400)
	}
}

func TestIfNoneMatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const path = "/things(PartitionKey='p',RowKey='r')"
	f.do("PUT", path, `{}`, "If-None-Match: *").wantError(400, "InvalidInput", "If-None-Match HTTP header cannot be specified for PUT operations")
	f.do("DELETE", path, "", "If-None-Match: *").wantError(400, "InvalidInput", "If-None-Match HTTP header cannot be specified for DELETE operations.")
	f.do("PUT", path, `{}`, "If-None-Match: *", "If-Match: *").wantError(400, "InvalidInput",
		"Both If-Match and If-None-Match HTTP headers cannot be specified at the same time. Please specify either one of the headers or none of them.")
	// Elsewhere they mean nothing.
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/things", 200}, {"GET", path, 404}, {"DELETE", "/Tables('nope')", 404}, {"DELETE", "/Tables('things')", 204}} {
		f.do(c.method, c.path, "", "If-None-Match: *", "If-Match: *").wantStatus(c.status)
	}
}
