package engine

import (
	"fmt"
	"testing"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// watched is a storage that counts, and fails checkpoints on demand.
type watched struct {
	MemoryStorage
	failing     bool
	checkpoints []Checkpoint // those with blocks, including failed ones
	// losesLast makes only last slices fail, after they were written.
	losesLast bool
	seq       uint64
	called    func() // after each call; nil for nothing
}

func (w *watched) Checkpoint(c Checkpoint) error {
	if w.called != nil {
		defer w.called()
	}
	if w.losesLast && c.Seq > w.seq {
		w.seq = c.Seq
		_ = w.MemoryStorage.Checkpoint(c)
		return errTest
	}
	if len(c.Puts) == 0 {
		return w.MemoryStorage.Checkpoint(c) // frees what was replaced
	}
	w.checkpoints = append(w.checkpoints, c)
	if w.failing {
		// The worst case: it was written but reported as failed.
		_ = w.MemoryStorage.Checkpoint(c)
		return errTest
	}
	return w.MemoryStorage.Checkpoint(c)
}

func openWatched(t *testing.T, after int) (*watched, *DB) {
	t.Helper()
	w := &watched{}
	db, err := Open(w, Options{CheckpointAfter: after, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, db
}

// settle waits for the current checkpoint.
func settle(db *DB) {
	db.queue.mu.Lock()
	defer db.queue.mu.Unlock()
	db.queue.waitIdle()
}

// fill inserts n entities of about size bytes in one update.
func fill(t *testing.T, db *DB, table, prefix string, n, size int) {
	t.Helper()
	err := db.Update(func(tx *Tx) error {
		_ = tx.PutAccount(Account{Name: "test"})
		_ = tx.CreateTable("test", table)
		tbl, err := tx.Table("test", table)
		value := []odata.Property{{Name: "B", Value: odata.BinaryValue(make([]byte, size))}}
		for i := 0; i < n && err == nil; i++ {
			_, err = tbl.Replace(odata.Key{PartitionKey: prefix, RowKey: fmt.Sprintf("%06d", i)}, value, Upsert)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheckpointBlocks: entities are split into blocks of about 32 KiB, and only
// changed tables are rewritten.
func TestCheckpointBlocks(t *testing.T) {
	w, db := openWatched(t, 1)
	fill(t, db, "First", "p", 1000, 500)
	settle(db)
	var puts []Block
	for _, c := range w.checkpoints {
		if len(c.Puts)*block.TargetSize > sliceSize+4*block.TargetSize {
			t.Errorf("a slice has %d blocks", len(c.Puts))
		}
		puts = append(puts, c.Puts...)
	}
	slices := len(w.checkpoints)
	entities := 0
	for _, b := range puts {
		if len(b.Data) != b.Size || b.Size > block.TargetSize+1000 {
			t.Errorf("block %d has %d bytes, its directory says %d", b.ID, len(b.Data), b.Size)
		}
		if b.Table != catalogID {
			entities += b.Count
		}
	}
	if entities != 1000 || len(puts) < 16 || len(puts) > 19 {
		t.Errorf("%d entities in %d blocks", entities, len(puts))
	}
	if d, _ := w.Load(); len(d.WAL) != 0 {
		t.Errorf("%d records are left in the WAL", len(d.WAL))
	}
	fill(t, db, "Second", "p", 1, 100_000) // larger than a block
	settle(db)
	for _, b := range w.checkpoints[slices].Puts {
		if b.Table == puts[0].Table {
			t.Errorf("block %d of a table that has not changed was written again", b.ID)
		}
	}
}

// TestCheckpointYields: a checkpoint yields before each slice, so that other
// goroutines can read and write even on a single thread.
func TestCheckpointYields(t *testing.T) {
	w := &watched{}
	var db *DB
	turns := 0
	db, err := Open(w, Options{CheckpointAfter: 1 << 20, Yield: func() {
		turns++
		fill(t, db, "Table", fmt.Sprint("turn", turns), 1, 10)
		if n := count(t, db); n != 4000+turns {
			t.Errorf("%d entities in turn %d", n, turns)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "Table", "p", 4000, 500)
	settle(db)
	if n := len(w.checkpoints); n < 4 || turns < n {
		t.Errorf("%d turns of other goroutines during %d slices", turns, n)
	}
	again, err := Open(w.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, again); n != 4000+turns {
		t.Errorf("%d entities are stored, want %d", n, 4000+turns)
	}
	for _, db := range []*DB{again, db} {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckpointIsAmortised: a small change does not rewrite a large table.
func TestCheckpointIsAmortised(t *testing.T) {
	w, db := openWatched(t, 1000)
	fill(t, db, "Table", "p", 2000, 500) // a megabyte
	settle(db)
	written := 0
	for i := range 300 {
		fill(t, db, "Table", fmt.Sprint("q", i), 1, 1000)
	}
	// A WAL record counts 256 bytes more than its size.
	must := 300 * (1000 + recordCost)
	settle(db)
	for _, c := range w.checkpoints[1:] {
		for _, b := range c.Puts {
			written += b.Size
		}
	}
	if len(w.checkpoints) < 2 || written > 5*must {
		t.Errorf("%d bytes in %d checkpoints for %d bytes of changes", written, len(w.checkpoints)-1, must)
	}
}

// TestCheckpointFails: the WAL stays, a later checkpoint removes what the failed
// one may have left, and block ids are not reused.
func TestCheckpointFails(t *testing.T) {
	w, db := openWatched(t, 1000)
	fill(t, db, "Table", "a", 5, 500)
	settle(db)
	w.failing = true
	fill(t, db, "Table", "b", 5, 500)
	settle(db)
	after, err := Open(w.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, after); n != 10 || len(after.Corruption()) > 0 {
		t.Errorf("%d entities after the failure, corruption %v", n, after.Corruption())
	}
	w.failing = false
	fill(t, db, "Table", "c", 5, 500)
	settle(db)
	if n := len(w.checkpoints); n != 3 {
		t.Fatalf("%d checkpoints, want 3", n)
	}
	seen := make(map[BlockID]bool)
	for _, c := range w.checkpoints {
		for _, b := range c.Puts {
			if seen[b.ID] {
				t.Errorf("block identity %d is used twice", b.ID)
			}
			seen[b.ID] = true
		}
	}
	again, err := Open(w.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.Load()
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, info := range d.Blocks {
		if info.Table != catalogID {
			total += info.Count
		}
	}
	if n := count(t, again); n != 15 || total != 15 {
		t.Errorf("%d entities, %d in the directory, want 15", n, total)
	}
}

// TestCrashInCheckpoint: nothing is lost, whichever storage call is the last one
// before a crash, even if the previous checkpoint reported a failure.
func TestCrashInCheckpoint(t *testing.T) {
	w, db := openWatched(t, 1000)
	db.SetSlice(4 << 10)
	var crashed []*MemoryStorage
	w.called = func() { crashed = append(crashed, w.Clone()) }
	const rounds, n = 12, 100
	total := 0
	for i := range rounds {
		w.losesLast = i%2 == 0
		fill(t, db, "Table", fmt.Sprint((i*5)%rounds), n, 700)
		settle(db)
		for _, m := range crashed {
			after, err := Open(m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := count(t, after); got != (i+1)*n || len(after.Corruption()) > 0 {
				t.Fatalf("round %d: %d entities after a crash, want %d; corruption %v", i, got, (i+1)*n, after.Corruption())
			}
		}
		total, crashed = total+len(crashed), nil
	}
	if total < 3*rounds {
		t.Errorf("%d crashes are too few to cover every call", total)
	}
	d, err := w.Load()
	if err != nil {
		t.Fatal(err)
	}
	entities := 0
	for _, info := range d.Blocks {
		if info.Table != catalogID {
			entities += info.Count
		}
	}
	if entities != rounds*n {
		t.Errorf("%d entities are in blocks, want %d: some were not freed", entities, rounds*n)
	}
}

// TestCheckpointOfDeletedTable: the checkpoint after a deletion frees the table's blocks.
func TestCheckpointOfDeletedTable(t *testing.T) {
	w, db := openWatched(t, 1)
	fill(t, db, "Table", "p", 100, 1000)
	settle(db)
	err := db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") })
	if err != nil {
		t.Fatal(err)
	}
	// The table was large compared with the WAL; changes elsewhere make a checkpoint due.
	fill(t, db, "Other", "p", 100, 1000)
	settle(db)
	d, err := w.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range d.Blocks {
		if info.Table != catalogID && info.Table != 2 {
			t.Errorf("block %d of the deleted table is left", info.ID)
		}
	}
}

// TestNoCheckpoints: a negative size disables checkpoints.
func TestNoCheckpoints(t *testing.T) {
	w, db := openWatched(t, -1)
	for i := range 50 {
		fill(t, db, "Table", fmt.Sprint(i), 10, 5000)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if len(w.checkpoints) > 0 {
		t.Errorf("%d checkpoints", len(w.checkpoints))
	}
}

// TestTableIdentitiesAreNotUsedAgain: table ids are not reused, even after the
// table is gone from catalog and WAL.
func TestTableIdentitiesAreNotUsedAgain(t *testing.T) {
	m := &MemoryStorage{}
	seen := make(map[TableID]bool)
	for range 5 {
		db, err := Open(m, Options{CheckpointAfter: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *Tx) error {
			if err := tx.PutAccount(Account{Name: "test"}); err != nil {
				return err
			}
			if err := tx.CreateTable("test", "Table"); err != nil {
				return err
			}
			table, err := tx.Table("test", "Table")
			if err != nil {
				return err
			}
			if seen[table.id] {
				t.Errorf("table identity %d is used twice", table.id)
			}
			seen[table.id] = true
			return nil
		})
		if err == nil {
			err = db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") })
		}
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
