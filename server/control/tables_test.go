package control_test

import "testing"

func TestControlTables(t *testing.T) {
	f := newFixture(t)
	f.createTable("orders")
	f.createTable("things")
	for _, keys := range []string{`"PartitionKey":"b","RowKey":"1"`, `"PartitionKey":"a","RowKey":"1"`, `"PartitionKey":"b","RowKey":"2"`} {
		f.insert("things", "{"+keys+"}")
	}
	const path = "accounts/devstoreaccount1/"
	a := `{"key":"a","entities":1,"bytes":17,"firstRowKey":"1","lastRowKey":"1"}`
	b := `{"key":"b","entities":2,"bytes":34,"firstRowKey":"1","lastRowKey":"2"}`
	f.control("GET", path+"tables", "").wantStatus(200).
		wantBody(`{"tables":[{"name":"orders","entities":0,"created":"2026-11-20T18:44:02.0000002Z","bytes":0},` +
			`{"name":"things","entities":3,"created":"2026-11-20T18:44:02.0000003Z","bytes":51}]}`)
	f.control("GET", path+"partitions?table=things", "").wantStatus(200).
		wantBody(`{"exact":true,"all":2,"entities":3,"bytes":51,"partitions":[` + a + `,` + b + `]}`)
	f.control("GET", path+"partitions?table=things&limit=1", "").wantStatus(200).
		wantBody(`{"exact":true,"all":2,"entities":3,"bytes":51,"partitions":[` + a + `],"next":"b"}`)
	f.control("GET", path+"partitions?table=things&from=b", "").wantStatus(200).
		wantBody(`{"exact":true,"all":1,"entities":3,"bytes":51,"partitions":[` + b + `]}`)
	f.control("GET", path+"partitions?table=orders", "").wantStatus(200).
		wantBody(`{"exact":true,"all":0,"entities":0,"bytes":0,"partitions":[]}`)
	f.control("GET", path+"partitions?table=things&limit=0", "").wantControlError(400, "InvalidInput", "")
	f.control("GET", path+"partitions?table=things&limit=2001", "").wantControlError(400, "InvalidInput", "")
	f.control("GET", "accounts/nobody1/tables", "").wantControlError(404, "ResourceNotFound", "")
	f.control("GET", path+"partitions?table=none", "").wantStatus(404)
}
