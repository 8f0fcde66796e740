package server_test

import (
	"fmt"
	"testing"
	"time"

	"sandtable/server"
)

func TestTableBeingDeleted(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{TableDeletion: 40 * time.Second, Now: func() time.Time { return f.now }})
	const text = "The specified table is being deleted. Try operation later."
	f.createTable("things")
	f.do("DELETE", "/Tables('Things')", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"THINGS"}`).wantError(409, "TableBeingDeleted", text)
	f.do("GET", "/things", "").wantError(409, "TableBeingDeleted", text)
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantError(409, "TableBeingDeleted", text)
	f.batch(part("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`)).wantFailure(409, "TableBeingDeleted", "0:"+text)
	f.do("GET", "/Tables('things')", "").wantError(404, "ResourceNotFound", textNotFound)
	f.do("GET", "/others", "").wantError(404, "TableNotFound", "The table specified does not exist.")
	start := f.now
	f.now = start.Add(40 * time.Second)
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	f.now = start // this test's errors show this time
}

// TestTableIsThereAgain: an archive that is loaded creates tables whose names are blocked.
// Such a table exists, whatever is remembered of the one before.
func TestTableIsThereAgain(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{TableDeletion: 40 * time.Second, Now: func() time.Time { return f.now }})
	f.createTable("things")
	f.do("DELETE", "/Tables('things')", "").wantStatus(204)
	err := f.store.Update(f.Context(), &server.Scope{Account: testAccount}, func(tx server.Tx) error { return tx.CreateTable("things") })
	if err != nil {
		t.Fatal(err)
	}
	f.do("GET", "/things", "").wantStatus(200)
	f.do("POST", "/Tables", `{"TableName":"Things"}`).wantError(409, "TableAlreadyExists", "The table specified already exists.")
}

// TestDeletionsAreForgotten: names of deleted tables take no memory once they are free
// again, although nobody uses them again.
func TestDeletionsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{TableDeletion: 40 * time.Second, Now: func() time.Time { return f.now }})
	for i := range 100 {
		name := fmt.Sprintf("table%d", i)
		f.createTable(name)
		f.do("DELETE", "/Tables('"+name+"')", "").wantStatus(204)
		f.now = f.now.Add(10 * time.Second)
	}
	if n := f.handler.BlockedNames(); n > 4 {
		t.Errorf("%d names are remembered, want at most 4", n)
	}
}

// TestBlockedNamesAreBounded: whoever creates and deletes tables fills no memory.
func TestBlockedNamesAreBounded(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{TableDeletion: time.Hour, Now: func() time.Time { return f.now }})
	f.handler.BlockNames("devstoreaccount1", server.MaxBlocked)
	f.createTable("things")
	f.do("DELETE", "/Tables('things')", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	if n := f.handler.BlockedNames(); n != server.MaxBlocked {
		t.Errorf("%d names are remembered, want %d", n, server.MaxBlocked)
	}
}
