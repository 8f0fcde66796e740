//go:build js && wasm

package idbstorage

import (
	"errors"
	"testing"

	"sandtable/engine"
)

func testBlock(id engine.BlockID) engine.Block {
	return engine.Block{BlockInfo: engine.BlockInfo{ID: id, Table: 1, Count: 1, Size: 4}, Data: []byte("data")}
}

func checkpoint(t *testing.T, s *Storage, c engine.Checkpoint) {
	t.Helper()
	if err := s.Checkpoint(c); err != nil {
		t.Fatal(err)
	}
}

// writeSample writes a checkpoint and two records after it.
func writeSample(t *testing.T, name string) *Storage {
	t.Helper()
	s := openStorage(t, name, Options{})
	appendRecord(t, s, 1)
	checkpoint(t, s, engine.Checkpoint{Seq: 1, Puts: []engine.Block{testBlock(1)}, Meta: []byte("m")})
	appendRecord(t, s, 2)
	appendRecord(t, s, 3)
	return s
}

// TestFullDatabase: a database without a free byte can be read. Writes fail with
// ErrQuota and succeed as soon as there is space.
func TestFullDatabase(t *testing.T) {
	name := newDatabase(t)
	old := writeSample(t, name)
	free := fillUp(t)
	s := openStorage(t, name, Options{})
	for range 2 {
		d, err := s.Load() // repeated, as Verify does
		if err != nil || len(d.WAL) != 2 || len(d.Blocks) != 1 || string(d.Meta) != "m" {
			t.Fatalf("loaded %v, %v", d, err)
		}
		if blocks, err := s.ReadBlocks([]engine.BlockID{1}); err != nil || string(blocks[0]) != "data" {
			t.Errorf("read: %v", err)
		}
		if _, err := s.ReadBlocks([]engine.BlockID{2}); !errors.Is(err, engine.ErrBlockNotFound) {
			t.Errorf("read of a block that never existed: %v", err)
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
	free()
	appendRecord(t, s, 4)
	appendRecord(t, s, 5)
	if s.ReadOnly() {
		t.Error("read-only after a write")
	}
	if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
		t.Errorf("append of the previous owner: %v", err)
	}
	checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
	checkRecords(t, name, 2)
}

// TestFullDatabaseWithUnreadableRecord: it also works if the browser cannot read the last
// record.
func TestFullDatabaseWithUnreadableRecord(t *testing.T) {
	name := newDatabase(t)
	old := writeSample(t, name)
	free := fillUp(t)
	failGetAlls(t, 3, "NotReadableError")
	s := openStorage(t, name, Options{})
	if d, err := s.Load(); err != nil || len(d.WAL) != 2 {
		t.Fatalf("loaded %v, %v", d, err)
	}
	if err := s.Append(4, []byte("refused")); !errors.Is(err, ErrQuota) {
		t.Errorf("append: %v", err)
	}
	free()
	appendRecord(t, s, 4)
	if err := old.Append(4, []byte("stale")); !errors.Is(err, ErrFenced) {
		t.Errorf("append of the previous owner: %v", err)
	}
}

// TestLateClaim: a deferred acquisition fails once the owner has written.
func TestLateClaim(t *testing.T) {
	cases := map[string]func(*testing.T, *Storage) *Storage{
		"appends": func(t *testing.T, s *Storage) *Storage {
			appendRecord(t, s, 4)
			return s
		},
		"repeats its last append": func(t *testing.T, s *Storage) *Storage {
			if err := s.Append(3, []byte("other data")); err != nil {
				t.Fatal(err)
			}
			return s
		},
		"truncates the WAL": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
			return s
		},
		"writes a block": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 1, Puts: []engine.Block{testBlock(2)}, Meta: []byte("m")})
			return s
		},
		"truncates the WAL and appends": func(t *testing.T, s *Storage) *Storage {
			checkpoint(t, s, engine.Checkpoint{Seq: 3, Meta: []byte("m")})
			appendRecord(t, s, 4)
			return s
		},
		"is loaded again": func(t *testing.T, s *Storage) *Storage {
			_ = s.Close()
			return openStorage(t, s.name, Options{})
		},
	}
	for what, continues := range cases {
		t.Run(what, func(t *testing.T) {
			name := newDatabase(t)
			old := writeSample(t, name)
			free := fillUp(t)
			s := openStorage(t, name, Options{})
			free()
			old = continues(t, old)
			for range 2 {
				if err := s.Append(4, []byte("late")); !errors.Is(err, ErrFenced) {
					t.Errorf("append: %v", err)
				}
			}
			if _, err := s.Load(); !errors.Is(err, ErrFenced) && what != "appends" && what != "repeats its last append" {
				t.Errorf("load: %v", err)
			}
			if !isFenced(s) || isFenced(old) {
				t.Errorf("fenced: %t, and the owner: %t", isFenced(s), isFenced(old))
			}
			appendRecord(t, old, 7)
		})
	}
}

// TestClaimReadsDeletedBlock: a block that the owner has deleted is not reported
// as missing.
func TestClaimReadsDeletedBlock(t *testing.T) {
	name := newDatabase(t)
	old := writeSample(t, name)
	free := fillUp(t)
	s := openStorage(t, name, Options{})
	free()
	checkpoint(t, old, engine.Checkpoint{Seq: 1, Deletes: []engine.BlockID{1}, Meta: []byte("m")})
	if _, err := s.ReadBlocks([]engine.BlockID{1}); !errors.Is(err, ErrFenced) || errors.Is(err, engine.ErrBlockNotFound) {
		t.Errorf("read: %v", err)
	}
}

// TestFullBeforeTheFirstWrite: a new database cannot be loaded without space for
// its identity.
func TestFullBeforeTheFirstWrite(t *testing.T) {
	name := newDatabase(t)
	free := fillUp(t)
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Load(); !errors.Is(err, ErrQuota) {
		t.Errorf("load: %v", err)
	}
	free()
	appendRecord(t, openStorage(t, name, Options{}), 1)
}

// TestFullStore: the engine opens a store without any space left, serves reads,
// and recovers when there is space.
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
	free := fillUp(t)
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(s, engine.Options{}); err != nil {
		t.Fatalf("without space: %v", err)
	}
	if err := find(db, "first"); err != nil {
		t.Errorf("read without space: %v", err)
	}
	if err := put(db, "second"); !errors.Is(err, engine.ErrStorage) || !errors.Is(err, engine.ErrNoSpace) {
		t.Errorf("write without space: %v", err)
	}
	if report, err := db.Verify(t.Context(), engine.VerifyOptions{}); err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %v, %v", report.Problems, err)
	}
	free()
	if err := put(db, "third"); err != nil {
		t.Errorf("write with space again: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(openStorage(t, name, Options{}), engine.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(find(db, "first"), find(db, "third")); err != nil || find(db, "second") == nil {
		t.Errorf("reopened: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
