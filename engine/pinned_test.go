package engine

import (
	"errors"
	"fmt"
	"testing"
)

// pinnedSizes returns how many entities a state has, each of which it reads.
func pinnedSizes(t *testing.T, view func(func(*Tx) error) error) int {
	t.Helper()
	n := 0
	err := view(func(tx *Tx) error {
		table, err := tx.Table("test", "Things")
		if err != nil {
			return err
		}
		rows := table.Query(Query{})
		defer rows.Close()
		for rows.Next() {
			n++
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPinned: the state stays readable while checkpoints replace its blocks, and the
// blocks are deleted once it is let go of.
func TestPinned(t *testing.T) {
	w, db := openWatched(t, 1)
	db.cache.budget = 64 << 10 // so that blocks are read again
	fill(t, db, "Things", "p", 500, 500)
	settle(db)
	state := db.Pin()
	for round := range 4 {
		fill(t, db, "Things", fmt.Sprint("q", round), 200, 500)
		fill(t, db, "Things", "p", 500, 400+round) // replaces all blocks
		settle(db)
		if n := pinnedSizes(t, state.View); n != 500 {
			t.Fatalf("round %d: the pinned state has %d entities", round, n)
		}
	}
	if n := pinnedSizes(t, db.View); n != 1300 {
		t.Errorf("%d entities now", n)
	}
	stored := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.blocks)
	}
	pinned := stored()
	state.Unpin()
	state.Unpin() // does nothing
	for i := range 3 {
		fill(t, db, "Things", "r", 10, 100+i)
		settle(db)
	}
	if left := stored(); left >= pinned {
		t.Errorf("%d blocks are stored, %d while the state was pinned", left, pinned)
	}
	other := db.Pin()
	defer other.Unpin()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.View(func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
