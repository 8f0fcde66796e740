package server_test

import "testing"

// A page names the operations that a sandbox may use; those of its batches count.
func TestRequestsAreLimitedToOperations(t *testing.T) {
	f := newFixture(t)
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	const only = "X-Sandtable-Operations: Query Entities,Insert Entity,Entity Group Transaction"
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"1"}`, only).wantStatus(201)
	f.do("GET", "/things()", "", only).wantStatus(200)
	for _, c := range []struct{ name, method, target, header string }{
		{"another operation", "GET", "/Tables", "Accept: application/json"},
		{"a table instead of an entity", "DELETE", "/Tables('things')", "Accept: application/json"},
		{"a method in a header", "POST", "/things(PartitionKey='p',RowKey='1')", "X-HTTP-Method: DELETE"},
		{"a preflight", "OPTIONS", "/things", "Origin: https://shop.example"},
		{"an encoded path", "GET", "/%54ables", "Accept: application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.do(c.method, c.target, "", only, c.header, "If-Match: *").wantRefusal(403, "AuthorizationPermissionMismatch")
		})
	}
	batch := func(part string) *response {
		return f.do("POST", "/$batch", changeset(part), "Content-Type: multipart/mixed; boundary=batch_1", only)
	}
	if got := batch(insertPart("things", `{"PartitionKey":"p","RowKey":"2"}`)).statuses(); got != "204" {
		t.Errorf("an insert in a batch: %s, want 204", got)
	}
	deletion := part("DELETE", "/things(PartitionKey='p',RowKey='1')", "", "if-match: *", "x-sandtable-operations: Delete Entity")
	if got := batch(deletion).statuses(); got != "403" {
		t.Errorf("a deletion in a batch: %s, want 403", got)
	}
}
