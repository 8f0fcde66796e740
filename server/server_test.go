package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/servertest"
)

const (
	testHost    = servertest.Host
	testAccount = servertest.Account
	testVersion = servertest.Version
)

var testKey = servertest.Key()

// fixture is a handler over a store, with an open account devstoreaccount1 and a
// strict one, strictaccount.
type fixture struct {
	*testing.T
	handler *server.Handler
	store   server.Store
	records []*server.Record
	now     time.Time

	intoBlocks func() // moves all entities of an engine into blocks
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, func(*server.Options) {})
}

// newFixtureWith returns a fixture whose handler has other options.
func newFixtureWith(t *testing.T, change func(*server.Options)) *fixture {
	t.Helper()
	f := &fixture{T: t, now: time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC)}
	f.store = f.open()
	keys := [2][]byte{testKey}
	f.putAccount(engine.Account{Name: testAccount, Keys: keys, Access: engine.OpenAccess})
	f.putAccount(engine.Account{Name: "strictaccount", Keys: keys, Access: engine.StrictAccess})
	options := server.Options{SameOrigin: "/table", Now: func() time.Time { return f.now }, Observers: []server.Observer{f}}
	change(&options)
	f.handler = f.newHandler(options)
	return f
}

// Finished keeps the record of a request.
func (f *fixture) Finished(r *server.Record) { f.records = append(f.records, r) }

// newHandler returns another handler over the fixture's store.
func (f *fixture) newHandler(options server.Options) *server.Handler {
	return server.NewOver(f.store, options)
}

func (f *fixture) putAccount(account engine.Account) {
	f.Helper()
	err := f.store.Update(f.Context(), &server.Scope{Account: account.Name}, func(tx server.Tx) error { return tx.PutAccount(account) })
	if err != nil {
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

// wantError checks status, code and text of a service error in JSON.
func (r *response) wantError(status int, code, message string) *response {
	r.Helper()
	r.wantStatus(status)
	gotCode, gotMessage := r.serviceError()
	if gotCode != code || gotMessage != message {
		r.Errorf("error %s «%s», want %s «%s»", gotCode, gotMessage, code, message)
	}
	return r
}

// serviceError returns the code and the text of the error, without the lines
// about the request.
func (r *response) serviceError() (code, message string) {
	r.Helper()
	var document struct {
		Error struct {
			Code    string
			Message struct{ Lang, Value string }
		} `json:"odata.error"`
	}
	if err := json.Unmarshal([]byte(r.body), &document); err != nil {
		r.Fatalf("no error in JSON: %v in %s", err, r.body)
	}
	message, tail, _ := strings.Cut(document.Error.Message.Value, "\nRequestId:")
	if want := r.header.Get("x-ms-request-id") + "\nTime:2026-11-20T18:44:02.0000000Z"; tail != want {
		r.Errorf("the text ends in %q, want %q", tail, want)
	}
	return document.Error.Code, message
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

// members decodes a JSON object, to compare it regardless of times.
func (r *response) members() map[string]any {
	r.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(r.body), &m); err != nil {
		r.Fatalf("%v in %s", err, r.body)
	}
	return m
}

// rowKeys returns the row keys of a collection of entities, in their order.
func (r *response) rowKeys() string {
	r.Helper()
	r.wantStatus(200)
	var keys []string
	for _, e := range r.members()["value"].([]any) {
		keys = append(keys, e.(map[string]any)["RowKey"].(string))
	}
	return strings.Join(keys, " ")
}
