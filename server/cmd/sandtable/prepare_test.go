//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

// TestStartKeepsChanges: a server that starts with another key and access level
// overwrites nothing else that is changed meanwhile.
func TestStartKeepsChanges(t *testing.T) {
	url := pgtest.Schema(t)
	store, err := pgstore.Open(t.Context(), url, pgstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	const name = "first1"
	err = store.Update(t.Context(), &server.Scope{Account: name}, func(tx server.Tx) error {
		return tx.PutAccount(engine.Account{Name: name, Keys: [2][]byte{[]byte("old"), []byte("old")}})
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	execute := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	execute("BEGIN; SELECT 1 FROM sandtable_accounts FOR UPDATE")
	prepared := make(chan error, 1)
	starting := &databaseBackend{&serveFlags{open: true, accounts: accountFlag{{Name: name, Keys: [2][]byte{[]byte("new")}}}}, store}
	var all []engine.Account
	go func() {
		var err error
		all, err = starting.prepare(t.Context(), io.Discard)
		prepared <- err
	}()
	for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) { // there is no event for it
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	execute("UPDATE sandtable_accounts SET properties = 'set meanwhile', key2 = 'set meanwhile'; COMMIT")
	if err := <-prepared; err != nil {
		t.Fatal(err)
	}
	stored, err := store.Accounts(t.Context())
	if err != nil || len(stored) != 1 || len(all) != 1 {
		t.Fatal(stored, all, err)
	}
	for _, account := range []engine.Account{stored[0], all[0]} {
		if account.Properties != "set meanwhile" || string(account.Keys[1]) != "set meanwhile" {
			t.Errorf("the start overwrote what was set meanwhile: %q, %q", account.Properties, account.Keys[1])
		}
		if !bytes.Equal(account.Keys[0], []byte("new")) || account.Access != engine.OpenAccess {
			t.Errorf("the start did not set %q, %v", account.Keys[0], account.Access)
		}
	}
}
