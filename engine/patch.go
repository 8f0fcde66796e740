package engine

import (
	"errors"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// A checkpoint writes the changes to a block as a delta, a small block of its own,
// as long as the deltas to that block are few and short. The next change after that
// rewrites the block. So scattered updates of a large table cost about as much as
// they change, instead of the whole table with each checkpoint. Reading such a block
// from the storage takes a few more reads; in memory it is like any other.
const (
	maxDeltas = 12
	// deltaCost is about how many bytes a delta takes besides its entities, in the
	// storage and in its directory.
	deltaCost = 192
	// patchCost is about how many bytes a few changes to a block cost: their delta,
	// and its share of the block that is rewritten later.
	patchCost = block.TargetSize / 4
)

// patch writes a delta with the changes to a block, and reports whether that was
// possible.
func (t *tableMerge) patch(ref *blockRef, changes []*odata.Entity) (done bool, err error) {
	if ref == nil || ref.Table != t.table || changes[0].Key().Less(ref.First) {
		return false, nil // others share the block, or it begins with a change
	}
	parts := ref.parts()
	size := ref.Size - parts[0].Size
	for _, e := range changes {
		size += block.EstimateSize(e)
	}
	if len(parts) > maxDeltas || size+deltaCost > parts[0].Size/5*3 {
		return false, nil
	}
	b, err := t.db.cache.get(ref)
	if errors.Is(err, errReplaced) || b == emptyBlock {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	count, size := b.Len(), b.Size()
	for _, e := range changes {
		i, found := b.Search(e.Key())
		if found {
			count, size = count-1, size-b.EntitySize(i)
		}
		if e.Timestamp != deleted {
			count, size = count+1, size+block.EstimateSize(e)
		}
		if found || e.Timestamp != deleted {
			t.build.Add(e)
		}
	}
	if size < smallBlock || size > block.TargetSize/4*5 || count == 0 {
		t.build.Discard()
		return false, nil
	}
	t.taken += len(changes)
	return true, t.putDelta(ref, b, count)
}

// putDelta writes the delta that was built for a block, unless that is empty.
func (t *tableMerge) putDelta(ref *blockRef, b *block.Block, count int) error {
	if t.build.Len() == 0 {
		return nil // it only deletes entities inserted since the last checkpoint
	}
	d := finishDelta(&t.build, t.db.writer.newID(), ref, count)
	delta, err := openBlock(d.Data, d.BlockInfo)
	if err != nil {
		return err
	}
	next := ref.with(d.BlockInfo)
	next.pending.Store(&pendingDelta{b, delta})
	t.blocks.Set(next)
	t.replaced, t.patched[ref] = append(t.replaced, ref), next
	return t.put(d)
}
