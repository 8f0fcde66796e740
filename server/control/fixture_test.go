package control_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/servertest"
)

const (
	testHost    = servertest.Host
	testAccount = servertest.Account
	testVersion = servertest.Version
)

var testKey = servertest.Key()

// fixture is a handler with an in-memory database, the open account
// devstoreaccount1 and the strict account strictaccount.
type fixture struct {
	*testing.T
	handler *control.Handler
	db      *engine.DB
	now     time.Time
}

// options are the options of a handler and of its service.
type options struct {
	service server.Options
	control.Options
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, func(*options) {})
}

// newFixtureWith returns a fixture whose handler has other options.
func newFixtureWith(t *testing.T, change func(*options)) *fixture {
	t.Helper()
	f := &fixture{T: t, now: time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC)}
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{Now: func() time.Time { return f.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f.db = db
	f.update(func(tx *engine.Tx) error {
		keys := [2][]byte{testKey}
		if err := tx.PutAccount(engine.Account{Name: testAccount, Keys: keys, Access: engine.OpenAccess}); err != nil {
			return err
		}
		return tx.PutAccount(engine.Account{Name: "strictaccount", Keys: keys, Access: engine.StrictAccess})
	})
	o := options{
		service: server.Options{Now: func() time.Time { return f.now }},
		Options: control.Options{
			Build: "test", Store: "memory", Durability: engine.Relaxed, RecordBodies: true,
			Accounts: []engine.Account{{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.OpenAccess}},
		},
	}
	change(&o)
	f.handler = control.New(db, o.service, o.Options)
	t.Cleanup(f.handler.Close)
	return f
}

// control sends a control API request like the handler's own page.
func (f *fixture) control(method, path, body string) *response {
	f.Helper()
	return f.do(method, "http://localhost:8080/_sandtable/"+path, body, "X-Sandtable: test")
}

func (f *fixture) update(change func(*engine.Tx) error) {
	f.Helper()
	if err := f.db.Update(change); err != nil {
		f.Fatal(err)
	}
}

// response is a response as sent over the wire.
type response struct {
	*testing.T
	status int
	header http.Header
	body   string
}

// do sends a request to the open account as SDKs do.
func (f *fixture) do(method, target, body string, headers ...string) *response {
	f.Helper()
	return f.send(servertest.NewRequest(method, target, body, headers...))
}

func (f *fixture) send(r *http.Request) *response {
	f.Helper()
	status, header, body := servertest.Send(f.T, f.handler, r)
	return &response{f.T, status, header, body}
}

func (r *response) wantStatus(status int) *response {
	r.Helper()
	if r.status != status {
		r.Fatalf("status %d, want %d; body %s", r.status, status, r.body)
	}
	return r
}

func (r *response) wantHeader(name, value string) *response {
	r.Helper()
	if got := strings.Join(r.header.Values(name), ", "); got != value {
		r.Errorf("%s: %q, want %q", name, got, value)
	}
	return r
}

func (r *response) wantBody(body string) *response {
	r.Helper()
	if r.body != body {
		r.Errorf("body\n got %s\nwant %s", r.body, body)
	}
	return r
}

func (f *fixture) createTable(name string) {
	f.Helper()
	f.do("POST", "/Tables", `{"TableName":"`+name+`"}`, "Prefer: return-no-content").wantStatus(204)
}

// insert inserts an entity and returns its ETag.
func (f *fixture) insert(table, body string) string {
	f.Helper()
	return f.do("POST", "/"+table, body, "Prefer: return-no-content").wantStatus(204).header.Get("ETag")
}

// properties returns an entity's properties of several types.
func properties(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue("Amara Okafor")}, {Name: "Age", Value: odata.Int32Value(int32(i % 90))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) * 1.25)}, {Name: "Active", Value: odata.BooleanValue(i%2 == 0)},
		{Name: "Visits", Value: odata.Int64Value(int64(i) * 1e9)},
		{Name: "Since", Value: odata.DateTimeValue(odata.DateTimeOf(time.Date(2024, 4, 13, 8, 33, 0, 0, time.UTC)))},
	}
}
