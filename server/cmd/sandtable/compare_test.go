//go:build !js

package main

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/nethttp"
)

// comparable starts an in-memory endpoint whose responses pass through change.
func comparable(t *testing.T, change func(http.ResponseWriter)) string {
	t.Helper()
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	key, err := base64.StdEncoding.DecodeString(server.WellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	account := engine.Account{Name: server.WellKnownAccount, Keys: [2][]byte{key}, Access: engine.StrictAccess}
	if err := db.Update(func(tx *engine.Tx) error { return tx.PutAccount(account) }); err != nil {
		t.Fatal(err)
	}
	handler := server.New(db, server.Options{})
	running := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		change(w)
		nethttp.Serve(handler, w, r)
	}))
	t.Cleanup(running.Close)
	return "AccountName=devstoreaccount1;AccountKey=" + server.WellKnownKey + ";TableEndpoint=" + running.URL + "/devstoreaccount1"
}

func TestCompare(t *testing.T) {
	same := comparable(t, func(http.ResponseWriter) {})
	other := comparable(t, func(w http.ResponseWriter) { w.Header().Set("X-Other", "1\u009b2") }) // begins a command of terminals
	for _, c := range []struct {
		name, b  string
		code     int
		contains string
	}{
		{"the same implementation", same, exitSuccess, "are the same"},
		{"one with another header", other, exitFailure, "X-Other of b: 1\ufffd2"},
		{"no connection string", "", exitFailure, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := run(t.Context(), []string{"compare", "-a", same, "-b", c.b, "-properties"}, &stdout, &stderr)
			if code != c.code || !strings.Contains(stdout.String(), c.contains) {
				t.Errorf("exit code %d, want %d; %s%s", code, c.code, stdout.String(), stderr.String())
			}
		})
	}
}

// TestCompareRun: -run ignores case, and a text that no title contains is an error.
func TestCompareRun(t *testing.T) {
	same := comparable(t, func(http.ResponseWriter) {})
	for _, c := range []struct {
		text, contains string
		code           int
	}{
		{"TABLE", "are the same", exitSuccess},
		{"tabel", `no scenario has "tabel" in its title`, exitFailure},
	} {
		t.Run(c.text, func(t *testing.T) {
			var out strings.Builder
			code := run(t.Context(), []string{"compare", "-a", same, "-b", same, "-run", c.text}, &out, &out)
			if code != c.code || !strings.Contains(out.String(), c.contains) {
				t.Errorf("exit code %d, want %d; %s", code, c.code, out.String())
			}
		})
	}
}
