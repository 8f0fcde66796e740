//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

// TestManyServersOpenAnEmptyDatabase: exactly one of them creates the schema.
func TestManyServersOpenAnEmptyDatabase(t *testing.T) {
	url := pgtest.Schema(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := pgstore.Open(t.Context(), url, pgstore.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	all.Wait()
}

// TestNoUpdateIsLost increments counters through several servers concurrently, with
// ETags and in transactions of two entities.
func TestNoUpdateIsLost(t *testing.T) {
	const workers, each = 6, 25
	first, url := openWithTable(t)
	stores := []*pgstore.Store{first, open(t, url, pgstore.Options{}), open(t, url, pgstore.Options{})}
	alone, left, right := key("p", "alone"), key("p", "left"), key("p", "right")
	for _, k := range []odata.Key{alone, left, right} {
		if err := change(t, first, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, number(0)); return err }); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i := range workers {
		s := stores[i%len(stores)]
		all.Go(func() {
			for range each {
				increment(t, s, alone)
				increment(t, s, left, right)
			}
		})
	}
	all.Wait()
	for i, k := range []odata.Key{alone, left, right} {
		if got := numberOf(get(t, stores[i], k)); got != workers*each {
			t.Errorf("%v counts to %d, want %d", k, got, workers*each)
		}
	}
}

// increment adds one to each entity, with the ETag that it has read.
func increment(t *testing.T, s *pgstore.Store, keys ...odata.Key) {
	for {
		read := make([]*odata.Entity, len(keys))
		for i, k := range keys {
			read[i] = get(t, s, k)
		}
		err := change(t, s, keys, func(table server.Table) error {
			for i, k := range keys {
				if _, err := table.Replace(k, number(numberOf(read[i])+1), engine.IfMatch(read[i].ETag())); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil:
			return
		case errors.Is(err, engine.ErrConditionNotMet), errors.Is(err, server.ErrUnavailable):
		default:
			t.Error(err)
			return
		}
	}
}

// TestOneInsertWins: of concurrent inserts of one key through several servers, one
// succeeds and the others find it.
func TestOneInsertWins(t *testing.T) {
	first, url := openWithTable(t)
	stores := []*pgstore.Store{first, open(t, url, pgstore.Options{})}
	for round := range 20 {
		k := key("p", fmt.Sprint(round))
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				errs[i] = change(t, stores[i%2], []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, number(int64(i))); return err })
			})
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, engine.ErrEntityExists):
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d inserts of the same key succeeded", won)
		}
	}
}

// TestTagsAscend: ETags ascend although the servers' clocks differ and go back.
func TestTagsAscend(t *testing.T) {
	first, url := openWithTable(t)
	late := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	stores := []*pgstore.Store{
		first,
		open(t, url, pgstore.Options{Now: func() time.Time { late = late.Add(-time.Hour); return late }}),
		open(t, url, pgstore.Options{Now: func() time.Time { return time.Unix(0, 0) }}),
	}
	k := key("p", "r")
	var last odata.DateTime
	for i := range 30 {
		err := change(t, stores[i%3], []odata.Key{k}, func(table server.Table) error {
			e, err := table.Replace(k, number(int64(i)), engine.Upsert)
			if err == nil && e.Timestamp <= last {
				err = fmt.Errorf("timestamp %v is not after %v", e.Timestamp, last)
			}
			if err == nil {
				last = e.Timestamp
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNow: a transaction has one time, whichever clock it comes from.
func TestNow(t *testing.T) {
	_, url := openWithTable(t)
	ticks := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, now := range map[string]func() time.Time{"of the database": nil, "given": func() time.Time { ticks = ticks.Add(time.Second); return ticks }} {
		update(t, open(t, url, pgstore.Options{Now: now}), func(tx server.Tx) error {
			first := tx.Now()
			_, err := tx.Table()
			if again := tx.Now(); again != first {
				t.Errorf("the clock %s: first %v, then %v", name, first, again)
			}
			return err
		})
	}
}

// TestEachSeesTheOthersCatalog: a server sees another's catalog changes at once for data,
// and after Options.CatalogAge for credentials.
func TestEachSeesTheOthersCatalog(t *testing.T) {
	a, url := openWithTable(t)
	b := open(t, url, pgstore.Options{CatalogAge: 50 * time.Millisecond})
	update(t, a, func(tx server.Tx) error {
		table, err := tx.Table()
		if err != nil {
			return err
		}
		return table.SetPolicies("<one>")
	})
	if got, err := b.Policies(t.Context(), account, "THINGS"); err != nil || got != "<one>" {
		t.Fatalf("policies %q, %v", got, err)
	}
	update(t, a, func(tx server.Tx) error {
		table, err := tx.Table()
		if err != nil {
			return err
		}
		return table.SetPolicies("<two>")
	})
	if got, err := a.Policies(t.Context(), account, tableName); err != nil || got != "<two>" {
		t.Fatalf("the server that changed them has the policies %q, %v", got, err)
	}
	for got := ""; got != "<two>"; {
		if got, _ = b.Policies(t.Context(), account, tableName); got == "" {
			t.Fatal("the policies went away")
		}
	}
	update(t, a, server.Tx.DeleteTable)
	k := key("p", "r")
	err := change(t, b, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err })
	if !errors.Is(err, engine.ErrTableNotFound) {
		t.Errorf("an insert into a deleted table: %v", err)
	}
}

// TestPurge: only rows of deleted tables are purged.
func TestPurge(t *testing.T) {
	s, url := openWithTable(t)
	insert := func(row string) {
		k := key("p", row)
		if err := change(t, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, nil); return err }); err != nil {
			t.Fatal(err)
		}
	}
	insert("old")
	update(t, s, server.Tx.DeleteTable)
	update(t, s, func(tx server.Tx) error { return tx.CreateTable(tableName) })
	insert("new")
	if keys, _, _, err := page(s, t, engine.Query{}); err != nil || len(keys) != 1 {
		t.Errorf("the new table has %q, %v", keys, err)
	}
	if _, err := s.Purge(t.Context()); err != nil { // how many is uncertain: the store purges when it opens, too
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var left int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM sandtable_entities").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d rows are left, %v; want 1", left, err)
	}
	if keys, _, _, err := page(s, t, engine.Query{}); err != nil || len(keys) != 1 {
		t.Errorf("after the purge the new table has %q, %v", keys, err)
	}
}

// TestNewAccountIsSeen although its name was looked up before: at once by the server that
// creates it, and after Options.CatalogAge by others.
func TestNewAccountIsSeen(t *testing.T) {
	const name = "late"
	url := pgtest.Schema(t)
	a, b := open(t, url, pgstore.Options{CatalogAge: time.Hour}), open(t, url, pgstore.Options{CatalogAge: 50 * time.Millisecond})
	for _, s := range []*pgstore.Store{a, b} {
		if err := wantNoAccount(s.Account(t.Context(), name)); err != nil {
			t.Fatal(err)
		}
	}
	err := a.Update(t.Context(), &server.Scope{Account: name}, func(tx server.Tx) error { return tx.PutAccount(engine.Account{Name: name}) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Account(t.Context(), name); err != nil {
		t.Errorf("the server that created it: %v", err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) { // there is no event for it
		if _, err := b.Account(t.Context(), name); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("another server does not see it")
		}
	}
}

// TestDefaultDatabase: as with libpq, the database has the name of the user by default.
func TestDefaultDatabase(t *testing.T) {
	url := pgtest.Schema(t)
	named, unnamed := open(t, url, pgstore.Options{}), open(t, strings.Replace(url, "/postgres?", "/?", 1), pgstore.Options{})
	if named.String() != unnamed.String() {
		t.Errorf("%q and %q are the same", named, unnamed)
	}
}
