package engine_test

import (
	"testing"

	"sandtable/engine"
	"sandtable/engine/storagetest"
	"sandtable/odata"
)

const account = "devstoreaccount1"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a DB with the account in it, and closes it when the test ends.
func open(t testing.TB, s engine.Storage, options engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(s, options)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	update(t, db, func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: account, Keys: [2][]byte{[]byte("key")}})
	})
	return db
}

// openMemory opens a DB in memory. When the test ends, it checks the invariants,
// reopens the store and compares it.
func openMemory(t testing.TB, options engine.Options) *engine.DB {
	t.Helper()
	m := &engine.MemoryStorage{}
	db, err := engine.Open(m, options)
	must(t, err)
	if t, ok := t.(*testing.T); ok {
		t.Cleanup(func() { checkReopened(t, m, db) })
	}
	update(t, db, func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: account, Keys: [2][]byte{[]byte("key")}})
	})
	return db
}

func checkReopened(t *testing.T, m *engine.MemoryStorage, db *engine.DB) {
	again, err := engine.Open(m.Clone(), engine.Options{})
	must(t, err)
	if d := again.Corruption(); len(d) > 0 {
		t.Errorf("corruption after reopening: %v", d)
	}
	if err := db.View(func(*engine.Tx) error { return nil }); err != nil {
		return // the test closed it and did its own checks
	}
	names := map[bool][]string{}
	for i, db := range []*engine.DB{db, again} {
		view(t, db, func(tx *engine.Tx) error {
			for a := range tx.Accounts() {
				names[i == 0] = append(names[i == 0], a.Name)
			}
			return nil
		})
	}
	for _, name := range names[true] {
		want := storagetest.ContentsOf(t, db, name)
		storagetest.ContentsOf(t, again, name).Check(t, want)
	}
	if len(names[true]) != len(names[false]) {
		t.Errorf("accounts are %q after reopening, were %q", names[false], names[true])
	}
	must(t, again.Close())
	must(t, db.Close())
}

func update(t testing.TB, db *engine.DB, f func(*engine.Tx) error) {
	t.Helper()
	if err := db.Update(f); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t testing.TB, db *engine.DB, f func(*engine.Tx) error) {
	t.Helper()
	if err := db.View(f); err != nil {
		t.Fatalf("view: %v", err)
	}
}

func createTable(t testing.TB, db *engine.DB, name string) {
	t.Helper()
	update(t, db, func(tx *engine.Tx) error { return tx.CreateTable(account, name) })
}

// inTable returns a callback on one table.
func inTable(name string, f func(*engine.Table) error) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		table, err := tx.Table(account, name)
		if err != nil {
			return err
		}
		return f(table)
	}
}

func key(partition, row string) odata.Key { return odata.Key{PartitionKey: partition, RowKey: row} }

func number(n int) []odata.Property {
	return []odata.Property{{Name: "N", Value: odata.Int32Value(int32(n))}}
}
