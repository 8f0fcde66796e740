//go:build js && wasm

package idbstorage

import (
	"slices"
	"testing"

	"sandtable/engine"
)

// TestDamagedDirectory: it is made again from the blocks.
func TestDamagedDirectory(t *testing.T) {
	name := newDatabase(t)
	// Two checkpoints: the second one replaces block 1.
	for _, account := range []string{"gone", "test"} {
		db, err := engine.Open(openStorage(t, name, Options{}), engine.Options{CheckpointAfter: 1})
		if err == nil {
			err = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := openStorage(t, name, Options{})
	if len(s.directory) != 1 {
		t.Fatalf("directory is %v", s.directory)
	}
	want := s.directory
	_, err := s.transact(readWrite, inAll, func(tx *transaction) {
		tx.put(tx.store(stateStore), "directory", []byte("damaged"))
		tx.put(tx.store(blocksStore), 1.0, []byte("damaged"))
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	s = openStorage(t, name, Options{})
	for _, info := range want {
		if !slices.Contains(s.directory, info) {
			t.Errorf("%v is not in %v", info, s.directory)
		}
	}
	db, err := engine.Open(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := db.Damage(); len(d) != 1 || d[0].Block.ID != 1 {
		t.Errorf("damage is %v", d)
	}
	err = db.View(func(tx *engine.Tx) error { _, err := tx.Account("test"); return err })
	if err != nil {
		t.Error(err)
	}
}
