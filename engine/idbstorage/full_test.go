//go:build js && wasm

package idbstorage

import (
	"errors"
	"testing"

	"sandtable/engine"
)

func textBlock(id engine.BlockID) engine.Block {
	return engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Count: 1, Size: 4}, Data: []byte("text")}
}

func checkpoint(t *testing.T, s *Storage, c engine.Checkpoint) {
	t.Helper()
	if err := s.Checkpoint(c); err != nil {
		t.Fatal(err)
	}
}

// written has a database with a checkpoint and two records after it, which its
// storage still holds.
func written(t *testing.T, name string) *Storage {
	t.Helper()
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	checkpoint(t, s, engine.Checkpoint{Seq: 1, Puts: []engine.Block{textBlock(1)}, Meta: []byte("m")})
	appendRecord(t, s, 2)
	appendRecord(t, s, 3)
	return s
}

// TestFullDatabase: where not one byte fits a database is read all the same,
// writes are refused as in any that is full, and work as soon as there is room.
func TestFullDatabase(t *testing.T) {
	for name, after := range map[string]int{"not for its epoch": 0, "not for the next number": 1} {
		t.Run(name, func(t *testing.T) {
			name := newDatabase(t)
			old := written(t, name)
			empty := fillUp(t, after)
			s := openStorage(t, name, Options{})
			for range 2 {
				d, err := s.Load() // once more, as Verify does
				if err != nil || len(d.WAL) != 2 || len(d.Blocks) != 1 || string(d.Meta) != "m" {
					t.Fatalf("it has %v, %v", d, err)
				}
				if texts, err := s.ReadBlocks([]engine.BlockID{1}); err != nil || string(texts[0]) != "text" {
					t.Errorf("read: %v", err)
				}
				if _, err := s.ReadBlocks([]engine.BlockID{2}); !errors.Is(err, engine.ErrBlockNotFound) {
					t.Errorf("read of a block that never was: %v", err)
				}
				if err := s.Append(4, []byte("refused")); !errors.Is(err, ErrQuota) || !errors.Is(err, engine.ErrNoSpace) {
					t.Errorf("append: %v", err)
				}
				if err := s.Checkpoint(engine.Checkpoint{Seq: 3, Meta: []byte("refused")}); !errors.Is(err, ErrQuota) {
					t.Errorf("checkpoint: %v", err)
				}
				if !s.ReadOnly() || isFenced(s) {
					t.Errorf("read-only: %t, fenced: %t", s.ReadOnly(), isFenced(s))
				}
			}
			empty()
			appendRecord(t, s, 4)
			appendRecord(t, s, 5)
			if s.ReadOnly() {
				t.Error("it is read-only after a write")
			}
			if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
				t.Errorf("append of the one before: %v", err)
			}
			checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
			checkRecords(t, name, 2)
		})
	}
}

// TestFullDatabaseOfAnother: a database that was read and not taken over is not
// taken over any more when whoever has it has gone on with it.
func TestFullDatabaseOfAnother(t *testing.T) {
	cases := map[string]func(*testing.T, *Storage) *Storage{
		"appends": func(t *testing.T, s *Storage) *Storage {
			appendRecord(t, s, 4)
			return s
		},
		"appends the last anew": func(t *testing.T, s *Storage) *Storage {
			if err := s.Append(3, []byte("another text")); err != nil {
				t.Fatal(err)
			}
			return s
		},
		"drops the log": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
			return s
		},
		"writes a block": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 1, Puts: []engine.Block{textBlock(2)}, Meta: []byte("m")})
			return s
		},
		"drops the log and appends": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
			appendRecord(t, s, 4)
			return s
		},
		"is loaded again": func(t *testing.T, s *Storage) *Storage {
			_ = s.Close()
			return openStorage(t, s.name, Options{})
		},
	}
	for what, goesOn := range cases {
		t.Run(what, func(t *testing.T) {
			name := newDatabase(t)
			old := written(t, name)
			empty := fillUp(t, 0)
			s := openStorage(t, name, Options{})
			empty()
			old = goesOn(t, old)
			for range 2 {
				if err := s.Append(4, []byte("late")); !errors.Is(err, ErrFenced) {
					t.Errorf("append: %v", err)
				}
			}
			if _, err := s.Load(); !errors.Is(err, ErrFenced) && what != "appends" && what != "appends the last anew" {
				t.Errorf("load: %v", err)
			}
			if !isFenced(s) || isFenced(old) {
				t.Errorf("fenced: %t, and who has it: %t", isFenced(s), isFenced(old))
			}
			appendRecord(t, old, 7)
		})
	}
}

// TestFullDatabaseLosesBlocks: a block that whoever has the database has
// deleted is not lost, and one that is gone for no such reason is.
func TestFullDatabaseLosesBlocks(t *testing.T) {
	name := newDatabase(t)
	old := written(t, name)
	empty := fillUp(t, 0)
	s := openStorage(t, name, Options{})
	empty()
	checkpoint(t, old, engine.Checkpoint{Seq: 1, Deletes: []engine.BlockID{1}, Meta: []byte("m")})
	if _, err := s.ReadBlocks([]engine.BlockID{1}); !errors.Is(err, ErrFenced) || errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("read: %v", err)
	}
}

// TestFullBeforeTheFirstWrite: there is nothing to be read in a database that was
// never written to.
func TestFullBeforeTheFirstWrite(t *testing.T) {
	name := newDatabase(t)
	empty := fillUp(t, 0)
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Load(); !errors.Is(err, ErrQuota) {
		t.Errorf("load: %v", err)
	}
	empty()
	appendRecord(t, openStorage(t, name, Options{}), 1)
}

// TestFullStore: so the engine opens a store for which there is no room at all,
// answers what reads, and recovers.
func TestFullStore(t *testing.T) {
	name := newDatabase(t)
	put := func(db *engine.DB, account string) error {
		return db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
	}
	find := func(db *engine.DB, account string) error {
		return db.View(func(tx *engine.Tx) error { _, err := tx.Account(account); return err })
	}
	db, err := engine.Open(openStorage(t, name, Options{}), engine.Options{})
	if err == nil {
		err = errors.Join(put(db, "first"), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	empty := fillUp(t, 0)
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(s, engine.Options{}); err != nil {
		t.Fatalf("without room: %v", err)
	}
	if err := find(db, "first"); err != nil {
		t.Errorf("read without room: %v", err)
	}
	if err := put(db, "second"); !errors.Is(err, engine.ErrStorage) || !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("write without room: %v", err)
	}
	if report, err := db.Verify(t.Context(), engine.VerifyOptions{}); err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %v, %v", report.Problems, err)
	}
	empty()
	if err := put(db, "third"); err != nil {
		t.Errorf("write with room again: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(openStorage(t, name, Options{}), engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(find(db, "first"), find(db, "third")); err != nil || find(db, "second") == nil {
		t.Errorf("opened again: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
