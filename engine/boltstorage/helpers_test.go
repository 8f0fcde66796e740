//go:build !js

package boltstorage_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/odata"
)

const account = "devstoreaccount1"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens the store of a folder, and closes it when the test ends.
func open(t testing.TB, folder string) *boltstorage.Storage {
	t.Helper()
	s, err := boltstorage.Open(folder, boltstorage.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// openDB opens a DB on the store of a folder.
func openDB(t testing.TB, folder string, options engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(open(t, folder), options)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// createTable makes the account and the table "Table".
func createTable(t testing.TB, db *engine.DB) {
	t.Helper()
	must(t, db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: account}); err != nil {
			return err
		}
		return tx.CreateTable(account, "Table")
	}))
}

// inTable returns a callback on that table.
func inTable(f func(*engine.Table) error) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		table, err := tx.Table(account, "Table")
		if err != nil {
			return err
		}
		return f(table)
	}
}

// insertBatchOf inserts entities in one commit.
func insertBatchOf(db *engine.DB, n int) error {
	return db.Update(inTable(func(table *engine.Table) error {
		for i := range n {
			if _, err := table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(i)}, nil); err != nil {
				return err
			}
		}
		return nil
	}))
}

// insertLarge inserts an entity of 60 kB.
func insertLarge(db *engine.DB, n int) error {
	return db.Update(inTable(func(table *engine.Table) error {
		text := []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 30_000))}}
		_, err := table.Insert(odata.Key{PartitionKey: "large", RowKey: fmt.Sprintf("%04d", n)}, text)
		return err
	}))
}

// storeFiles are the files of a closed store, by name.
type storeFiles map[string][]byte

func readFiles(t testing.TB, folder string) storeFiles {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	files := make(storeFiles)
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name()))
		must(t, err)
	}
	return files
}

// with returns the files with another text in one of them; nil is none.
func (f storeFiles) with(name string, text []byte) storeFiles {
	files := maps.Clone(f)
	files[name] = text
	if text == nil {
		delete(files, name)
	}
	return files
}

// write makes them all that a folder has.
func (f storeFiles) write(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
	}
	for name, text := range f {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return err
}

func (f storeFiles) equal(other storeFiles) bool { return maps.EqualFunc(f, other, bytes.Equal) }
