//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/message"
	"sandtable/server/metrics"
	"sandtable/server/pgstore"
)

// storeVariable is the environment variable for -store, because all users of a machine
// can read its command lines.
const storeVariable = "SANDTABLE_STORE"

// databaseBackend is a database that other servers share.
type databaseBackend struct {
	*serveFlags
	store *pgstore.Store
}

func (f *serveFlags) openDatabase(ctx context.Context, stderr io.Writer) (backend, error) {
	store, err := pgstore.Open(ctx, f.database.url, pgstore.Options{
		OnCorruption: func(c engine.Corruption) { logCorruption(stderr, time.Now(), c) },
	})
	if err != nil {
		return nil, fmt.Errorf("-store: %w", err)
	}
	return &databaseBackend{f, store}, nil
}

// prepare does what putAccounts does, but writes only accounts that differ: a
// role that may not write them can serve.
func (b *databaseBackend) prepare(ctx context.Context, _ io.Writer) ([]engine.Account, error) {
	stored, err := b.store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	all := withAccounts(stored, b.accounts, b.access())
	for i, account := range all {
		if i < len(stored) && reflect.DeepEqual(account, stored[i]) {
			continue
		}
		err := b.store.Update(ctx, &server.Scope{Account: account.Name}, func(tx server.Tx) (err error) {
			all[i], err = b.putAccount(tx, account)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// putAccount changes the keys and the access of an account as it is now, and nothing
// else: other servers change it meanwhile. It creates a missing account.
func (b *databaseBackend) putAccount(tx server.Tx, account engine.Account) (engine.Account, error) {
	switch stored, err := tx.Account(); {
	case err == nil:
		given := slices.DeleteFunc(slices.Clone(b.accounts), func(a engine.Account) bool { return a.Name != stored.Name })
		account = withAccounts([]engine.Account{stored}, given, b.access())[0]
	case !errors.Is(err, engine.ErrAccountNotFound):
		return account, err
	}
	return account, tx.PutAccount(account)
}

func (b *databaseBackend) handler(options server.Options) (message.Handler, func()) {
	return server.NewOver(b.store, options), func() {}
}

func (b *databaseBackend) ready(ctx context.Context) error { return b.store.Ping(ctx) }

func (b *databaseBackend) gauges() []metrics.Gauge {
	return []metrics.Gauge{
		{Name: "sandtable_database_connections_used", Help: "Connections that are in use.", Value: func() float64 { used, _, _ := b.store.Connections(); return float64(used) }},
		{Name: "sandtable_database_connections_open", Help: "Connections that are open.", Value: func() float64 { _, open, _ := b.store.Connections(); return float64(open) }},
		{Name: "sandtable_database_connections_limit", Help: "Connections that may be open.", Value: func() float64 { _, _, limit := b.store.Connections(); return float64(limit) }},
	}
}

func (b *databaseBackend) where() string { return "data in the " + b.store.String() }

// closeTime limits how long the connections may take to end: a database that does not
// answer takes 15 seconds. No client waits for an answer any more.
const closeTime = 2 * time.Second

func (b *databaseBackend) close() error {
	closed := make(chan struct{})
	go func() {
		b.store.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
	return nil
}
