package control_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/faults"
)

const testFaults = "accounts/devstoreaccount1/faults"

func (f *fixture) setFaults(body string) *response {
	f.Helper()
	return f.do("PUT", "http://localhost:8080/_sandtable/"+testFaults, body, "X-Sandtable: test")
}

func TestFaultsAreSetAndCounted(t *testing.T) {
	f := newFixture(t)
	f.createTable("Orders")
	f.control("GET", testFaults, "").wantStatus(200).wantBody(`{"on":false,"seed":0,"requests":0,"failed":0,"rules":[]}`)
	f.setFaults(`{"seed":20261120,"rules":[
		{"operation":"any write","table":"Orders","effect":"ServerBusy","every":2},
		{"effect":"latency","share":0.25,"median":0.01,"on":false},
		{"effect":"throttle","entitiesPerSecond":2000,"hits":5,"until":"2030-01-31T12:00:00Z"}]}`).wantStatus(200).wantBody(
		`{"on":true,"seed":20261120,"requests":0,"failed":0,"rules":[` +
			`{"on":true,"operation":"any write","table":"Orders","effect":"ServerBusy","every":2,"seen":0,"hit":0},` +
			`{"on":false,"operation":"any","effect":"latency","share":0.25,"median":0.01,"p99":0.01,"seen":0,"hit":0},` +
			`{"on":true,"operation":"any","effect":"throttle","entitiesPerSecond":2000,"per":"partition","hits":5,"until":"2030-01-31T12:00:00Z","seen":0,"hit":0}]}`)
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"1"}`)
	f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`).wantStatus(503)
	state := f.control("GET", testFaults, "").wantStatus(200).body
	if !strings.Contains(state, `"requests":2,"failed":1`) || !strings.Contains(state, `"every":2,"seen":2,"hit":1}`) {
		t.Errorf("counts in %s", state)
	}
	if last := f.control("GET", "requests?limit=1", "").wantStatus(200).body; !strings.Contains(last, `"fault":{"rule":1,"effect":"ServerBusy","delay":0.000}`) {
		t.Errorf("the request is not marked: %s", last)
	}
	if list := f.control("GET", "accounts", "").body; strings.Count(list, `"faults":true`) != 1 {
		t.Errorf("accounts %s", list)
	}

	// What was read can be sent back, and counting continues.
	if again := f.setFaults(`{"keepCounts":true,"seed":20261120,` + state[strings.Index(state, `"rules"`):]).wantStatus(200); again.body != state {
		t.Errorf("sent back: %s", again.body)
	}
	off := f.control("PATCH", testFaults, `{"on":false}`).wantStatus(200).body
	if again := f.setFaults(`{"on":false,"keepCounts":true,"seed":20261120,` + state[strings.Index(state, `"rules"`):]).wantStatus(200); again.body != off {
		t.Errorf("sent back while off: %s, want %s", again.body, off)
	}
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"3"}`)
	if list := f.control("GET", "accounts", "").body; strings.Contains(list, `"faults"`) {
		t.Errorf("accounts %s", list)
	}
	if reset := f.control("POST", testFaults+"/reset", "").wantStatus(200).body; strings.Contains(reset, `"seen":2`) || !strings.Contains(reset, `"requests":0,"failed":0`) {
		t.Errorf("after a reset: %s", reset)
	}
	f.control("DELETE", testFaults, "").wantStatus(204)
	f.control("GET", testFaults, "").wantBody(`{"on":false,"seed":0,"requests":0,"failed":0,"rules":[]}`)
}

func TestFaultsRefuseMalformedRules(t *testing.T) {
	f := newFixture(t)
	for _, body := range []string{
		`[]`, `{"rules":{}}`, `{"rules":[1]}`, `{"rules":[{}]}`, `{"rules":[{"effect":"Sometimes"}]}`, `{"seed":1.5}`, `{"seed":-1}`, `{"sead":1}`,
		`{"rules":[{"effect":"ServerBusy","every":2,"share":0.1}]}`, `{"rules":[{"effect":"ServerBusy","every":"2"}]}`,
		`{"rules":[{"effect":"ServerBusy","share":0}]}`, `{"rules":[{"effect":"ServerBusy","share":0.0}]}`, `{"rules":[{"effect":"ServerBusy","every":0}]}`,
		`{"rules":[{"effect":"ServerBusy","hits":0}]}`,
		`{"rules":[{"effect":"ServerBusy","operation":"Insert Entities"}]}`, `{"rules":[{"effect":"ServerBusy","per":"account"}]}`,
		`{"rules":[{"effect":"latency"}]}`, `{"rules":[{"effect":"latency","median":60000}]}`, `{"rules":[{"effect":"throttle"}]}`,
		`{"rules":[{"effect":"ServerBusy","until":"soon"}]}`, `{"rules":[],"rules":[]}`, `{"rules":[{"effect":"ServerBusy"}`,
		`{"rules":[` + strings.Repeat(`{"effect":"ServerBusy"},`, faults.MaxRules) + `{"effect":"ServerBusy"}]}`,
	} {
		f.setFaults(body).wantStatus(400)
	}
	f.setFaults(strings.Repeat(" ", 65<<10)).wantStatus(413)
	f.control("PATCH", testFaults, `{}`).wantStatus(400)
	f.control("PUT", "accounts/nobody/faults", `{}`).wantStatus(404)
	f.control("DELETE", "accounts/nobody/faults", "").wantStatus(404)
	f.do("PUT", "http://localhost:8080/_sandtable/"+testFaults, `{}`, "Content-Type: text/plain").wantStatus(403)
	f.do("PUT", "http://localhost:8080/_sandtable/"+testFaults, `{}`, "Sec-Fetch-Site: cross-site").wantStatus(403)
}

// TestFaultsCutTheConnection: the request is in the journal, without a status.
func TestFaultsCutTheConnection(t *testing.T) {
	f := newFixture(t)
	f.setFaults(`{"rules":[{"effect":"connectionCut"}]}`).wantStatus(200)
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("recovered %v", got)
			}
		}()
		f.do("GET", "/Tables", "")
	}()
	last := f.control("GET", "requests?limit=1", "").body
	if !strings.Contains(last, `"status":0,"code":""`) || !strings.Contains(last, `"fault":{"rule":1,"effect":"connectionCut"`) {
		t.Errorf("recorded %s", last)
	}
}

// TestFaultsAreNotPersisted: they end with their account, with a reset of everything,
// and with the handler.
func TestFaultsAreNotPersisted(t *testing.T) {
	f := newFixture(t)
	f.control("POST", "accounts", `{"name":"classroom"}`).wantStatus(201)
	rules := `{"rules":[{"effect":"ServerBusy"}]}`
	f.do("PUT", "http://localhost:8080/_sandtable/accounts/classroom/faults", rules).wantStatus(200)
	f.setFaults(rules).wantStatus(200)
	f.control("POST", "reset", `{"what":"account","account":"devstoreaccount1"}`).wantStatus(200)
	f.do("GET", "/Tables", "").wantStatus(503)
	f.control("DELETE", "accounts/classroom", "").wantStatus(204)
	f.control("POST", "accounts", `{"name":"classroom"}`).wantStatus(201)
	f.do("GET", "https://classroom.table.core.windows.net/Tables", "").wantStatus(200)

	other := control.New(f.db, server.Options{}, control.Options{})
	t.Cleanup(other.Close)
	kept := f.handler
	f.handler = other
	f.do("GET", "/Tables", "").wantStatus(200)
	f.handler = kept
	if dump := f.control("GET", "dump", "").body; strings.Contains(dump, "ServerBusy") {
		t.Errorf("the dump has faults: %s", dump)
	}
	f.control("POST", "reset", `{"what":"all"}`).wantStatus(200)
	f.do("GET", "/Tables", "").wantStatus(200)
}

func TestFaultsAreAnEvent(t *testing.T) {
	f := newFixture(t)
	events := make(chan control.Event, 10)
	t.Cleanup(f.handler.Subscribe(func(e control.Event) { events <- e }))
	f.setFaults(`{"rules":[]}`).wantStatus(200)
	f.control("DELETE", testFaults, "").wantStatus(204)
	for range 2 {
		if e := <-events; e.Kind != "change" || string(e.Data) != `{"kind":"faultsChanged","account":"devstoreaccount1"}` {
			t.Errorf("event %s %s", e.Kind, e.Data)
		}
	}
}

// TestFaultsMakeTheSecondaryStale: it shows the state of when the rule was switched on.
func TestFaultsMakeTheSecondaryStale(t *testing.T) {
	f := newFixture(t)
	const secondary = "https://devstoreaccount1-secondary.table.core.windows.net"
	f.createTable("Orders")
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"1"}`)
	f.setFaults(`{"rules":[{"operation":"any read","effect":"staleSecondary"}]}`).wantStatus(200)
	synced := f.now
	f.now = f.now.Add(time.Minute)
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	read := func(row string) int {
		return f.do("GET", secondary+"/Orders(PartitionKey='a',RowKey='"+row+"')", "").status
	}
	if read("1") != 200 || read("2") != 404 {
		t.Error("the secondary endpoint shows what was written later")
	}
	f.do("GET", "/Orders(PartitionKey='a',RowKey='2')", "").wantStatus(200)
	stats := f.do("GET", secondary+"/?restype=service&comp=stats", "").wantStatus(200).body
	if want := "<LastSyncTime>" + synced.Format(http.TimeFormat); !strings.Contains(stats, want) {
		t.Errorf("statistics %s, want %s", stats, want)
	}
	if last := f.control("GET", "requests?limit=1", "").body; !strings.Contains(last, `"fault":{"rule":1,"effect":"staleSecondary"`) {
		t.Errorf("the request is not marked: %s", last)
	}
	state := f.control("GET", testFaults, "").body
	if !strings.Contains(state, `"requests":5,"failed":0`) || !strings.Contains(state, `"seen":3,"hit":3`) {
		t.Errorf("counts %s", state)
	}
	f.control("POST", testFaults+"/reset", "").wantStatus(200)
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"3"}`)
	if read("2") != 200 || read("3") != 404 {
		t.Error("a reset does not bring the secondary up to date")
	}
	f.control("PATCH", testFaults, `{"on":false}`).wantStatus(200)
	if read("3") != 200 {
		t.Error("without the rule the secondary is stale")
	}
	f.control("PATCH", testFaults, `{"on":true}`).wantStatus(200)
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"4"}`)
	f.control("DELETE", testFaults, "").wantStatus(204)
	if read("4") != 200 {
		t.Error("after deleting the rules the secondary is stale")
	}
}

// TestEndedStaleRuleKeepsNoBlocks: once a rule has reached its limits, the blocks that were
// replaced since it was set are deleted.
func TestEndedStaleRuleKeepsNoBlocks(t *testing.T) {
	for _, limit := range []string{`"until":"2026-11-20T18:45:00Z"`, `"hits":1`} {
		t.Run(limit, func(t *testing.T) {
			f := newFixture(t)
			f.fill(testAccount, "things", 500)
			f.control("POST", "compact", "").wantStatus(200)
			f.setFaults(`{"rules":[{"effect":"staleSecondary",` + limit + `}]}`).wantStatus(200)
			f.do("GET", "https://devstoreaccount1-secondary.table.core.windows.net/things()?$top=1", "").wantStatus(200)
			f.do("DELETE", "/Tables('things')", "").wantStatus(204)
			verified := func() string {
				t.Helper()
				f.control("POST", "compact", "").wantStatus(200)
				return f.control("POST", "verify", "").wantStatus(200).body
			}
			if body := verified(); strings.Contains(body, `"unusedBlocks":0`) {
				t.Errorf("while the rule is on, verified %s", body)
			}
			f.now = f.now.Add(time.Hour)
			if body := verified(); !strings.Contains(body, `"unusedBlocks":0`) {
				t.Errorf("after its end, verified %s", body)
			}
		})
	}
}

// TestFaultsOfDeletedAccount: faults that are set while their account is deleted do not
// apply to a new account of the same name.
func TestFaultsOfDeletedAccount(t *testing.T) {
	f := newFixture(t)
	for i := range 2000 {
		name := fmt.Sprint("account", i)
		create := func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: name}) }
		f.update(create)
		var both sync.WaitGroup
		both.Go(func() {
			f.control("PUT", "accounts/"+name+"/faults", `{"rules":[{"effect":"staleSecondary"}]}`)
		})
		both.Go(func() { f.control("DELETE", "accounts/"+name, "") })
		both.Wait()
		f.update(create)
		if r := f.control("GET", "accounts/"+name+"/faults", "").wantStatus(200); strings.Contains(r.body, "staleSecondary") {
			t.Fatalf("round %d: %s", i, r.body)
		}
		f.update(func(tx *engine.Tx) error { return tx.DeleteAccount(name) })
	}
}
