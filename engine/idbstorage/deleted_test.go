//go:build js && wasm

package idbstorage

import (
	"bytes"
	"testing"

	"sandtable/engine"
)

// TestDeletionsLeaveTheDirectory: a deletion is noted next to the directory, until
// there are many or the directory is written for other reasons.
func TestDeletionsLeaveTheDirectory(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	next := engine.BlockID(1)
	puts := func(n int) (blocks []engine.Block) {
		for range n {
			blocks = append(blocks, testBlock(next))
			next++
		}
		return blocks
	}
	first := engine.BlockID(1)
	deletes := func(n int) (ids []engine.BlockID) {
		for range n {
			ids = append(ids, first)
			first++
		}
		return ids
	}
	stored := func() []byte {
		t.Helper()
		found, err := s.readState()
		if err != nil {
			t.Fatal(err)
		}
		return found[atDirectory]
	}
	var before []byte
	for _, step := range []struct {
		name       string
		checkpoint engine.Checkpoint
		again      bool // open the database again
		same       bool // the directory
	}{
		{name: "blocks", checkpoint: engine.Checkpoint{Puts: puts(maxDeleted + 100)}},
		{name: "a deletion", checkpoint: engine.Checkpoint{Deletes: deletes(10)}, same: true},
		{name: "a deletion after an opening", checkpoint: engine.Checkpoint{Deletes: deletes(10)}, again: true, same: true},
		{name: "as many as may be", checkpoint: engine.Checkpoint{Deletes: deletes(maxDeleted - 20)}, same: true},
		{name: "one more", checkpoint: engine.Checkpoint{Deletes: deletes(1)}},
		{name: "a deletion again", checkpoint: engine.Checkpoint{Deletes: deletes(10)}, same: true},
		{name: "another block and a deletion", checkpoint: engine.Checkpoint{Puts: puts(1), Deletes: deletes(1)}},
	} {
		if step.again {
			s = openStorage(t, name, Options{})
		}
		step.checkpoint.Meta = []byte(step.name)
		checkpoint(t, s, step.checkpoint)
		if now := stored(); bytes.Equal(now, before) != step.same {
			t.Errorf("%s: the directory is the same: %t", step.name, !step.same)
		} else {
			before = now
		}
	}
	d, err := openStorage(t, name, Options{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	want := int(next - first)
	if len(d.Blocks) != want || d.Blocks[0].ID != first || d.Rebuilt != 0 {
		t.Errorf("%d blocks from %d on, want %d from %d on", len(d.Blocks), d.Blocks[0].ID, want, first)
	}
}

// TestDeletionAfterRebuilding: when the list of deleted blocks was corrupt, the next
// deletion stores the directory that was rebuilt. With a new list alone, blocks that
// were deleted before would be listed again.
func TestDeletionAfterRebuilding(t *testing.T) {
	name := newDatabase(t)
	s := openStorage(t, name, Options{})
	var puts []engine.Block
	for id := range engine.BlockID(4) {
		puts = append(puts, testBlock(id+1))
	}
	checkpoint(t, s, engine.Checkpoint{Puts: puts, Meta: []byte("m")})
	checkpoint(t, s, engine.Checkpoint{Deletes: []engine.BlockID{1}, Meta: []byte("m")})
	_, err := s.transact(readWrite, inState, func(t *transaction) {
		t.put(t.store(stateStore), deletedKey, []byte("corrupt"))
	})
	if err != nil {
		t.Fatal(err)
	}
	s = openStorage(t, name, Options{})
	checkpoint(t, s, engine.Checkpoint{Deletes: []engine.BlockID{2}, Meta: []byte("m")})
	d, err := openStorage(t, name, Options{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Blocks) != 2 || d.Blocks[0].ID != 3 || d.Blocks[1].ID != 4 || d.Rebuilt != 0 {
		t.Errorf("blocks %v, %d rebuilt; want 3 and 4, none rebuilt", d.Blocks, d.Rebuilt)
	}
}
