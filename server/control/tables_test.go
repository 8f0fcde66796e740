package control_test

import "testing"

func TestControlTables(t *testing.T) {
	f := newFixture(t)
	f.createTable("orders")
	f.createTable("things")
	for _, keys := range []string{`"PartitionKey":"b","RowKey":"1"`, `"PartitionKey":"a","RowKey":"1"`, `"PartitionKey":"b","RowKey":"2"`} {
		f.insert("things", "{"+keys+"}")
	}
	f.control("GET", "accounts/devstoreaccount1/tables", "").wantStatus(200).
		wantBody(`{"tables":[{"name":"orders","entities":0},{"name":"things","entities":3}]}`)
	f.control("GET", "accounts/devstoreaccount1/partitions?table=things", "").wantStatus(200).
		wantBody(`{"exact":true,"all":2,"partitions":[{"key":"a","entities":1},{"key":"b","entities":2}]}`)
	f.control("GET", "accounts/devstoreaccount1/partitions?table=orders", "").wantStatus(200).
		wantBody(`{"exact":true,"all":0,"partitions":[]}`)
	f.control("GET", "accounts/nobody1/tables", "").wantControlError(404, "ResourceNotFound", "")
	f.control("GET", "accounts/devstoreaccount1/partitions?table=none", "").wantStatus(404)
}
