package server_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/nethttp"
)

const (
	testHost    = "devstoreaccount1.table.core.windows.net"
	testAccount = "devstoreaccount1"
	testVersion = "2019-02-02"
)

var testKey, _ = base64.StdEncoding.DecodeString("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==")

// fixture is a handler over a store, with an open account devstoreaccount1 and a
// strict one, strictaccount.
type fixture struct {
	*testing.T
	handler *server.Handler
	store   server.Store
	records []*server.Record
	now     time.Time
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

// response is an answer as it went over the wire.
type response struct {
	*testing.T
	status int
	header http.Header
	body   string
}

// do sends a request to the open account as SDKs do. A header is "Name: value"; one
// without a value removes a header that is sent by default.
func (f *fixture) do(method, target, body string, headers ...string) *response {
	f.Helper()
	if strings.HasPrefix(target, "/") {
		target = "https://" + testHost + target
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Accept", "application/json;odata=minimalmetadata")
	r.Header.Set("x-ms-version", testVersion)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if value = strings.TrimSpace(value); value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
	return f.send(r)
}

func (f *fixture) send(r *http.Request) *response {
	f.Helper()
	w := httptest.NewRecorder()
	nethttp.Serve(f.handler, w, r)
	result := w.Result()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		f.Fatal(err)
	}
	// The case of names is for the wire; tests look them up in canonical form.
	header := http.Header{}
	for name, values := range w.Header() {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return &response{f.T, result.StatusCode, header, string(body)}
}

// sign adds a Shared Key Lite signature for an account.
func sign(r *http.Request, account string, key []byte, date time.Time) {
	r.Header.Set("x-ms-date", date.UTC().Format(http.TimeFormat))
	r.Header.Set("Authorization", auth.SharedKeyLite(auth.Request{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header,
	}, account, key))
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
