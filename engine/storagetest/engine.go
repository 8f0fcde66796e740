package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
)

// options returns frequent checkpoints, a small block cache and a clock that goes
// back.
func options() engine.Options {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return engine.Options{CheckpointAfter: 8000, MemoryBudget: 40 << 10, Now: func() time.Time { return now }}
}

// openDB opens the store's DB with the account and checks it when the test ends.
func openDB(t *testing.T, s engine.Storage) *engine.DB {
	t.Helper()
	return openWith(t, s, options())
}

func openWith(t *testing.T, s engine.Storage, o engine.Options) *engine.DB {
	t.Helper()
	db, err := engine.Open(s, o)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	must(t, db.Update(func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: account})
	}))
	return db
}

// reopenDB closes the DB and its storage and reopens the store.
func reopenDB(t *testing.T, o Opener, db *engine.DB) *engine.DB {
	t.Helper()
	must(t, db.Close())
	return openDB(t, open(t, o))
}

func checkCorruption(t *testing.T, db *engine.DB, want int) []engine.Corruption {
	t.Helper()
	corruption := db.Corruption()
	if len(corruption) != want {
		t.Fatalf("corruption is %v, want %d reports", corruption, want)
	}
	for _, d := range corruption {
		if !errors.Is(d.Err, engine.ErrCorrupt) {
			t.Errorf("%s: cause is %v", d, d.Err)
		}
	}
	return corruption
}

func testReopen(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	w := newWorker(1, "Table")
	w.snapshots = true
	for round := range 4 {
		for range 40 {
			must(t, w.step(db))
		}
		ContentsOf(t, db, account).Check(t, w.model)
		db = reopenDB(t, o, db)
		checkCorruption(t, db, 0)
		ContentsOf(t, db, account).Check(t, w.model)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func testConcurrentWriters(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	workers := make([]*worker, 6)
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	for i := range workers {
		workers[i] = newWorker(uint64(i), fmt.Sprintf("Table%c", 'A'+i))
		writers.Go(func() {
			for range 40 {
				if err := workers[i].step(db); err != nil {
					t.Errorf("worker %d: %v", i, err)
					return
				}
			}
		})
	}
	readers.Go(func() { readPairs(t, db, done) })
	writers.Go(func() { writePairs(t, db) })
	writers.Wait()
	close(done)
	readers.Wait()
	db = reopenDB(t, o, db)
	checkCorruption(t, db, 0)
	want := make(Contents)
	for _, w := range workers {
		maps.Copy(want, w.model)
	}
	got := ContentsOf(t, db, account)
	maps.DeleteFunc(got, func(path string, _ *odata.Entity) bool { return path[:5] == "Pairs" })
	got.Check(t, want)
}

var pairKeys = [2]odata.Key{{PartitionKey: "p", RowKey: "1"}, {PartitionKey: "p", RowKey: "2"}}

// writePairs changes two entities together.
func writePairs(t *testing.T, db *engine.DB) {
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	must(db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Pairs") }))
	for i := range 40 {
		must(db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Pairs")
			if err != nil {
				return err
			}
			for _, key := range pairKeys {
				p := []odata.Property{{Name: "N", Value: odata.Int32Value(int32(i))}}
				if _, err := table.Replace(key, p, engine.Upsert); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// readPairs looks for a version in which only one of the pair has changed.
func readPairs(t *testing.T, db *engine.DB, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond): // lets other goroutines run on a browser's single thread
		}
		err := db.View(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Pairs")
			if err != nil {
				return nil // not created yet
			}
			page, err := table.Query(engine.Query{}).Page()
			if err != nil || len(page.Entities) == 0 {
				return err
			}
			a, _ := page.Entities[0].Property("N")
			b, _ := page.Entities[1].Property("N")
			if a != b {
				return fmt.Errorf("a reader saw %d and %d", a.Int(), b.Int())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// testFaults runs histories of random work with one failure each and reopens the
// store as after a crash.
func testFaults(t *testing.T, o Opener) {
	const histories = 40
	state := make(Contents)
	for seed := range uint64(histories) {
		random := rand.New(rand.NewPCG(seed, 3))
		fault := Fault(random.IntN(4))
		n := 2 + random.IntN(25)
		state = history(t, o, seed, n, fault, state)
		if t.Failed() {
			t.Fatalf("seed %d: %s at write %d", seed, fault, n)
		}
	}
}

// history works on a store with known contents and returns its new contents.
func history(t *testing.T, o Opener, seed uint64, n int, fault Fault, state Contents) Contents {
	t.Helper()
	inner, err := o()
	must(t, err)
	db, err := engine.Open(NewFaulty(inner, n, fault), options())
	must(t, err)
	_ = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) })
	w := newWorker(seed, "Table")
	w.snapshots = true
	w.model = state
	var unknown Contents // the store's other possible contents
	for range 30 {
		before := w.model
		switch err := w.step(db); {
		case err == nil && maps.Equal(w.model, before):
		case err == nil:
			unknown = nil // this record replaced the refused one
		case !errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault):
			t.Fatalf("step: %v", err)
		default:
			if unknown == nil {
				unknown = w.pending
			}
		}
	}
	ContentsOf(t, db, account).Check(t, w.model)
	must(t, db.Close())

	after, err := o()
	must(t, err)
	db, err = engine.Open(after, options())
	must(t, err)
	checkCorruption(t, db, 0)
	checkSound(t, db)
	got := ContentsOf(t, db, account)
	must(t, db.Close())
	if unknown != nil && fault != Refuse && got.diff(unknown) == "" {
		return got
	}
	got.Check(t, w.model)
	return got
}

// testRefusedWrite: a write that failed but is in the WAL must not survive next to
// one that was accepted after it.
func testRefusedWrite(t *testing.T, o Opener) {
	db := openDB(t, open(t, o))
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Table") }))
	must(t, db.Close())
	faulty := NewFaulty(open(t, o), 1, Lose)
	db, err := engine.Open(faulty, options())
	must(t, err)
	insert := func(row string) error {
		return db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table(account, "Table")
			if err == nil {
				_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: row}, nil)
			}
			return err
		})
	}
	if err := insert("refused"); !errors.Is(err, engine.ErrStorage) || !errors.Is(err, ErrFault) {
		t.Fatalf("insert: %v", err)
	}
	must(t, insert("accepted"))
	want := ContentsOf(t, db, account)
	if len(want) != 2 || want["Table/p/accepted"] == nil {
		t.Fatalf("store holds %v", want)
	}
	db = reopenDB(t, o, db)
	ContentsOf(t, db, account).Check(t, want)
}
