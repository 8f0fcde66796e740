package engine

import "testing"

// openWithoutMeta opens a copy of a store whose metadata is corrupt, and closes the store.
func openWithoutMeta(t *testing.T, m *MemoryStorage, db *DB) (*MemoryStorage, *DB) {
	t.Helper()
	crashed := m.Clone()
	crashed.meta = []byte("corrupt")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := Open(crashed, Options{CheckpointAfter: -1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	return crashed, db
}

// TestReplacedBlocksWithoutMeta: without the metadata, the lists of blocks say which blocks
// were replaced. They do not come back with the restart after the next checkpoint.
func TestReplacedBlocksWithoutMeta(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshotOf(t, db)
	for n := range 2 {
		defer db.Pin().Unpin() // keeps the blocks that the checkpoint replaces
		changeTable(t, db, 0, 20, setNumber(n))
		runCheckpoint(t, db)
	}
	changeTable(t, db, 0, 10, removeRow)
	runCheckpoint(t, db)
	crashed, db := openWithoutMeta(t, m, db)
	for _, when := range []string{"opened", "after a checkpoint"} {
		checkTable(t, db, when, "test", 10, false)
		runCheckpoint(t, db)
		db = reopened(t, crashed, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOldListWithoutMeta: without the metadata, a list of blocks in a replaced block of
// the catalog hides no block that was written after it.
func TestOldListWithoutMeta(t *testing.T) {
	m := &MemoryStorage{}
	db := openBlock20(t, m, Options{})
	snapshot := snapshotOf(t, db).ID
	runCheckpoint(t, db)
	defer db.Pin().Unpin() // keeps the blocks that the checkpoint replaces
	if err := db.Update(func(tx *Tx) error { return tx.DeleteSnapshot("test", snapshot) }); err != nil {
		t.Fatal(err)
	}
	changeTable(t, db, 0, 20, setNumber(1))
	runCheckpoint(t, db)
	crashed, db := openWithoutMeta(t, m, db)
	for _, when := range []string{"opened", "after a checkpoint"} {
		for i := range 20 {
			checkNumber(t, db, when, i, 1)
		}
		runCheckpoint(t, db)
		db = reopened(t, crashed, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
