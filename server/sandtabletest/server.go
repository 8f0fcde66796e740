//go:build !js

package sandtabletest

import (
	"fmt"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server"
	"sandtable/server/faults"
	"sandtable/server/nethttp"
)

// Server is a running endpoint with the well-known account, which is strict:
// every request needs a signature, as at the service.
type Server struct {
	// URL is the account's endpoint without a trailing slash.
	URL string
	// Account and Key, in Base64, are for SDKs that take them separately.
	Account, Key string

	db      *engine.DB
	handler *server.Handler
	faults  *faults.Accounts
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
	rules := new(faults.Accounts)
	handler := server.New(db, server.Options{Faults: rules})
	running := httptest.NewServer(nethttp.OnlyHosts(nethttp.Handler(handler), server.IsServiceHost))
	t.Cleanup(func() {
		running.CloseClientConnections() // Close would wait for an SDK's idle connection
		running.Close()
		if err := db.Close(); err != nil {
			t.Errorf("close sandtable: %v", err)
		}
	})
	return &Server{
		URL: running.URL + "/" + server.WellKnownAccount, Account: server.WellKnownAccount, Key: server.WellKnownKey,
		db: db, handler: handler, faults: rules,
	}
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

// SetFaults makes requests fail by these rules, as long as the test runs or until the
// next call; without rules none does. All of them are on. A rule without an operation
// is about any, and one without a share about every request. With the same seed and
// the same requests in the same order, the same ones fail.
func (s *Server) SetFaults(t testing.TB, seed uint64, rules ...faults.Rule) {
	t.Helper()
	for i := range rules {
		r := &rules[i]
		r.On = true
		if r.Operation == "" {
			r.Operation = faults.Any
		}
		if r.Share == 0 && r.Every == 0 && r.Effect != faults.Throttle {
			r.Every = 1
		}
		if err := r.Check(); err != nil {
			t.Fatalf("fault %d: %v", i+1, err)
		}
	}
	if err := s.faults.Set(s.Account, faults.State{On: true, Seed: seed, Rules: rules}, false); err != nil {
		t.Fatalf("set faults: %v", err)
	}
	s.handler.UnpinSecondary(s.Account)
	if s.faults.Find(s.Account).Stale(time.Now()) {
		s.handler.PinSecondary(s.Account)
	}
}

// Faults returns the rules and what they did.
func (s *Server) Faults() faults.State {
	if rules := s.faults.Find(s.Account); rules != nil {
		return rules.State()
	}
	return faults.State{}
}
