package block

import (
	"math"
	"slices"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// Deleted is the Timestamp of a tombstone, an entity without properties that
// deletes the one with its key. Only deltas have some. No clock returns it.
const Deleted odata.DateTime = math.MinInt64

// deltaEnd is how many bytes a delta has after what a block has: the identity of
// its base, and its Count.
const deltaEnd = 8 + 4

// Apply returns a block with the changes of deltas to their base, the oldest
// first. It is in memory only. At least one entity has to be left.
func Apply(base *Block, deltas []*Block) *Block {
	size, count := base.Size(), base.count
	for _, d := range deltas {
		size, count = size+d.Size(), count+d.count
	}
	var w Builder
	w.data, w.offsets = make([]byte, 0, encoding.FrameSize+size), make([]uint32, 0, count)
	var old, changed Row
	next := 0
	for _, c := range latest(deltas) {
		stop, replaced := base.Search(c.key)
		w.addRows(&old, base, next, stop)
		if next = stop; replaced {
			next++
		}
		if !c.delta.IsTombstone(c.index) {
			changed.Move(c.delta, c.index)
			w.AddRow(&changed)
		}
	}
	w.addRows(&old, base, next, base.count)
	return w.inMemory()
}

// IsTombstone reports whether the entity with index i is one; see [Deleted].
func (b *Block) IsTombstone(i int) bool {
	stamp, _ := b.timestamp(i)
	return stamp == Deleted
}

// change is an entity of a delta.
type change struct {
	key   odata.Key
	delta *Block
	index int
}

// latest returns the last change to each key, in key order.
func latest(deltas []*Block) []change {
	var all []change
	for _, d := range slices.Backward(deltas) {
		for i := range d.count {
			all = append(all, change{d.Key(i), d, i})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return a.key.Compare(b.key) })
	return slices.CompactFunc(all, func(a, b change) bool { return a.key == b.key })
}

func (w *Builder) addRows(row *Row, b *Block, from, to int) {
	for i := from; i < to; i++ {
		row.Move(b, i)
		w.AddRow(row)
	}
}

// inMemory returns the block without encoding it for the storage: it has no
// identity and no checksum, and needs no check. The builder is of no more use.
func (w *Builder) inMemory() *Block {
	b := &Block{count: len(w.offsets), partitions: len(w.partitions), shapes: len(w.shapes.encoded)}
	if b.count == 0 {
		return b
	}
	data := w.payload(0, 0)[encoding.FrameSize:]
	b.data = encoding.View(data)
	b.offsets = len(b.data) - 4*b.count - 8*b.partitions - 4*b.shapes
	return b
}
