package storagetest

import (
	"fmt"
	"maps"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// tornParts are the fractions of a write that reach the medium.
var tornParts = []float64{0, 0.01, 0.3, 0.7, 0.99}

// runTorn tears writes. After reopening, a write took effect completely or not at
// all, and later writes succeed.
func runTorn(t *testing.T, create func(t *testing.T) Store) {
	parts := []struct {
		name string
		run  func(*testing.T, Store)
	}{
		{"torn append", testTornAppend},
		{"torn checkpoint", testTornCheckpoint},
		{"engine: torn update", testTornUpdate},
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			s := create(t)
			requireSupport(t, s.Tear != nil, s.NoTear)
			part.run(t, s)
		})
	}
}

func testTornAppend(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	var want []engine.WALRecord
	add := func(n int) {
		t.Helper()
		r := engine.WALRecord{Seq: uint64(len(want) + 1), Data: payload(uint64(len(want)), n)}
		must(t, s.Append(r.Seq, r.Data))
		want = append(want, r)
	}
	add(10)
	add(5000)
	for _, part := range tornParts {
		torn := engine.WALRecord{Seq: uint64(len(want) + 1), Data: payload(77, 3000)}
		store.Tear(t, s, part, func() error { return s.Append(torn.Seq, torn.Data) })
		s = open(t, store.Open)
		got := load(t, s).WAL
		if len(got) > len(want) {
			checkWAL(t, got, append(want, torn))
		} else {
			checkWAL(t, got, want)
		}
		add(200) // replaces the torn record
	}
	_, d := reopen(t, store.Open, s)
	checkWAL(t, d.WAL, want)
}

func testTornCheckpoint(t *testing.T, store Store) {
	s := open(t, store.Open)
	load(t, s)
	must(t, s.Append(1, payload(1, 100)))
	must(t, s.Append(2, payload(2, 100)))
	old := []engine.Block{block(1, 3000), block(2, 3000)}
	must(t, s.Checkpoint(engine.Checkpoint{Seq: 1, Puts: old, Meta: []byte("old")}))
	c := engine.Checkpoint{
		Seq: 2, Puts: []engine.Block{block(3, 3000), block(4, 300)}, Deletes: []engine.BlockID{1}, Meta: []byte("new"),
	}
	for _, part := range tornParts {
		store.Tear(t, s, part, func() error { return s.Checkpoint(c) })
		s = open(t, store.Open)
		d := load(t, s)
		if string(d.Meta) == "new" {
			break // the whole checkpoint reached the medium
		}
		checkWAL(t, d.WAL, []engine.WALRecord{{Seq: 2, Data: payload(2, 100)}})
		checkBlocks(t, s, d, old)
	}
	must(t, s.Checkpoint(c))
	s, d := reopen(t, store.Open, s)
	checkWAL(t, d.WAL, nil)
	checkBlocks(t, s, d, append(old[1:], c.Puts...))
	if string(d.Meta) != "new" {
		t.Errorf("meta is %q", d.Meta)
	}
}

// testTornUpdate: a transaction is there or not, and no corruption is reported.
func testTornUpdate(t *testing.T, store Store) {
	o := options()
	o.CheckpointAfter = -1 // no checkpoint during the tear
	db := openWith(t, open(t, store.Open), o)
	w := newWorker(9, "Table")
	for range 20 {
		must(t, w.step(db))
	}
	must(t, db.Update(func(tx *engine.Tx) error { return tx.CreateTable(account, "Torn") }))
	w.model["Torn/"] = nil
	must(t, db.Close())
	for round, part := range tornParts {
		s := open(t, store.Open)
		db = openWith(t, s, o)
		torn := make(Contents)
		store.Tear(t, s, part, func() error {
			return db.Update(func(tx *engine.Tx) error { return insertRows(tx, "Torn", fmt.Sprint(round), torn) })
		})
		must(t, db.Close())
		db = openWith(t, open(t, store.Open), o)
		checkCorruption(t, db, 0)
		got := ContentsOf(t, db, account)
		if len(got) > len(w.model) {
			maps.Copy(w.model, torn)
		}
		if d := got.diff(w.model); d != "" {
			t.Fatalf("after %g of an update: %s", part, d)
		}
		must(t, w.step(db))
		must(t, db.Close())
	}
	db = openWith(t, open(t, store.Open), o)
	ContentsOf(t, db, account).Check(t, w.model)
	checkSound(t, db)
}

// insertRows inserts some entities of about half a kilobyte and records them.
func insertRows(tx *engine.Tx, name, partition string, into Contents) error {
	table, err := tx.Table(account, name)
	for i := 0; i < 20 && err == nil; i++ {
		var e *odata.Entity
		value := []odata.Property{{Name: "Bytes", Value: odata.BinaryValue(payload(uint64(i), 500))}}
		if e, err = table.Insert(odata.Key{PartitionKey: partition, RowKey: fmt.Sprint(i)}, value); err == nil {
			into[entityPath(name, e.Key())] = e
		}
	}
	return err
}
