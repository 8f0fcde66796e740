package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdleCheckpoint: a store at rest has a short log, one that is written to
// all the time is left alone, and a long log that an earlier DB left is seen to
// even if nobody writes.
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
			return len(d.Log)
		}
		for i := range 20 {
			fill(t, db, "Table", fmt.Sprint(i), 10, 1000)
			time.Sleep(DefaultIdleAfter / 2)
		}
		if n := records(); n != 20 {
			t.Errorf("%d records are in the log of a busy store, want 20", n)
		}
		left := m.Clone()
		time.Sleep(2 * DefaultIdleAfter)
		if n := records(); n != 0 {
			t.Errorf("%d records are in the log of an idle store", n)
		}
		fill(t, db, "Table", "short", 1, 10)
		time.Sleep(time.Minute)
		if n := records(); n != 1 {
			t.Errorf("%d records are in a short log", n)
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
			t.Errorf("%d records are left of an earlier log", n)
		}
		if n := count(t, again); n != 200 {
			t.Errorf("%d entities, want 200", n)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
