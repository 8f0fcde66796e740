package engine

import (
	"iter"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// Partition is the entities of a table that share a partition key.
type Partition struct {
	Key      string
	Entities int
	Bytes    int // in blocks and in the overlay, without the partition key
	// FirstRow and LastRow bound the row keys: entities at the ends may have been
	// deleted since the last checkpoint. LastRow is unknown if OpenEnded is set,
	// because the end of the partition is not in memory.
	FirstRow, LastRow string
	OpenEnded         bool
	// Approximate is set if the numbers are estimates, because a block is not in
	// memory. Then they also include any partitions between this one and the next
	// and the beginning of the next one, and each change since the last checkpoint is
	// taken for a new entity.
	Approximate bool
}

// Partitions returns the partitions of the table in key order, beginning with
// the first whose key is not less than from. It reads no block: it is computed
// from the directory, the blocks in memory and the overlay, so it is cheap for
// tables of any size. A table that does not exist has no partitions.
func (t *Table) Partitions(from string) iter.Seq[Partition] {
	return func(yield func(Partition) bool) {
		c, err := t.contents()
		if err != nil {
			return
		}
		w := partitionWalk{contents: c, from: from, yield: yield}
		w.run()
	}
}

// partitionWalk merges the partitions in blocks with the partitions in the overlay.
type partitionWalk struct {
	contents *contents
	from     string
	yield    func(Partition) bool

	overlay btree.IterG[*odata.Entity]
	change  *odata.Entity // the next one; nil at the end
	current Partition     // not yielded yet
	begun   bool          // there is a current one
	unread  bool          // the block before is not in memory
	stopped bool
}

func (w *partitionWalk) run() {
	start := odata.Key{PartitionKey: w.from}
	w.overlay = w.contents.changes.Iter()
	w.take(w.overlay.Seek(pivot(start)))
	first := blockRef{}
	if found := w.contents.holding(start); found != nil {
		first.First = found.First
	}
	if w.contents.blocks != nil {
		w.contents.blocks.Ascend(&first, func(r *blockRef) bool {
			w.block(r)
			return !w.stopped
		})
	}
	for w.change != nil && !w.stopped {
		w.addChange()
	}
	w.flush()
}

func (w *partitionWalk) take(ok bool) {
	if w.change = nil; ok {
		w.change = w.overlay.Item()
	}
}

// block adds the partitions of a block and the changes that belong to it. Changes
// between two blocks come before the later one here.
func (w *partitionWalk) block(r *blockRef) {
	for w.change != nil && w.change.Key().Less(r.First) {
		w.addChange()
	}
	var probe blockRef
	after := w.contents.blockAfter(&probe, r.First)
	b := r.data.Load()
	switch {
	case b != nil:
		w.loaded(b, after)
	case odata.Compare(r.First.PartitionKey, w.from) >= 0:
		w.unloaded(r, after)
	default:
		w.begunBefore(after)
	}
	w.unread = b == nil
}

// mayHaveBegun makes the first partition of a block an estimate if the block before, which
// may have its first rows, is not in memory.
func (w *partitionWalk) mayHaveBegun(p *Partition) {
	if w.unread && !(w.begun && w.current.Key == p.Key) {
		p.FirstRow, p.Approximate = "", true
	}
}

// begunBefore adds the changes to a block that is not in memory and begins before the
// first partition. Their partitions may have more entities in that block.
func (w *partitionWalk) begunBefore(after *blockRef) {
	for w.change != nil && isBefore(w.change, after) {
		w.addChange()
		w.current.FirstRow, w.current.OpenEnded, w.current.Approximate = "", true, true
	}
}

// loaded counts the entities of a block in memory.
func (w *partitionWalk) loaded(b *block.Block, after *blockRef) {
	end := 0
	for p := range b.Partitions() {
		key, count, size := b.Partition(p)
		first := end
		end += count
		if odata.Compare(key, w.from) < 0 {
			continue
		}
		for w.change != nil && w.change.Key().Less(odata.Key{PartitionKey: key}) {
			w.addChange()
		}
		part := Partition{Key: key, Entities: count, Bytes: size, FirstRow: b.Key(first).RowKey, LastRow: b.Key(end - 1).RowKey}
		if p == 0 {
			w.mayHaveBegun(&part)
		}
		w.add(part)
		for w.change != nil && w.change.PartitionKey == key && isBefore(w.change, after) {
			if i, replaced := b.Search(w.change.Key()); replaced {
				row := w.change.RowKey
				w.add(Partition{Key: key, Entities: -1, Bytes: -b.EntitySize(i), FirstRow: row, LastRow: row})
			}
			w.addChange()
		}
	}
}

// unloaded uses the directory's entry of a block. The result is exact if the blocks
// before and after show that all of it is of one partition, and no change belongs to it.
func (w *partitionWalk) unloaded(r, after *blockRef) {
	p := Partition{Key: r.First.PartitionKey, FirstRow: r.First.RowKey, OpenEnded: true, Approximate: true}
	if !r.corrupt.Load() {
		p.Entities, p.Bytes = r.Count, r.Size
		p.Approximate = after == nil || after.First.PartitionKey != r.First.PartitionKey
	}
	w.mayHaveBegun(&p)
	w.add(p)
	for w.change != nil && isBefore(w.change, after) {
		change := p
		change.Entities, change.Bytes, change.Approximate = 1, block.EstimateSize(w.change), true
		if w.change.Timestamp == deleted {
			change.Entities, change.Bytes = -1, 0
		}
		w.add(change)
		w.take(w.overlay.Next())
	}
}

// addChange adds the next change, which replaces nothing.
func (w *partitionWalk) addChange() {
	if e := w.change; e.Timestamp != deleted {
		w.add(Partition{
			Key: e.PartitionKey, Entities: 1, Bytes: block.EstimateSize(e), FirstRow: e.RowKey, LastRow: e.RowKey,
		})
	}
	w.take(w.overlay.Next())
}

// add adds numbers to the current partition. If they are of another partition, it
// yields the current one and begins the next.
func (w *partitionWalk) add(p Partition) {
	if !w.begun || p.Key != w.current.Key {
		w.flush()
		w.current, w.begun = p, true
		return
	}
	w.current.addRows(p)
	w.current.Entities += p.Entities
	w.current.Bytes += p.Bytes
	w.current.Approximate = w.current.Approximate || p.Approximate
}

// addRows extends the range of row keys by the range of a later part of the
// partition.
func (p *Partition) addRows(part Partition) {
	if odata.Compare(part.FirstRow, p.FirstRow) < 0 {
		p.FirstRow = part.FirstRow
	}
	if odata.Compare(part.LastRow, p.LastRow) > 0 {
		p.LastRow = part.LastRow
	}
	p.OpenEnded = part.OpenEnded
}

// flush yields the current partition unless all of it was deleted.
func (w *partitionWalk) flush() {
	if w.begun && !w.stopped && (w.current.Entities > 0 || w.current.Approximate) {
		w.current.Entities = max(0, w.current.Entities) // a change may delete what is in no block
		w.stopped = !w.yield(w.current)
	}
	w.begun = false
}

func isBefore(e *odata.Entity, r *blockRef) bool { return r == nil || e.Key().Less(r.First) }
