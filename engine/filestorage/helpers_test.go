package filestorage_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

const account = "devstoreaccount1"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens the store of a folder, relaxed, and closes it when the test ends.
func open(t testing.TB, folder string) *filestorage.Storage {
	t.Helper()
	return openWith(t, folder, filestorage.Options{Durability: engine.Relaxed})
}

func openWith(t testing.TB, folder string, o filestorage.Options) *filestorage.Storage {
	t.Helper()
	s, err := filestorage.Open(folder, o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// sample returns bytes derived from a number.
func sample(n uint64, size int) []byte {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	b := make([]byte, size)
	rand.NewChaCha8(seed).Read(b)
	return b
}

// blockOf returns a block whose bytes are derived from its id.
func blockOf(id engine.BlockID, size int) engine.Block {
	info := engine.BlockInfo{ID: id, Table: 1, First: odata.Key{PartitionKey: fmt.Sprint(id)}, Count: 1, Size: size}
	return engine.Block{BlockInfo: info, Data: sample(uint64(id), size)}
}

// createTable creates the account and the table "Table".
func createTable(t testing.TB, db *engine.DB) {
	t.Helper()
	must(t, db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: account}); err != nil {
			return err
		}
		return tx.CreateTable(account, "Table")
	}))
}

// filled returns a store in a folder with a table of 60 entities.
func filled(t testing.TB, folder string) *engine.DB {
	t.Helper()
	db, err := engine.Open(open(t, folder), engine.Options{CheckpointAfter: 2000})
	must(t, err)
	createTable(t, db)
	for i := range 60 {
		must(t, db.Update(inTable(func(table *engine.Table) error {
			_, err := table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprint(i)}, []odata.Property{{Name: "Text", Value: odata.StringValue("some text of it")}})
			return err
		})))
	}
	return db
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

// storeFiles are a closed store's files by name.
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

// with returns the files with one file's contents replaced, or removed if nil.
func (f storeFiles) with(name string, data []byte) storeFiles {
	files := maps.Clone(f)
	files[name] = data
	if data == nil {
		delete(files, name)
	}
	return files
}

// write replaces a folder's contents with the files.
func (f storeFiles) write(folder string) error {
	err := os.MkdirAll(folder, 0o700)
	entries, readErr := os.ReadDir(folder)
	err = errors.Join(err, readErr)
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
	}
	for name, text := range f {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	return err
}

// withoutOwner omits the files without data: lock, reserve and owner.
func (f storeFiles) withoutOwner() storeFiles {
	files := maps.Clone(f)
	maps.DeleteFunc(files, func(name string, _ []byte) bool {
		return name == "lock" || name == "reserve" || strings.HasPrefix(name, "owner-")
	})
	return files
}

// only returns the name of the only file of a kind.
func (f storeFiles) only(t testing.TB, kind string) (name string) {
	t.Helper()
	for other := range f {
		if strings.HasPrefix(other, kind) {
			if name != "" {
				t.Fatalf("%s and %s", name, other)
			}
			name = other
		}
	}
	return name
}
