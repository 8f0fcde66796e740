//go:build !js

package sandtabletest

import (
	"fmt"
	"io"
	"net/http/httptest"
	"testing"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server"
	"sandtable/server/nethttp"
)

// Server is a running endpoint with the well-known account, which is strict:
// every request needs a signature, as at the service.
type Server struct {
	// URL is the account's endpoint without a trailing slash.
	URL string
	// Account and Key, in Base64, are for SDKs that take them separately.
	Account, Key string

	db *engine.DB
}

// Start starts a server, which stops when the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err == nil {
		err = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(server.WellKnown(engine.StrictAccess)) })
	}
	if err != nil {
		t.Fatalf("start sandtable: %v", err)
	}
	handler := server.New(db, server.Options{})
	running := httptest.NewServer(nethttp.OnlyHosts(handler, server.IsServiceHost))
	t.Cleanup(func() {
		running.CloseClientConnections() // Close would wait for an SDK's idle connection
		running.Close()
		if err := db.Close(); err != nil {
			t.Errorf("close sandtable: %v", err)
		}
	})
	return &Server{URL: running.URL + "/" + server.WellKnownAccount, Account: server.WellKnownAccount, Key: server.WellKnownKey, db: db}
}

// ConnectionString returns the connection string of the account.
func (s *Server) ConnectionString() string {
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s;", s.Account, s.Key, s.URL)
}

// Load loads an archive that "sandtable dump" wrote, or fails the test. An archive of
// one account is loaded into this server's account.
func (s *Server) Load(t testing.TB, r io.Reader) {
	t.Helper()
	if _, err := archive.Load(r, s.db, archive.LoadOptions{Account: s.Account}); err != nil {
		t.Fatalf("load into sandtable: %v", err)
	}
}
