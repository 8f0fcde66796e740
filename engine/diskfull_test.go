package engine

import (
	"fmt"
	"testing"

	"sandtable/odata"
)

// narrow is a storage with space for a limited number of bytes of blocks.
type narrow struct {
	MemoryStorage
	space   int // 0: no limit
	refused int
	vain    int // deletions of blocks that are not there
}

func (n *narrow) bytes() (sum int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.blocks {
		sum += b.Size
	}
	return sum
}

func (n *narrow) Checkpoint(c Checkpoint) error {
	sum := n.bytes()
	for _, b := range c.Puts {
		sum += b.Size
	}
	for _, id := range c.Deletes {
		if _, ok := n.blocks[id]; !ok {
			n.vain++
		}
	}
	if len(c.Puts) > 0 && n.space > 0 && sum > n.space {
		n.refused++
		return fmt.Errorf("%w here", ErrNoSpace)
	}
	return n.MemoryStorage.Checkpoint(c)
}

// TestCheckpointWithoutSpace: a checkpoint that fails at any slice because the disk
// is full leaves no block behind, and the next one still writes slices.
func TestCheckpointWithoutSpace(t *testing.T) {
	n := &narrow{}
	db, err := Open(n, Options{CheckpointAfter: 1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	db.SetSlice(20 << 10)
	fill(t, db, "Table", "a", 100, 1000)
	settle(db)
	before := n.bytes()
	for space := before; space <= before+120<<10; space += 15 << 10 {
		n.space = space
		was := n.refused
		fill(t, db, "Table", fmt.Sprint("b", space), 100, 1000)
		settle(db)
		if n.refused == was {
			break
		}
		if got := n.bytes(); got != before {
			t.Fatalf("%d bytes of blocks are left with space for %d, want %d", got, space, before)
		}
		if db.writer.inDoubt {
			t.Fatal("the checkpoint is in doubt after ErrNoSpace")
		}
	}
	if n.refused < 5 {
		t.Errorf("%d checkpoints failed, want more", n.refused)
	}
	if n.vain > 0 {
		t.Errorf("%d blocks were deleted that had not been written", n.vain)
	}
	n.space = 0
	want := count(t, db)
	fill(t, db, "Table", "c", 100, 1000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := Open(n.Clone(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := count(t, after); got != want+100 || len(after.Corruption()) > 0 {
		t.Errorf("%d entities are stored, want %d; corruption %v", got, want+100, after.Corruption())
	}
}

// shrinking records whether the last checkpoint that deleted nothing was marked as
// shrinking the store.
type shrinking struct {
	MemoryStorage
	shrinks bool
}

func (s *shrinking) Checkpoint(c Checkpoint) error {
	if len(c.Deletes) == 0 {
		s.shrinks = c.Shrinks
	} else if !c.Shrinks {
		return fmt.Errorf("a deletion of %d blocks does not shrink", len(c.Deletes))
	}
	return s.MemoryStorage.Checkpoint(c)
}

// TestCheckpointShrinks: only a checkpoint that frees as much as it writes may use
// what a full storage keeps for deletions.
func TestCheckpointShrinks(t *testing.T) {
	s := &shrinking{}
	db, err := Open(s, Options{CheckpointAfter: -1, IdleAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	remove := func(from, to int) {
		t.Helper()
		err := db.Update(func(tx *Tx) error {
			tbl, err := tx.Table("test", "Table")
			for i := from; i < to && err == nil; i++ {
				err = tbl.Delete(odata.Key{PartitionKey: "a", RowKey: fmt.Sprintf("%06d", i)}, MustExist)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name    string
		do      func()
		shrinks bool
	}{
		{"inserts", func() { fill(t, db, "Table", "a", 100, 1000) }, false},
		{"a few updates", func() { fill(t, db, "Table", "a", 2, 1000) }, false},
		{"a longer entity", func() { fill(t, db, "Table", "a", 1, 40_000) }, false},
		{"most deleted", func() { remove(5, 100) }, true},
		{"all deleted", func() { remove(0, 5) }, true},
		{"another table", func() { fill(t, db, "Other", "b", 100, 1000) }, false},
		{"the table dropped", func() {
			if err := db.Update(func(tx *Tx) error { return tx.DeleteTable("test", "Other") }); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		step.do()
		runCheckpoint(t, db)
		if s.shrinks != step.shrinks {
			t.Errorf("%s: shrinks %t, want %t", step.name, s.shrinks, step.shrinks)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
