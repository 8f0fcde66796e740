package engine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"sandtable/engine/internal/block"
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// storedParts returns how many blocks of entities and how many deltas a storage has.
func storedParts(m *MemoryStorage) (blocks, deltas int) {
	for _, b := range m.blocks {
		switch {
		case b.Table == catalogID:
		case b.Base == 0:
			blocks++
		default:
			deltas++
		}
	}
	return blocks, deltas
}

// runCheckpoint runs a checkpoint that compacts nothing.
func runCheckpoint(t *testing.T, db *DB) {
	t.Helper()
	if err := db.queue.leadExclusive(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	db.startCheckpoint(nil, done)
	db.queue.handOver(nil)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func checkParts(t *testing.T, m *MemoryStorage, when string, blocks, deltas int) {
	t.Helper()
	if b, d := storedParts(m); b != blocks || d != deltas {
		t.Errorf("%s: %d blocks and %d deltas are stored, want %d and %d", when, b, d, blocks, deltas)
	}
}

// setNumber returns a change that sets one small property.
func setNumber(n int) func(*Table, odata.Key) error {
	return func(table *Table, k odata.Key) error {
		_, err := table.Replace(k, []odata.Property{{Name: "N", Value: odata.Int32Value(int32(n))}}, Upsert)
		return err
	}
}

func checkNumber(t *testing.T, db *DB, when string, i, want int) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err != nil {
			return err
		}
		e, err := table.Get(row20(i))
		if err != nil {
			return err
		}
		if v, _ := e.Property("N"); v != odata.Int32Value(int32(want)) {
			t.Errorf("%s: N of row %d is %v, want %d", when, i, v, want)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// TestFewChangesAreWrittenAsDelta: a checkpoint writes the changes to a block next to
// it, until there are maxDeltas; the next one rewrites the block and deletes them.
func TestFewChangesAreWrittenAsDelta(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	for n := range maxDeltas {
		changeTable(t, db, 3, 4, setNumber(n))
		runCheckpoint(t, db)
		checkParts(t, m, fmt.Sprint("after delta ", n+1), 1, n+1)
		checkNumber(t, db, "live", 3, n)
	}
	db = reopened(t, m, db)
	checkExact(t, db, "reopened", 20)
	checkNumber(t, db, "reopened", 3, maxDeltas-1)

	changeTable(t, db, 4, 5, setNumber(100))
	runCheckpoint(t, db)
	runCheckpoint(t, db) // deletes what the one before replaced
	checkParts(t, m, "rewritten", 1, 0)
	checkNumber(t, db, "rewritten", 3, maxDeltas-1)
	checkNumber(t, db, "rewritten", 4, 100)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDeltaInsertsAndDeletes(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	changeTable(t, db, 20, 22, setNumber(1)) // behind the block's last row
	changeTable(t, db, 0, 2, removeRow)      // its first rows
	runCheckpoint(t, db)
	checkParts(t, m, "both", 1, 1)
	checkExact(t, db, "both", 20)
	changeTable(t, db, 20, 21, removeRow) // of the delta
	runCheckpoint(t, db)
	checkParts(t, m, "deleted", 1, 2)
	db = reopened(t, m, db)
	checkExact(t, db, "reopened", 19)
	checkCorruption(t, db, "reopened", 0)

	// What comes and goes between two checkpoints is not written.
	changeTable(t, db, 30, 31, setNumber(1))
	changeTable(t, db, 30, 31, removeRow)
	runCheckpoint(t, db)
	checkParts(t, m, "inserted and deleted", 1, 2)
	checkExact(t, db, "inserted and deleted", 19)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestBlockIsRewritten: where a delta is not possible or not worth it, a checkpoint
// rewrites the block.
func TestBlockIsRewritten(t *testing.T) {
	before := func(table *Table, k odata.Key) error {
		k.PartitionKey = "a"
		return setNumber(1)(table, k)
	}
	for name, change := range map[string]func(*testing.T, *DB){
		"it begins with a change": func(t *testing.T, db *DB) { changeTable(t, db, 0, 1, before) },
		"most of it changed":      func(t *testing.T, db *DB) { changeTable(t, db, 0, 20, setNumber(1)) },
		"little is left of it":    func(t *testing.T, db *DB) { changeTable(t, db, 0, 14, removeRow) },
	} {
		t.Run(name, func(t *testing.T) {
			m := &MemoryStorage{}
			db := openBlock20(t, m, Options{})
			change(t, db)
			runCheckpoint(t, db)
			runCheckpoint(t, db)
			checkParts(t, m, "afterwards", 1, 0)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCorruptPart: if a block or one of its deltas is corrupt, the whole block is
// quarantined, also after a restart: without the delta it would show old entities.
func TestCorruptPart(t *testing.T) {
	isDelta := func(b Block) bool { return b.Base != 0 }
	for name, corrupt := range map[string]func(*MemoryStorage){
		"the block is corrupt": func(m *MemoryStorage) { corruptBlocks(m, func(b Block) bool { return isEntities(b) && !isDelta(b) }) },
		"the delta is corrupt": func(m *MemoryStorage) { corruptBlocks(m, isDelta) },
	} {
		t.Run(name, func(t *testing.T) {
			m := &MemoryStorage{}
			db := openBlock20(t, m, Options{})
			changeTable(t, db, 3, 4, setNumber(1))
			runCheckpoint(t, db)
			corrupt(m)
			db = reopened(t, m, db)
			checkCount(t, db, "found", 0)
			checkCorruption(t, db, "found", 1)
			changeTable(t, db, 5, 6, setNumber(2))
			runCheckpoint(t, db)
			checkCount(t, db, "written on", 1)
			checkParts(t, m, "written on", 2, 1) // evidence and a new block
			db = reopened(t, m, db)
			checkCount(t, db, "reopened", 1)
			checkCorruption(t, db, "reopened", 1)
			if n := tableInfo(t, db).Entities; n != 1 {
				t.Errorf("the table reports %d entities, want 1", n)
			}
			if err := db.ForgetCorruption(); err != nil {
				t.Fatal(err)
			}
			settle(db)
			checkParts(t, m, "forgotten", 1, 0)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestDeltaOfCorruptBlock: a block that turns out corrupt while a checkpoint writes a
// delta to it stays in quarantine, with the delta.
func TestDeltaOfCorruptBlock(t *testing.T) {
	m := &MemoryStorage{}
	meanwhile := func() {}
	db := openBlock20(t, m, Options{Yield: func() { meanwhile() }})
	changeTable(t, db, 3, 4, setNumber(1))
	meanwhile = func() {
		meanwhile = func() {}
		corruptBlocks(m, func(b Block) bool { return isEntities(b) && b.Base == 0 })
		checkCount(t, db, "during the checkpoint", 1)
		checkCorruption(t, db, "during the checkpoint", 1)
	}
	runCheckpoint(t, db)
	checkCorruption(t, db, "after it", 1)
	checkParts(t, m, "after it", 1, 1)
	db = reopened(t, m, db)
	checkCorruption(t, db, "reopened", 1)
	checkCount(t, db, "reopened", 0)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDeltaWithoutBlock: a delta whose block is not in the directory is reported.
func TestDeltaWithoutBlock(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	for id, b := range m.blocks {
		if isEntities(b) && b.Base == 0 {
			delete(m.blocks, id)
		}
	}
	db = reopened(t, m, db)
	checkCorruption(t, db, "reopened", 1)
	checkCount(t, db, "reopened", 0)
	checkParts(t, m, "reopened", 0, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDeltaThatLeavesNothing: no checkpoint writes one, and no reader expects it.
func TestDeltaThatLeavesNothing(t *testing.T) {
	e := &odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: 1}
	var w block.Builder
	w.Add(e)
	base := finishBlock(&w, 7, 2)
	e.Timestamp = block.Deleted
	w.Add(e)
	var r blockRef
	r.set(base.BlockInfo, nil)
	delta := finishDelta(&w, 8, &r, 0)
	if _, err := openParts([][]byte{base.Data, delta.Data}, r.with(delta.BlockInfo)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v, want ErrCorrupt", err)
	}
}

// TestDeltasWithoutMeta: without the metadata every block is read, and deltas apply:
// what they deleted does not come back.
func TestDeltasWithoutMeta(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	changeTable(t, db, 5, 7, removeRow)
	runCheckpoint(t, db)
	m.meta = bytes.Clone(m.meta)
	m.meta[len(m.meta)-1] ^= 1
	db = reopened(t, m, db)
	if n := tableInfo(t, db).Entities; n != 18 {
		t.Errorf("the table reports %d entities, want 18", n)
	}
	checkNumber(t, db, "reopened", 3, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCompactMergesDeltas: a compacted store has none.
func TestCompactMergesDeltas(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	changeTable(t, db, 4, 5, setNumber(2))
	if _, _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkParts(t, m, "compacted", 1, 0)
	checkNumber(t, db, "compacted", 3, 1)
	checkNumber(t, db, "compacted", 4, 2)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDirectoryBeforeDeltas: a directory that was written before there were deltas is
// read.
func TestDirectoryBeforeDeltas(t *testing.T) {
	want := []BlockInfo{{ID: 300, Table: 2, First: odata.Key{PartitionKey: "p", RowKey: "r"}, Count: 3, Size: 4}}
	old := append(encoding.Begin(nil), "\x01\x00\x00\x00\xac\x02\x02\x01p\x01r\x03\x04"...)
	got, err := DecodeDirectory(encoding.Seal(old, encoding.Directory))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestDescribeDelta: the directory's entry of a delta is in its bytes.
func TestDescribeDelta(t *testing.T) {
	var w block.Builder
	w.Add(&odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: 1})
	d := finishDelta(&w, 7, &blockRef{BlockInfo: BlockInfo{ID: 5, Table: 2}}, 20)
	want := BlockInfo{ID: 7, Table: 2, Base: 5, Count: 20, Size: len(d.Data)}
	if got, err := DescribeBlock(d.Data); err != nil || got != want || d.BlockInfo != want {
		t.Errorf("got %v, %v, made %v, want %v", got, err, d.BlockInfo, want)
	}
	for name, info := range map[string]BlockInfo{
		"another base":  {ID: 7, Table: 2, Base: 6, Count: 20},
		"another count": {ID: 7, Table: 2, Base: 5, Count: 21},
		"no delta":      {ID: 7, Table: 2, Count: 1, First: odata.Key{PartitionKey: "p", RowKey: "r"}},
	} {
		if _, err := openBlock(d.Data, info); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

// TestDescribeBlockKeepsNoBytes: a rebuilt directory must not hold its blocks in memory.
func TestDescribeBlockKeepsNoBytes(t *testing.T) {
	var w block.Builder
	w.Add(&odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: 1})
	b := finishBlock(&w, 7, 2)
	info, err := DescribeBlock(b.Data)
	clear(b.Data)
	if want := (odata.Key{PartitionKey: "p", RowKey: "r"}); err != nil || info.First != want {
		t.Errorf("got %v, %v, want %v", info.First, err, want)
	}
}
