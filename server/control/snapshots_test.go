package control_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const inAccount = "accounts/devstoreaccount1/"

// snapshot is a snapshot as the API describes it.
type snapshot struct {
	ID, Name, Kind, State string
	Tables, Entities      int
	Incomplete            bool
}

func (r *response) read(into any) {
	r.Helper()
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		r.Fatal(err, r.body)
	}
}

func (f *fixture) takeSnapshot(name string) (s snapshot) {
	f.Helper()
	f.control("POST", inAccount+"snapshots", `{"name":"`+name+`"}`).wantStatus(201).read(&s)
	return s
}

func (f *fixture) snapshots() (list struct {
	State     string
	Snapshots []snapshot
}) {
	f.Helper()
	f.control("GET", inAccount+"snapshots", "").wantStatus(200).read(&list)
	return list
}

func TestSnapshots(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.createTable("unchanged")
	f.insert("things", `{"PartitionKey":"p","RowKey":"1","A":1}`)
	f.insert("things", `{"PartitionKey":"p","RowKey":"2"}`)
	first := f.takeSnapshot("before the demo")
	if first.Tables != 2 || first.Entities != 2 || first.Kind != "taken" || first.State != f.snapshots().State {
		t.Errorf("taken: %+v, want the state of now", first)
	}
	events, _ := f.subscribed()
	f.do("PUT", "/things(PartitionKey='p',RowKey='1')", `{"A":2}`).wantStatus(204)
	f.do("DELETE", "/things(PartitionKey='p',RowKey='2')", "", "If-Match: *").wantStatus(204)
	f.insert("things", `{"PartitionKey":"p","RowKey":"3"}`)
	f.createTable("more")
	<-events
	f.control("GET", inAccount+"differences?limit=2&id="+first.ID, "").wantStatus(200).wantBody(
		`{"complete":true,"comeBack":1,"go":1,"change":1,"properties":false,"tables":[` +
			`{"name":"more","comeBack":0,"go":0,"change":0,"created":false,"deleted":true,"policies":false},` +
			`{"name":"things","comeBack":1,"go":1,"change":1,"created":false,"deleted":false,"policies":false}],"first":[` +
			`{"table":"things","before":{"PartitionKey":"p","RowKey":"1","A":2},"after":{"PartitionKey":"p","RowKey":"1","A":1}},` +
			`{"table":"things","after":{"PartitionKey":"p","RowKey":"2"}}]}`)
	var answer struct{ Restored, Before *snapshot }
	f.control("POST", inAccount+"restore", `{"id":"`+first.ID+`"}`).wantStatus(200).read(&answer)
	if answer.Restored.ID != first.ID || answer.Before == nil || answer.Before.Kind != "restore" || answer.Before.Name != "before restoring before the demo" {
		t.Errorf("restored: %+v before %+v", answer.Restored, answer.Before)
	}
	f.do("GET", "/things(PartitionKey='p',RowKey='1')?$select=A", "").wantStatus(200)
	f.do("GET", "/more()", "").wantStatus(404)
	// The state of now is the first snapshot's, so going back keeps no other one.
	f.control("POST", inAccount+"restore", `{"id":"`+answer.Before.ID+`"}`).wantStatus(200).read(&answer)
	if n := len(f.snapshots().Snapshots); answer.Before.ID != first.ID || n != 2 {
		t.Errorf("going back kept %+v, of %d snapshots", answer.Before, n)
	}
	f.do("GET", "/more()", "").wantStatus(200)
	f.control("POST", inAccount+"restore", `{"id":"`+first.ID+`","keep":false}`).wantStatus(200).read(&answer)
	f.control("PATCH", inAccount+"snapshots?id="+first.ID, `{"name":"renamed"}`).wantStatus(200)
	if list := f.snapshots().Snapshots; list[0].Name != "renamed" || list[0].ID != first.ID {
		t.Errorf("after renaming: %+v", list)
	}
	f.control("POST", "reset", `{"what":"account","account":"devstoreaccount1"}`).wantStatus(200)
	f.control("POST", inAccount+"restore", `{"id":"`+first.ID+`","keep":false}`).wantStatus(200)
	f.do("GET", "/things(PartitionKey='p',RowKey='2')", "").wantStatus(200)
	f.control("DELETE", inAccount+"snapshots?id="+first.ID, "").wantStatus(204)
	f.control("DELETE", inAccount+"snapshots?id="+first.ID, "").wantControlError(404, "SnapshotNotFound", "")
}

func TestSnapshotEvents(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	events, _ := f.subscribed()
	s := f.takeSnapshot("one")
	f.control("POST", inAccount+"restore", `{"id":"`+s.ID+`","keep":false}`).wantStatus(200)
	f.wantEvents(events, "change: snapshotsChanged devstoreaccount1", "change: tableRestored devstoreaccount1/things")
}

func TestSnapshotErrors(t *testing.T) {
	f := newFixture(t)
	s := f.takeSnapshot("one")
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "accounts/nobody1/snapshots", "", 404, "ResourceNotFound"},
		{"POST", "accounts/nobody1/snapshots", `{"name":"n"}`, 404, "ResourceNotFound"},
		{"POST", inAccount + "snapshots", `{}`, 400, "SnapshotNameInvalid"},
		{"POST", inAccount + "snapshots", `{"name":"` + strings.Repeat("x", 101) + `"}`, 400, "SnapshotNameInvalid"},
		{"POST", inAccount + "snapshots", `{"name":"n","kind":"restore"}`, 400, "InvalidInput"},
		{"POST", inAccount + "restore", `{}`, 404, "SnapshotNotFound"},
		{"POST", inAccount + "restore", `{"id":"../devstoreaccount1"}`, 404, "SnapshotNotFound"},
		{"GET", inAccount + "differences", "", 404, "SnapshotNotFound"},
		{"PATCH", inAccount + "snapshots?id=" + s.ID, `{"name":""}`, 400, "SnapshotNameInvalid"},
		{"GET", "dump?snapshot=" + s.ID, "", 400, "InvalidInput"},
		{"GET", "dump?account=devstoreaccount1&snapshot=none", "", 404, "SnapshotNotFound"},
		{"GET", "dump?account=strictaccount&snapshot=" + s.ID, "", 404, "SnapshotNotFound"},
		{"POST", "load?account=devstoreaccount1&snapshot=" + s.ID, f.control("GET", "dump?account=devstoreaccount1", "").body, 409, "SnapshotComplete"},
	} {
		f.control(c.method, c.path, c.body).wantControlError(c.status, c.code, "")
	}
	for i := range 31 {
		f.takeSnapshot(fmt.Sprint("number ", i))
	}
	f.control("POST", inAccount+"snapshots", `{"name":"one more"}`).wantControlError(409, "TooManySnapshots", "")
	f.createTable("things")
	f.control("POST", inAccount+"restore", `{"id":"`+s.ID+`"}`).wantControlError(409, "TooManySnapshots", "")
}

// TestSnapshotsMakeSpace: what was taken before imports, deletions and restores makes way, the
// oldest first, and never for the one that is being restored.
func TestSnapshotsMakeSpace(t *testing.T) {
	f := newFixture(t)
	f.control("POST", inAccount+"snapshots", `{"name":"import 0","kind":"import"}`).wantStatus(201)
	for i := range 31 {
		f.takeSnapshot(fmt.Sprint("number ", i))
	}
	// A snapshot by hand replaces none, with or without its kind.
	f.control("POST", inAccount+"snapshots", `{"name":"one more","kind":"taken"}`).wantControlError(409, "TooManySnapshots", "")
	f.createTable("things")
	f.control("POST", inAccount+"snapshots", `{"name":"import 1","kind":"import"}`).wantStatus(201)
	list := f.snapshots().Snapshots
	if len(list) != 32 || list[0].Name != "number 0" || list[31].Name != "import 1" {
		t.Errorf("after another import: %+v", list)
	}
	f.control("POST", inAccount+"snapshots", `{"name":"before deleting things","kind":"delete"}`).wantStatus(201)
	if list = f.snapshots().Snapshots; len(list) != 32 || list[31].Kind != "delete" {
		t.Errorf("before a deletion: %+v", list)
	}
	f.createTable("more")
	f.control("POST", inAccount+"restore", `{"id":"`+list[31].ID+`"}`).wantControlError(409, "TooManySnapshots", "")
	f.control("POST", inAccount+"restore", `{"id":"`+list[0].ID+`"}`).wantStatus(200)
	if list = f.snapshots().Snapshots; len(list) != 32 || list[31].Kind != "restore" {
		t.Errorf("after a restore: %+v", list)
	}
}

// TestSnapshotFile: a snapshot goes through a file into another account, a chunk at
// a time, and cannot be restored before its end is there.
func TestSnapshotFile(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"1","A":1}`)
	s := f.takeSnapshot("one")
	f.do("DELETE", "/Tables('things')", "").wantStatus(204)
	file := f.control("GET", "dump?account=devstoreaccount1&snapshot="+s.ID, "").wantStatus(200).body
	const into = "accounts/strictaccount/"
	var opened snapshot
	f.control("POST", into+"snapshots", `{"name":"from a file","kind":"file"}`).wantStatus(201).read(&opened)
	load := "load?account=strictaccount&snapshot=" + opened.ID + "&chunk="
	half := strings.LastIndex(file[:len(file)-1], "\n") + 1
	var part struct{ Next string }
	f.control("POST", load, file[:half]).wantStatus(200).read(&part)
	f.control("POST", into+"restore", `{"id":"`+opened.ID+`","keep":false}`).wantControlError(409, "SnapshotIncomplete", "")
	for range 2 { // the first answer may be lost
		f.control("POST", load+url.QueryEscape(part.Next)+"&last=true", file[half:]).wantStatus(200)
	}
	f.control("POST", into+"restore", `{"id":"`+opened.ID+`","keep":false}`).wantStatus(200)
	again := f.control("GET", "dump?account=strictaccount", "").wantStatus(200).body
	if want := `"RowKey":"1","A":1`; !strings.Contains(again, want) || !strings.Contains(again, `"name":"things"`) {
		t.Errorf("the other account has %s, want the entity of the first", again)
	}
	if all := f.control("GET", "dump", "").wantStatus(200).body; strings.Contains(all, "/") {
		t.Errorf("the whole dump has a snapshot: %s", all)
	}
}
