package server_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/scenario"
)

// TestScenarios plays our own scenarios in both address styles.
func TestScenarios(t *testing.T) {
	all, err := scenario.All()
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	f.update(func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.StrictAccess})
	})
	running := httptest.NewServer(server.New(f.db, server.Options{}))
	t.Cleanup(running.Close)
	address := running.Listener.Addr().String()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	for style, url := range map[string]string{
		"path": "http://" + address + "/" + testAccount,
		"host": "http://" + testAccount + ".table.localhost",
	} {
		endpoint := &scenario.Endpoint{URL: url, Account: testAccount, Key: testKey, Client: &http.Client{Transport: &http.Transport{DialContext: dial}}}
		for _, s := range all {
			t.Run(style+"/"+s.Title, func(t *testing.T) {
				failures, err := endpoint.Run(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				for _, failure := range failures {
					t.Error(failure)
				}
			})
		}
	}
}
