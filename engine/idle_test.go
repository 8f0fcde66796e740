package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdleCheckpoint: an idle store is checkpointed, a busy one is not, and a long
// WAL from an earlier DB is checkpointed even without writes.
func TestIdleCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &MemoryStorage{}
		db, err := Open(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		records := func() int {
			synctest.Wait()
			d, _ := m.Load()
			return len(d.WAL)
		}
		for i := range 20 {
			fill(t, db, "Table", fmt.Sprint(i), 10, 1000)
			time.Sleep(DefaultIdleAfter / 2)
		}
		if n := records(); n != 20 {
			t.Errorf("%d records are in the WAL of a busy store, want 20", n)
		}
		left := m.Clone()
		time.Sleep(2 * DefaultIdleAfter)
		if n := records(); n != 0 {
			t.Errorf("%d records are in the WAL of an idle store", n)
		}
		fill(t, db, "Table", "short", 1, 10)
		time.Sleep(time.Minute)
		if n := records(); n != 1 {
			t.Errorf("%d records are in a short WAL", n)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		m = left
		again, err := Open(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * DefaultIdleAfter)
		if n := records(); n != 0 {
			t.Errorf("%d records are left of an earlier WAL", n)
		}
		if n := count(t, again); n != 200 {
			t.Errorf("%d entities, want 200", n)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestIdleDeletion: a deleted table's blocks are freed without further writes once
// no reader pins them, and also after an earlier crash.
func TestIdleDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &MemoryStorage{}
		db, err := Open(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, db, "Table", "p", 1000, 1000)
		time.Sleep(2 * DefaultIdleAfter)
		// blocks counts the blocks of all tables.
		blocks := func(m *MemoryStorage) (n int) {
			synctest.Wait()
			d, _ := m.Load()
			for _, info := range d.Blocks {
				if info.Table != catalogID {
					n++
				}
			}
			return n
		}
		all := blocks(m)
		if all < 30 {
			t.Fatalf("there are %d blocks", all)
		}
		reading, done := make(chan struct{}), make(chan struct{})
		go func() {
			_ = db.View(func(tx *Tx) error {
				close(reading)
				<-done
				table, err := tx.Table("test", "Table")
				if err != nil {
					t.Error(err)
					return err
				}
				if page, err := table.Query(Query{}).Page(); len(page.Entities) != 1000 {
					t.Errorf("a reader of an older version found %d entities, %v", len(page.Entities), err)
				}
				return nil
			})
		}()
		<-reading
		err = db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Table") })
		if err != nil {
			t.Fatal(err)
		}
		crashed := m.Clone()
		fill(t, db, "Table", "p", 10, 1000) // the name is free at once
		time.Sleep(10 * DefaultIdleAfter)
		if n := blocks(m); n < all {
			t.Errorf("%d of %d blocks are left while they are read", n, all)
		}
		close(done)
		time.Sleep(2 * DefaultIdleAfter)
		if n := blocks(m); n > 1 {
			t.Errorf("%d blocks are left", n)
		}
		if n := count(t, db); n != 10 {
			t.Errorf("%d entities in the new table", n)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		for _, after := range []string{"the deletion", "the checkpoint"} {
			again, err := Open(crashed, Options{})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * DefaultIdleAfter)
			if n := blocks(crashed); n != 0 {
				t.Errorf("%d blocks are left of a crash after %s", n, after)
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			// A checkpoint that crashed before it deleted.
			d, _ := crashed.Load()
			stray := Block{Data: []byte("nobody's")}
			stray.ID, stray.Table = 100_000, 1
			if err := crashed.Checkpoint(Checkpoint{Puts: []Block{stray}, Meta: d.Meta}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
