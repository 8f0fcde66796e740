package server_test

import (
	"strings"
	"testing"
	"time"

	"sandtable/server"
)

const cosmosBase = "https://devstoreaccount1.table.cosmosdb.azure.com"

func TestCosmosHeaders(t *testing.T) {
	f := newFixture(t)
	for _, base := range []string{cosmosBase, "https://devstoreaccount1.table.cosmos.azure.com:443"} {
		f.do("POST", base+"/Tables", `{"TableName":"things"}`, "Prefer: return-no-content").wantStatus(204).wantHeader("DataServiceId", "")
		r := f.do("POST", base+"/things", `{"PartitionKey":"p","RowKey":"r"}`, "Prefer: return-no-content", "x-ms-client-request-id: abc").wantStatus(204)
		r.wantHeader("Location", base+"/things(PartitionKey='p',RowKey='r')").wantHeader("DataServiceId", "").wantHeader("x-ms-client-request-id", "abc")
		for _, name := range []string{"x-ms-version", "Server", "Cache-Control", "X-Content-Type-Options"} {
			r.wantHeader(name, "")
		}
		f.do("POST", base+"/things(PartitionKey='p',RowKey='r')", `{"a":1}`, "X-HTTP-Method: MERGE").wantStatus(204)
		f.do("DELETE", base+"/Tables('things')", "").wantStatus(204)
	}
}

func TestCosmosErrors(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.do("GET", cosmosBase+"/missing?comp=acl", "").wantStatus(404).wantHeader("x-ms-error-code", "TableNotFound")
	f.do("GET", "https://strictaccount.table.cosmos.azure.com/Tables", "", "x-ms-version: 2020-12-06").wantStatus(401).
		wantHeader("WWW-Authenticate", "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.do("GET", cosmosBase+"/things", "", "Accept:").wantStatus(415).wantParts("<code>MediaTypeNotSupported</code>")
	conflict := strings.ReplaceAll(insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`), "https://"+testHost, cosmosBase)
	f.do("POST", cosmosBase+"/$batch", changeset(conflict), "Content-Type: multipart/mixed; boundary=batch_1").
		wantFailure(409, "EntityAlreadyExists", "0:The specified entity already exists.")
}

func TestCosmosLimits(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	entity := func(rk string, size int) string {
		return `{"PartitionKey":"p","RowKey":"` + rk + `","a":"` + strings.Repeat("x", size) + `"}`
	}
	f.do("POST", "/things", entity("1", 40<<10)).wantError(400, "PropertyValueTooLarge", textValueLarge)
	f.do("POST", cosmosBase+"/things", entity("1", 40<<10)).wantStatus(201)
	f.do("POST", cosmosBase+"/things", entity("2", 900<<10)).wantStatus(201)
	f.do("POST", cosmosBase+"/things", entity("3", 1100<<10)).wantError(400, "EntityTooLarge", textEntityLarge)
	f.do("MERGE", "/things(PartitionKey='p',RowKey='2')", `{"b":1}`).wantError(400, "EntityTooLarge", textEntityLarge)
}

func TestTableBeingDeleted(t *testing.T) {
	f := newFixture(t)
	f.handler = server.New(f.db, server.Options{TableDeletion: 40 * time.Second, Now: func() time.Time { return f.now }})
	const text = "The specified table is being deleted. Try operation later."
	f.createTable("things")
	f.do("DELETE", "/Tables('Things')", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"THINGS"}`).wantError(409, "TableBeingDeleted", text)
	f.do("GET", "/things", "").wantError(409, "TableBeingDeleted", text)
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantError(409, "TableBeingDeleted", text)
	f.do("GET", "/Tables('things')", "").wantError(404, "ResourceNotFound", textNotFound)
	f.do("GET", "/others", "").wantError(404, "TableNotFound", "The table specified does not exist.")
	start := f.now
	f.now = start.Add(40 * time.Second)
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	f.now = start // the clock that the errors of this test show
}
