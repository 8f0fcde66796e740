//go:build unix

package pgstore_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/pgstore"
	"sandtable/server/pgstore/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

const (
	account   = "account1"
	tableName = "Things"
)

// open opens a store in a schema, which may already contain one.
func open(t testing.TB, url string, options pgstore.Options) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// openWithTable opens a store in a new schema with an account and a table.
func openWithTable(t testing.TB) (s *pgstore.Store, url string) {
	t.Helper()
	url = pgtest.Schema(t)
	s = open(t, url, pgstore.Options{})
	prepare(t, s)
	return s, url
}

func prepare(t testing.TB, s server.Store) {
	t.Helper()
	update(t, s, func(tx server.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
	update(t, s, func(tx server.Tx) error { return tx.CreateTable(tableName) })
}

// update changes the catalog.
func update(t testing.TB, s server.Store, f func(server.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), &server.Scope{Account: account, Table: tableName}, f); err != nil {
		t.Fatal(err)
	}
}

// change runs an update of some entities of the table.
func change(t testing.TB, s server.Store, keys []odata.Key, f func(server.Table) error) error {
	t.Helper()
	scope := &server.Scope{Account: account, Table: tableName, Keys: keys}
	return s.Update(t.Context(), scope, func(tx server.Tx) error {
		table, err := tx.Table()
		if err != nil {
			return err
		}
		return f(table)
	})
}

// number returns the property of an entity that has one, n.
func number(n int64) []odata.Property {
	return []odata.Property{{Name: "N", Value: odata.Int64Value(n)}}
}

func numberOf(e *odata.Entity) int64 {
	v, _ := e.Property("N")
	return v.Int()
}

func key(partition, row string) odata.Key { return odata.Key{PartitionKey: partition, RowKey: row} }

// get returns an entity, nil for none.
func get(t testing.TB, s server.Store, k odata.Key) (found *odata.Entity) {
	t.Helper()
	scope := &server.Scope{Account: account, Table: tableName, Keys: []odata.Key{k}}
	err := s.View(t.Context(), scope, func(tx server.Tx) error {
		table, err := tx.Table()
		if err == nil {
			found, err = table.Get(k)
		}
		return err
	})
	if err != nil && !errors.Is(err, engine.ErrEntityNotFound) {
		t.Fatal(err)
	}
	return found
}

// page runs a query and returns the keys of its page, its continuation and what
// it did.
func page(s server.Store, t testing.TB, q engine.Query) (keys []string, next *odata.Key, did engine.Explain, err error) {
	t.Helper()
	return pageOf(s, t, q, &q)
}

// pageOf is page with what the scope says about the query.
func pageOf(s server.Store, t testing.TB, q engine.Query, known *engine.Query) (keys []string, next *odata.Key, did engine.Explain, err error) {
	t.Helper()
	err = s.View(t.Context(), &server.Scope{Account: account, Table: tableName, Query: known}, func(tx server.Tx) error {
		table, err := tx.Table()
		if err != nil {
			return err
		}
		keys = nil
		rows := table.Query(q)
		defer rows.Close()
		for rows.Next() {
			keys = append(keys, fmt.Sprint(rows.Row().Key(), rows.Row().Properties))
		}
		next, did = rows.Continuation(), rows.Explain()
		return rows.Err()
	})
	return keys, next, did, err
}
