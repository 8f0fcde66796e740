package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// waitFor returns when the given numbers of exclusive leaders and updates wait.
func waitFor(db *DB, alone, updates int) {
	for {
		db.queue.mu.Lock()
		there := len(db.queue.exclusive) == alone && len(db.queue.updates) == updates
		db.queue.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

// TestLeadExclusive: if writers are so fast that a checkpoint is always due,
// exclusive leaders follow the current checkpoint in order of arrival, before
// waiting updates. A canceled one returns at once.
func TestLeadExclusive(t *testing.T) {
	const waiters = 3
	var db *DB
	w := &watched{}
	var checkpoints []int // finished when each of them led
	var seqs []uint64     // of the WAL
	done := make(chan struct{}, waiters+1)
	lead := func() {
		if err := db.queue.leadExclusive(t.Context()); err != nil {
			t.Error(err)
		}
		checkpoints, seqs = append(checkpoints, len(w.checkpoints)), append(seqs, db.current.Load().seq)
		db.startCheckpoint(nil, nil)
		db.queue.handOver(nil)
		done <- struct{}{}
	}
	giveUp := func(name string, do func(context.Context) error) {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- do(ctx) }()
		waitFor(db, waiters+1, 0)
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("%s, canceled: %v", name, err)
		}
		waitFor(db, waiters, 0)
	}
	turns := 0
	meanwhile := func() {
		if turns++; turns <= 2*waiters {
			fill(t, db, "Table", fmt.Sprint("turn", turns), 1, 10) // makes the next one due
		}
		if turns > 1 {
			return
		}
		for i := range waiters {
			go lead()
			waitFor(db, i+1, 0)
		}
		giveUp("the lead", db.queue.leadExclusive)
		giveUp("a compaction", func(ctx context.Context) error { _, _, err := db.Compact(ctx, nil); return err })
	}
	var seq uint64 // when an update began to wait
	w.called = func() {
		if seq != 0 {
			return
		}
		seq = db.current.Load().seq
		go func() {
			fill(t, db, "Table", "late", 1, 10)
			done <- struct{}{}
		}()
		waitFor(db, waiters, 1)
	}
	db, err := Open(w, Options{CheckpointAfter: 1, IdleAfter: -1, Yield: meanwhile})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "Table", "p", 10, 100)
	for range waiters + 1 {
		<-done
	}
	settle(db)
	if want := []int{1, 2, 3}; !slices.Equal(checkpoints, want) {
		t.Errorf("they led after %v checkpoints, want %v", checkpoints, want)
	}
	if len(seqs) == 0 || seqs[0] != seq {
		t.Errorf("they led at the records %v, a later update has waited since %d", seqs, seq)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.queue.leadExclusive(t.Context()); err != ErrClosed {
		t.Errorf("in a closed store: %v", err)
	}
}
