package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sandtable/odata"
)

// checkExact fails unless the table has and reports exactly this many entities,
// whether or not blocks are quarantined.
func checkExact(t *testing.T, db *DB, when string, want int) {
	t.Helper()
	checkCount(t, db, when, want)
	if n := tableInfo(t, db).Entities; n != want {
		t.Errorf("%s: the table reports %d entities, want %d", when, n, want)
	}
}

func tableInfo(t *testing.T, db *DB) (info TableInfo) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err == nil {
			info = table.Info()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// checkCount reads the table, which quarantines its corrupt blocks, and fails unless
// the table reports this many entities, exactly or as a minimum.
func checkCount(t *testing.T, db *DB, when string, want int) {
	t.Helper()
	readAllTables(t, db)
	err := db.View(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		if err != nil {
			return err
		}
		page, err := table.Query(Query{}).Page()
		n, info := len(page.Entities), table.Info()
		if n != want || n < info.Entities || n > info.Entities && !info.AtLeast {
			t.Errorf("%s: %d entities, the table reports %+v, want %d", when, n, info, want)
		}
		if corrupt := len(db.Corruption()) > 0; info.AtLeast != corrupt {
			t.Errorf("%s: the table reports a minimum: %t, want %t", when, info.AtLeast, corrupt)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkCorruption(t *testing.T, db *DB, when string, want int) {
	t.Helper()
	if d := db.Corruption(); len(d) != want {
		t.Errorf("%s: corruption is %v, want %d entries", when, d, want)
	}
}

func isEntities(b Block) bool { return b.Table != catalogID }

// openBlock20 opens a store with 20 entities in one block, which is never cached.
func openBlock20(t *testing.T, s Storage, options Options) *DB {
	t.Helper()
	options.CheckpointAfter, options.IdleAfter, options.MemoryBudget = -1, -1, 1
	db, err := Open(s, options)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "Table", "p", 20, 1000)
	checkpointNow(t, db)
	return db
}

// reopened closes the DB and opens the store again.
func reopened(t *testing.T, m *MemoryStorage, db *DB) *DB {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := Open(m, Options{CheckpointAfter: -1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func row20(i int) odata.Key { return odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%06d", i)} }

// changeTable changes each of the rows in one update.
func changeTable(t *testing.T, db *DB, from, to int, change func(*Table, odata.Key) error) {
	t.Helper()
	err := db.Update(func(tx *Tx) error {
		table, err := tx.Table("test", "Table")
		for i := from; i < to && err == nil; i++ {
			err = change(table, row20(i))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func removeRow(table *Table, k odata.Key) error { return table.Delete(k, MustExist) }

func putRow(table *Table, k odata.Key) error {
	_, err := table.Replace(k, nil, Upsert)
	return err
}

// TestCountWithCorruptBlock: a table with a quarantined block reports at most the
// readable entities, and their exact number after a checkpoint.
func TestCountWithCorruptBlock(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(*testing.T, *DB)
		left   int
	}{
		{"nothing", func(*testing.T, *DB) {}, 0},
		{"some deleted", func(t *testing.T, db *DB) { changeTable(t, db, 0, 5, removeRow) }, 0},
		{"all deleted", func(t *testing.T, db *DB) { changeTable(t, db, 0, 20, removeRow) }, 0},
		{"some replaced", func(t *testing.T, db *DB) { changeTable(t, db, 0, 5, putRow) }, 5},
		{"some added", func(t *testing.T, db *DB) { changeTable(t, db, 20, 25, putRow) }, 5},
		{"some added and deleted", func(t *testing.T, db *DB) {
			changeTable(t, db, 18, 25, putRow)
			changeTable(t, db, 16, 24, removeRow)
		}, 1},
		{"some deleted and inserted again", func(t *testing.T, db *DB) {
			changeTable(t, db, 0, 20, removeRow)
			changeTable(t, db, 5, 8, putRow)
		}, 3},
	} {
		for _, replayed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, replayed: %t", c.name, replayed), func(t *testing.T) {
				m := &MemoryStorage{}
				db := openBlock20(t, m, Options{})
				c.before(t, db)
				corruptBlocks(m, isEntities)
				if replayed {
					db = reopened(t, m, db)
				}
				checkCount(t, db, "with the corrupt block", c.left)
				changeTable(t, db, 30, 33, putRow)
				changeTable(t, db, 31, 32, removeRow)
				checkCount(t, db, "after changes", c.left+2)
				checkpointNow(t, db)
				checkExact(t, db, "after a checkpoint", c.left+2)
				changeTable(t, db, 30, 31, removeRow)
				checkCorruption(t, db, "at the end", 1)
				db = reopened(t, m, db)
				checkExact(t, db, "reopened", c.left+1)
				checkCorruption(t, db, "reopened", 1)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// whileAppending is a storage that calls a function during its next append.
type whileAppending struct {
	MemoryStorage
	do func()
}

func (w *whileAppending) Append(seq uint64, record []byte) error {
	if do := w.do; do != nil {
		w.do = nil
		do()
	}
	return w.MemoryStorage.Append(seq, record)
}

// TestCorruptBeforeCommit: a block that an update has read turns out to be corrupt
// before the update is published.
func TestCorruptBeforeCommit(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Table, odata.Key) error
		left   int
	}{{"deletes", removeRow, 0}, {"replaces", putRow, 5}} {
		t.Run(c.name, func(t *testing.T) {
			w := &whileAppending{}
			db := openBlock20(t, w, Options{})
			w.do = func() {
				corruptBlocks(&w.MemoryStorage, isEntities)
				checkCount(t, db, "before the commit", 0)
			}
			changeTable(t, db, 0, 5, c.change)
			checkCount(t, db, "after it", c.left)
			checkpointNow(t, db)
			checkExact(t, db, "after a checkpoint", c.left)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCorruptReplacedBlock: a reader of an older version gets an error if its block
// was replaced and is corrupt, but nothing is lost.
func TestCorruptReplacedBlock(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	replaced := func(b Block) bool { return isEntities(b) && b.Count == 20 }
	err := db.View(func(tx *Tx) error {
		changeTable(t, db, 0, 21, putRow) // too much for a delta
		checkpointNow(t, db)
		corruptBlocks(m, replaced)
		table, err := tx.Table("test", "Table")
		if err == nil {
			_, err = table.Query(Query{}).Page()
		}
		return err
	})
	if !errors.Is(err, ErrReading) || !errors.Is(err, ErrStorage) {
		t.Errorf("query in the older version: %v", err)
	}
	checkCount(t, db, "afterwards", 21)
	checkCorruption(t, db, "afterwards", 0)
	db = reopened(t, m, db)
	checkExact(t, db, "reopened", 21)
	checkCorruption(t, db, "reopened", 0)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCorruptDuringCheckpoint: nothing is lost if a block becomes corrupt after a
// checkpoint has read it, even if that is found before the checkpoint ends. The count is
// right although an entity of the block was written meanwhile.
func TestCorruptDuringCheckpoint(t *testing.T) {
	m := &MemoryStorage{}
	meanwhile := func() {}
	db := openBlock20(t, m, Options{Yield: func() { meanwhile() }})
	changeTable(t, db, 0, 19, putRow) // too much for a delta
	meanwhile = func() {
		meanwhile = func() {}
		corruptBlocks(m, isEntities)
		checkCount(t, db, "during the checkpoint", 19)
		checkCorruption(t, db, "during the checkpoint", 1)
		changeTable(t, db, 19, 20, putRow) // which seems to be new
		changeTable(t, db, 21, 22, putRow)
	}
	checkpointNow(t, db)
	settle(db) // the next one counts exactly
	checkExact(t, db, "after it", 21)
	checkCorruption(t, db, "after it", 0)
	db = reopened(t, m, db)
	checkExact(t, db, "reopened", 21)
	checkCorruption(t, db, "reopened", 0)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDropDuringCheckpoint: deleting a table during a checkpoint does not make it
// fail, even if one of the table's blocks is corrupt.
func TestDropDuringCheckpoint(t *testing.T) {
	m := &MemoryStorage{}
	meanwhile := func() {}
	db, err := Open(m, Options{CheckpointAfter: -1, IdleAfter: -1, MemoryBudget: 1, Yield: func() { meanwhile() }})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "First", "p", 20, 1000)
	fill(t, db, "Table", "p", 20, 1000)
	checkpointNow(t, db)
	fill(t, db, "First", "q", 1, 1000)
	changeTable(t, db, 30, 31, putRow)
	db.writer.slice = 1
	dropped := false
	meanwhile = func() {
		meanwhile = func() {}
		dropped = true
		corruptBlocks(m, func(b Block) bool { return isEntities(b) && b.Count == 20 })
		if err := db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") }); err != nil {
			t.Error(err)
		}
	}
	if err := db.compactSome(t.Context(), &compaction{budget: mergeAtOnce}); err != nil || !dropped {
		t.Errorf("the checkpoint: %v; the table was deleted during it: %t", err, dropped)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestCorruptionOfDeletedTable: corruption of a deleted table is no longer
// reported, whether it was found by this DB or an earlier one.
func TestCorruptionOfDeletedTable(t *testing.T) {
	for name, again := range map[string]bool{"by this DB": false, "by an earlier DB": true} {
		t.Run(name, func(t *testing.T) {
			m := &MemoryStorage{}
			db := openBlock20(t, m, Options{CheckpointAfter: -1, IdleAfter: -1})
			corruptBlocks(m, isEntities)
			db = reopened(t, m, db)
			readAllTables(t, db)
			if again {
				checkpointNow(t, db)
				db = reopened(t, m, db)
			}
			if d := db.Corruption(); len(d) != 1 || d[0].Table != "Table" {
				t.Fatalf("corruption %v, want one block of the table", d)
			}
			if err := db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") }); err != nil {
				t.Fatal(err)
			}
			checkpointNow(t, db)
			db = reopened(t, m, db)
			if d := db.Corruption(); len(d) > 0 {
				t.Errorf("corruption %v of a deleted table", d)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// lacking is a storage whose rebuilt directory lacks blocks.
type lacking struct {
	*MemoryStorage
	blocks int
}

func (l *lacking) Load() (Directory, error) {
	d, err := l.MemoryStorage.Load()
	d.Missing = l.blocks
	return d, err
}

// TestMissingBlocks: that a rebuilt directory lacks blocks stays reported after a
// checkpoint, with which the storage has a whole directory again.
func TestMissingBlocks(t *testing.T) {
	m := &MemoryStorage{}
	if err := openBlock20(t, m, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	check := func(when string, db *DB, want ...string) {
		t.Helper()
		checkCorruption(t, db, when, len(want))
		for i, d := range db.Corruption() {
			if d.Kind != CorruptDirectory || !strings.Contains(d.String(), want[i]) {
				t.Errorf("%s: %v, want %q", when, d, want[i])
			}
		}
		if report, err := db.Verify(t.Context(), VerifyOptions{}); err != nil || len(report.Problems) != len(want) {
			t.Errorf("%s: %v, %v", when, report.Problems, err)
		}
	}
	db, err := Open(&lacking{m, 3}, Options{CheckpointAfter: -1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	checkCorruption(t, db, "opened", 1)
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	check("after a checkpoint", db, "blocks are missing (3)")
	changeTable(t, db, 5, 6, setNumber(1))
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	check("after another", db, "blocks are missing (3)")
	if err := db.ForgetCorruption(); err != nil {
		t.Fatal(err)
	}
	settle(db)
	check("forgotten", db)
	db = reopened(t, m, db)
	check("opened again", db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
