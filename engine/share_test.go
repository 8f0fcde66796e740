package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// snapshotOf takes a snapshot of the account.
func snapshotOf(t *testing.T, db *DB) (s Snapshot) {
	t.Helper()
	err := db.Update(func(tx *Tx) (err error) {
		s, err = tx.TakeSnapshot("test", "clean", SnapshotTaken)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkTable checks how many entities a table of an account or of a snapshot has, and
// whether it says that there may be more.
func checkTable(t *testing.T, db *DB, when, holder string, want int, atLeast bool) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		table, err := tx.Table(holder, "Table")
		if err != nil {
			return err
		}
		page, err := table.Query(Query{}).Page()
		if info := table.Info(); len(page.Entities) != want || info.Entities != want || info.AtLeast != atLeast {
			t.Errorf("%s: %d entities, want %d; the table of %s says %+v", when, len(page.Entities), want, holder, info)
		}
		return err
	})
	if err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// TestDeltasOfSharedBlocks: a snapshot shares a block and the deltas that it had by
// then; later deltas are the table's alone. A table that was restored from the
// snapshot gets no deltas to that block, which another table wrote.
func TestDeltasOfSharedBlocks(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	change := func(f func(tx *Tx) error) {
		t.Helper()
		if err := db.Update(f); err != nil {
			t.Fatal(err)
		}
	}
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	snapshot := snapshotOf(t, db).ID
	changeTable(t, db, 3, 4, setNumber(2))
	runCheckpoint(t, db)
	checkParts(t, m, "after the snapshot", 1, 2)
	db = reopened(t, m, db)
	checkNumber(t, db, "reopened", 3, 2)

	change(func(tx *Tx) error { return tx.RestoreSnapshot("test", snapshot) })
	checkNumber(t, db, "restored", 3, 1)
	changeTable(t, db, 4, 5, setNumber(3))
	runCheckpoint(t, db)
	runCheckpoint(t, db)
	checkParts(t, m, "restored and changed", 2, 1)
	db = reopened(t, m, db)
	checkNumber(t, db, "restored, reopened", 3, 1)
	checkNumber(t, db, "restored, reopened", 4, 3)

	change(func(tx *Tx) error { return tx.DeleteSnapshot("test", snapshot) })
	runCheckpoint(t, db)
	runCheckpoint(t, db)
	checkParts(t, m, "without the snapshot", 1, 0)
	db = reopened(t, m, db)
	checkExact(t, db, "in the end", 20)
	report, err := db.Verify(t.Context(), VerifyOptions{})
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %v, %v", report.Problems, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPatchedTableDroppedDuringCheckpoint: what a checkpoint stores has the tables that
// were dropped since it began, also one whose delta is to a block that a snapshot had,
// which is gone by then.
func TestPatchedTableDroppedDuringCheckpoint(t *testing.T) {
	m := &MemoryStorage{}
	var during func(*Tx) error // what happens in the next checkpoint
	var db *DB
	db = openBlock20(t, m, Options{Yield: func() {
		if f := during; f != nil {
			during = nil
			if err := db.Update(f); err != nil {
				t.Error(err)
			}
		}
	}})
	changeTable(t, db, 3, 4, setNumber(1))
	snapshot := snapshotOf(t, db).ID
	during = func(tx *Tx) error { return tx.DeleteSnapshot("test", snapshot) }
	runCheckpoint(t, db)
	during = func(tx *Tx) error { return tx.DeleteTable("test", "Table") }
	runCheckpoint(t, db)
	if during != nil {
		t.Fatal("the checkpoint did not yield")
	}
	again, err := Open(m.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found := again.Corruption(); len(found) > 0 {
		t.Errorf("after a crash: %v", found)
	}
	for _, db := range []*DB{again, db} {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClonesAreScannedOnce: the end of a checkpoint, for which updates wait, takes no longer
// for more clones of a table.
func TestClonesAreScannedOnce(t *testing.T) {
	db := openBlock20(t, &MemoryStorage{}, Options{})
	for range 3 {
		snapshotOf(t, db)
	}
	c := &checkpoint{db: db, base: db.current.Load()}
	visited := 0
	c.eachStored(c.base, func(*blockRef) { visited++ })
	if tables := c.base.blocks(); tables != 4 || visited != 1 {
		t.Errorf("the block of %d tables is visited %d times", tables, visited)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCorruptBlockOfSnapshot: a corrupt block of a table and a snapshot is reported, and
// both have at least what is left, also after checkpoints, restarts, and the deletion of
// the table that wrote the block.
func TestCorruptBlockOfSnapshot(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db).Holder()
	runCheckpoint(t, db)
	corruptBlocks(m, isEntities)
	db = reopened(t, m, db)
	readAllTables(t, db)
	check := func(when string) {
		t.Helper()
		checkCorruption(t, db, when, 1)
		checkTable(t, db, when, snapshot, 0, true)
	}
	check("found")
	changeTable(t, db, 30, 31, putRow)
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	check("changed, reopened")
	if err := db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") }); err != nil {
		t.Fatal(err)
	}
	runCheckpoint(t, db)
	check("deleted")
	db = reopened(t, m, db)
	check("deleted, reopened")
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	check("reopened again")
	if d := db.Corruption(); len(d) == 1 && d[0].Account != snapshot {
		t.Errorf("it is reported of the account %q", d[0].Account)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLossOutlivesSnapshot: a table that was rewritten without a corrupt block says so also
// after the snapshot is gone that still had the block.
func TestLossOutlivesSnapshot(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db)
	runCheckpoint(t, db)
	corruptBlocks(m, isEntities)
	db = reopened(t, m, db)
	readAllTables(t, db)
	changeTable(t, db, 3, 4, putRow)
	runCheckpoint(t, db)
	if err := db.Update(func(tx *Tx) error { return tx.DeleteSnapshot("test", snapshot.ID) }); err != nil {
		t.Fatal(err)
	}
	runCheckpoint(t, db)
	for _, when := range []string{"without the snapshot", "reopened"} {
		checkCorruption(t, db, when, 1)
		checkTable(t, db, when, "test", 1, true)
		db = reopened(t, m, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCloneOfLostTable: if the catalog has lost a table, a clone of it in the WAL lacks its
// entities, and what the WAL replaces in the clone is new there.
func TestCloneOfLostTable(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db).ID
	if err := db.Update(func(tx *Tx) error { return tx.RestoreSnapshot("test", snapshot) }); err != nil {
		t.Fatal(err)
	}
	changeTable(t, db, 3, 6, putRow)
	corruptBlocks(m, func(b Block) bool { return b.Table == catalogID })
	db = reopened(t, m, db)
	checkTable(t, db, "reopened", "test", 3, false)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCorruptDeltaOfSharedBlock: a snapshot has a block without the delta of its table
// that is corrupt, and keeps it.
func TestCorruptDeltaOfSharedBlock(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db).Holder()
	runCheckpoint(t, db)
	changeTable(t, db, 3, 4, setNumber(1))
	runCheckpoint(t, db)
	corruptBlocks(m, func(b Block) bool { return b.Base != 0 })
	db = reopened(t, m, db)
	readAllTables(t, db)
	for _, when := range []string{"found", "reopened", "reopened again"} {
		checkCorruption(t, db, when, 1)
		checkTable(t, db, when, snapshot, 20, false)
		checkTable(t, db, when, "test", 0, true)
		runCheckpoint(t, db)
		db = reopened(t, m, db)
	}
	changeTable(t, db, 3, 4, putRow)
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	checkCorruption(t, db, "rewritten", 1)
	checkTable(t, db, "rewritten", snapshot, 20, false)
	checkTable(t, db, "rewritten", "test", 1, true)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSharedBlockIsMissing: the catalog lists the blocks of tables that share some. One
// that the directory does not have is reported.
func TestSharedBlockIsMissing(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db).Holder()
	runCheckpoint(t, db)
	for id, b := range m.blocks {
		if isEntities(b) {
			delete(m.blocks, id)
		}
	}
	db = reopened(t, m, db)
	checkCorruption(t, db, "reopened", 2)
	for _, holder := range []string{"test", snapshot} {
		checkTable(t, db, "reopened", holder, 0, true)
	}
	for _, d := range db.Corruption() {
		if !errors.Is(d.Err, ErrCorrupt) {
			t.Errorf("%v: the cause is %v", d, d.Err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLostListsOfBlocks: if the part of the catalog that lists blocks is corrupt, a table
// does not show the values that only a snapshot still had.
func TestLostListsOfBlocks(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	err := db.Update(func(tx *Tx) error {
		for i := range 600 { // so that the catalog has another block
			if err := tx.CreateTable("test", fmt.Sprintf("a%s%d", strings.Repeat("x", 40), i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshotOf(t, db)
	changeTable(t, db, 0, 20, setNumber(1))
	runCheckpoint(t, db)
	db = reopened(t, m, db)
	corruptBlocks(m, func(b Block) bool { return b.Table == catalogID && isShares(b.First) })
	for _, when := range []string{"reopened", "reopened after a checkpoint"} {
		db = reopened(t, m, db)
		if len(db.Corruption()) == 0 {
			t.Errorf("%s: nothing is reported", when)
		}
		for i := range 20 {
			checkNumber(t, db, when, i, 1)
		}
		runCheckpoint(t, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// unlisting is a storage whose directory lacks a block, as the IndexedDB directory lacks
// the blocks of a checkpoint whose outcome was unknown.
type unlisting struct {
	*MemoryStorage
	hidden BlockID
}

func (u unlisting) Load() (Directory, error) {
	d, err := u.MemoryStorage.Load()
	d.Blocks = slices.DeleteFunc(d.Blocks, func(i BlockInfo) bool { return i.ID == u.hidden })
	return d, err
}

// TestGarbageWithoutEntry: a replaced block is deleted even if the directory lacks it.
func TestGarbageWithoutEntry(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	reader := db.Pin()
	changeTable(t, db, 0, 20, setNumber(1))
	runCheckpoint(t, db)
	crashed := m.Clone()
	reader.Unpin()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	garbage := db.writer.garbage()
	if len(garbage) == 0 {
		t.Fatal("no block was kept for the reader")
	}
	db, err := Open(unlisting{crashed, garbage[0]}, Options{CheckpointAfter: -1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	runCheckpoint(t, db)
	if _, err := crashed.ReadBlocks(garbage[:1]); !errors.Is(err, ErrBlockNotFound) {
		t.Errorf("the block is still there: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
