package engine

import (
	"fmt"
	"runtime"
	"testing"
)

// unread is a storage whose block reads wait for the test.
type unread struct {
	MemoryStorage
	asked, let chan struct{} // nil if reads do not wait
}

func (u *unread) ReadBlocks(ids []BlockID) ([][]byte, error) {
	if u.let != nil {
		u.asked <- struct{}{}
		<-u.let
	}
	return u.MemoryStorage.ReadBlocks(ids)
}

// TestWALIsBounded: many records start a checkpoint, however short they are, and
// writers that are faster than the checkpoint wait for it.
func TestWALIsBounded(t *testing.T) {
	u := &unread{asked: make(chan struct{}, 100)}
	db, err := Open(u, Options{CheckpointAfter: 1 << 30, MemoryBudget: 1})
	if err != nil {
		t.Fatal(err)
	}
	records := func() int {
		d, _ := u.Load()
		return len(d.WAL)
	}
	n := 0
	put := func() {
		n++
		err := db.Update(func(tx *Tx) error { return tx.PutAccount(Account{Name: "other", Properties: fmt.Sprint(n)}) })
		if err != nil {
			t.Error(err)
		}
	}
	fill(t, db, "Table", "p", 100, 1000)
	for range maxWALRecords - 1 { // merge into blocks
		put()
	}
	settle(db)
	if got := records(); got != 0 {
		t.Fatalf("%d records are in the WAL", got)
	}
	// The next checkpoint reads the changed block, which takes long.
	fill(t, db, "Table", "p", 1, 1000)
	u.let = make(chan struct{})
	most := maxWALRecords + maxWALRecords/2 // the other half is released slice by slice
	for range most - 1 {
		put()
	}
	<-u.asked
	if got := records(); got != most {
		t.Fatalf("%d records are in the WAL, want %d", got, most)
	}
	done := make(chan struct{})
	for range 3 {
		go func() {
			err := db.Update(func(tx *Tx) error { return tx.CreateTable("test", "Late") })
			if err != nil && err != ErrTableExists {
				t.Error(err)
			}
			done <- struct{}{}
		}()
	}
	for waiting := 0; waiting < 3; runtime.Gosched() {
		db.queue.mu.Lock()
		waiting = len(db.queue.updates)
		db.queue.mu.Unlock()
	}
	if got := records(); got != most {
		t.Errorf("%d records are in the WAL while writers wait", got)
	}
	if got := count(t, db); got != 100 {
		t.Errorf("a reader found %d entities", got)
	}
	close(u.let)
	for range 3 {
		<-done
	}
	settle(db)
	if got := records(); got > maxWALRecords+3 {
		t.Errorf("%d records are in the WAL after the checkpoint", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWritersKeepPace: a writer that fills the WAL during a checkpoint can continue
// a little after each slice, within the bound.
func TestWritersKeepPace(t *testing.T) {
	w := &watched{}
	var db *DB
	var log []int // its number of records when writers had to wait
	isHeld := func() bool {
		db.queue.mu.Lock()
		defer db.queue.mu.Unlock()
		return db.queue.throttled
	}
	db, err := Open(w, Options{CheckpointAfter: 1 << 30, Yield: func() {
		if isHeld() {
			return
		}
		for n := 0; !isHeld(); n++ {
			fill(t, db, "Other", "p", 1, 10)
		}
		d, _ := w.Load()
		log = append(log, len(d.WAL))
	}})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "Table", "p", 4000, 500) // two megabytes
	for range maxWALRecords - 1 {
		fill(t, db, "Other", "p", 1, 10)
	}
	settle(db)
	if len(log) < 4 || log[0] != maxWALRecords+maxWALRecords/2 {
		t.Fatalf("there were %d records when writers had to wait", log)
	}
	for i := range log[1:] {
		if n := log[i+1] - log[i]; n < maxWALRecords/50 || n > maxWALRecords/4 {
			t.Errorf("%d records more after slice %d", n, i)
		}
	}
	if last := log[len(log)-1]; last > 2*maxWALRecords {
		t.Errorf("there were %d records", last)
	}
	if n := count(t, db); n != 4000 {
		t.Errorf("%d entities", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
