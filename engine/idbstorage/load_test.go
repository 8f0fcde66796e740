//go:build js && wasm

package idbstorage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"sandtable/engine"
)

// TestDamagedDirectory: it is made again from the blocks.
func TestDamagedDirectory(t *testing.T) {
	lose := func(keys ...string) func(*transaction) {
		return func(tx *transaction) {
			for _, key := range keys {
				tx.store(stateStore).Call("delete", key)
			}
		}
	}
	cases := []struct {
		name   string
		damage func(*transaction)
		found  []engine.CorruptionKind // beside that of a block
	}{
		{"damaged", func(tx *transaction) { tx.put(tx.store(stateStore), "directory", []byte("damaged")) }, nil},
		{"missing", lose("directory"), nil},
		{"missing, and so is the checkpoint's text", lose("directory", "meta"), []engine.CorruptionKind{engine.CorruptMeta}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
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
				c.damage(tx)
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
			var found []engine.CorruptionKind
			for _, d := range db.Corruption() {
				if d.Block.ID != 1 {
					found = append(found, d.Kind)
				}
			}
			if len(db.Corruption()) != len(c.found)+1 || !slices.Equal(found, c.found) {
				t.Errorf("damage is %v", db.Corruption())
			}
			if _, _, err := db.Compact(t.Context(), nil); err != nil {
				t.Error(err)
			}
			err = db.View(func(tx *engine.Tx) error { _, err := tx.Account("test"); return err })
			if err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDamagedEpoch: whatever the state says of it, the store opens, belongs to who
// loaded it last, and is as it was the next time; also one that was full first.
func TestDamagedEpoch(t *testing.T) {
	cases := map[string][]byte{
		"missing":         nil,
		"short":           []byte("short"),
		"one that ended":  {1, 7: 0},
		"one to come":     {100, 7: 0},
		"too large a one": bytes.Repeat([]byte{0xff}, 8),
	}
	for what, text := range cases {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprint(what, ", full: ", full), func(t *testing.T) {
				name := newDatabase(t)
				_ = openStorage(t, name, Options{}).Close()
				old := written(t, name)
				_, err := old.transact(readWrite, inState, func(tx *transaction) {
					state := tx.store(stateStore)
					if state.Call("delete", epochKey); text != nil {
						tx.put(state, epochKey, text)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				empty := func() {}
				if full {
					empty = fillUp(t, 0)
				}
				s := openStorage(t, name, Options{})
				empty()
				appendRecord(t, s, 4)
				if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
					t.Errorf("append of the one before: %v", err)
				}
				if _, err := s.ReadBlocks([]engine.BlockID{2}); !errors.Is(err, engine.ErrBlockNotFound) {
					t.Errorf("read of a block that never was: %v", err)
				}
				checkRecords(t, name, 3)
			})
		}
	}
}
