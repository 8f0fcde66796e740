// Package servertest sends requests to handlers of the service in tests, without a
// network.
package servertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/nethttp"
)

// The account that requests go to unless they have an address of their own, and the
// version of the API that they name.
const (
	Account = server.WellKnownAccount
	Host    = Account + ".table.core.windows.net"
	Version = "2019-02-02"
)

// Key returns the key of Account.
func Key() []byte { return server.WellKnown(engine.StrictAccess).Keys[0] }

// NewRequest returns a request as SDKs send it. A target without a host is at [Host].
// Headers are "Name: value"; one without a value removes a default header.
func NewRequest(method, target, body string, headers ...string) *http.Request {
	if strings.HasPrefix(target, "/") {
		target = "https://" + Host + target
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Accept", "application/json;odata=minimalmetadata")
	r.Header.Set("x-ms-version", Version)
	if method != "GET" {
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
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
	return r
}

// Sign adds a Shared Key Lite signature for an account.
func Sign(r *http.Request, account string, key []byte, date time.Time) {
	r.Header.Set("x-ms-date", date.UTC().Format(http.TimeFormat))
	r.Header.Set("Authorization", auth.SharedKeyLite(auth.Request{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header,
	}, account, key))
}

// Send returns a handler's response to a request, with the names of the headers in
// canonical form.
func Send(t testing.TB, handler message.Handler, r *http.Request) (status int, header http.Header, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	nethttp.Serve(handler, w, r)
	result := w.Result()
	text, err := io.ReadAll(result.Body)
	if err != nil {
		t.Fatal(err)
	}
	header = http.Header{}
	for name, values := range w.Header() {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return result.StatusCode, header, string(text)
}
