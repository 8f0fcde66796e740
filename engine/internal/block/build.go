package block

import (
	"bytes"
	"encoding/binary"
	"strings"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// Builder encodes a block, and after [Builder.Finish] another one in the same
// memory. Entities are added in key order. The zero Builder is ready to use.
type Builder struct {
	first      odata.Key
	data       []byte
	offsets    []uint32 // of the entities
	partitions []partition
	shapes     shapeList
	keys       int // bytes of the partition keys
}

type partition struct {
	start int // index of its first entity
	key   string
}

// Len returns how many entities were added.
func (w *Builder) Len() int { return len(w.offsets) }

// Size returns how many bytes the block has so far.
func (w *Builder) Size() int {
	return len(w.data) + w.keys + w.shapes.size + 4*len(w.offsets) + 8*len(w.partitions)
}

// EstimateSize returns about how many bytes an entity adds to a block.
func EstimateSize(e *odata.Entity) int {
	size := len(e.RowKey) + 16
	for i := range e.Properties {
		size += len(e.Properties[i].Value.Text()) + 8
	}
	return size
}

// Add adds an entity.
func (w *Builder) Add(e *odata.Entity) {
	w.begin(e.Key())
	w.data = encoding.AppendText(w.data, e.RowKey)
	w.data = binary.LittleEndian.AppendUint64(w.data, uint64(e.Timestamp))
	w.shapes.scratch = appendShape(w.shapes.scratch[:0], e.Properties)
	w.data = binary.AppendUvarint(w.data, uint64(w.shapes.number()))
	w.data = appendValues(w.data, e.Properties)
}

// AddRow adds an entity of another block without decoding it.
func (w *Builder) AddRow(r *Row) {
	w.begin(r.Key())
	from, i := r.block, r.index
	_, at := from.timestamp(i)
	w.data = append(w.data, from.data[from.offset(i):at]...)
	n, values := from.uvarint(at)
	w.shapes.scratch = append(w.shapes.scratch[:0], from.shapeData(n)...)
	w.data = binary.AppendUvarint(w.data, uint64(w.shapes.number()))
	w.data = append(w.data, from.data[values:from.end(i)]...)
}

// begin starts the next entity.
func (w *Builder) begin(k odata.Key) {
	if len(w.offsets) == 0 {
		w.first = k
		w.data = append(encoding.Begin(w.data), make([]byte, headerSize)...)
	}
	if n := len(w.partitions); n == 0 || w.partitions[n-1].key != k.PartitionKey {
		w.partitions = append(w.partitions, partition{len(w.offsets), k.PartitionKey})
		w.keys += len(k.PartitionKey) + 2
	}
	w.offsets = append(w.offsets, uint32(len(w.data)-encoding.FrameSize))
}

// Finish returns the block and empties the builder. It encodes in memory that
// it keeps and returns a copy: growing a slice to a block's size each time would
// leave three times that to the garbage collector.
func (w *Builder) Finish(id uint64, table uint32) (Info, []byte) {
	b := encoding.Seal(w.payload(id, table), encoding.Block)
	first := odata.Key{PartitionKey: strings.Clone(w.first.PartitionKey), RowKey: strings.Clone(w.first.RowKey)}
	info := Info{ID: id, Table: table, First: first, Count: len(w.offsets), Size: len(b)}
	w.reset(b)
	return info, bytes.Clone(b)
}

// FinishDelta is Finish for a delta of a base, which has count entities with it.
func (w *Builder) FinishDelta(id uint64, table uint32, base uint64, count int) (Info, []byte) {
	b := binary.LittleEndian.AppendUint64(w.payload(id, table), base)
	b = encoding.Seal(binary.LittleEndian.AppendUint32(b, uint32(count)), encoding.Delta)
	w.reset(b)
	return Info{ID: id, Table: table, Base: base, Count: count, Size: len(b)}, bytes.Clone(b)
}

// payload ends the payload, with space for the frame before it.
func (w *Builder) payload(id uint64, table uint32) []byte {
	b := w.data
	var starts []uint32
	for _, p := range w.partitions {
		starts = append(starts, uint32(len(b)-encoding.FrameSize))
		b = encoding.AppendText(b, p.key)
	}
	for _, shape := range w.shapes.encoded {
		starts = append(starts, uint32(len(b)-encoding.FrameSize))
		b = append(b, shape...)
	}
	for _, offset := range w.offsets {
		b = binary.LittleEndian.AppendUint32(b, offset)
	}
	for i, p := range w.partitions {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.start))
		b = binary.LittleEndian.AppendUint32(b, starts[i])
	}
	for _, start := range starts[len(w.partitions):] {
		b = binary.LittleEndian.AppendUint32(b, start)
	}
	header := b[encoding.FrameSize:]
	binary.LittleEndian.PutUint64(header, id)
	binary.LittleEndian.PutUint32(header[8:], table)
	binary.LittleEndian.PutUint32(header[12:], uint32(len(w.offsets)))
	binary.LittleEndian.PutUint32(header[16:], uint32(len(w.partitions)))
	binary.LittleEndian.PutUint32(header[20:], uint32(len(w.shapes.encoded)))
	return b
}

// Discard empties the builder.
func (w *Builder) Discard() { w.reset(w.data) }

// reset empties the builder, which keeps the memory of b.
func (w *Builder) reset(b []byte) {
	w.shapes.reset()
	*w = Builder{data: b[:0], offsets: w.offsets[:0], partitions: w.partitions[:0], shapes: w.shapes}
}

// shapeList is the shapes of the block that a Builder encodes.
type shapeList struct {
	encoded []string
	numbers map[string]int
	last    int // the number that was returned last
	size    int // bytes
	scratch []byte
}

// number returns the number of the shape in scratch, adding it if it is new.
func (l *shapeList) number() int {
	if len(l.encoded) > 0 && l.encoded[l.last] == string(l.scratch) {
		return l.last
	}
	n, ok := l.numbers[string(l.scratch)]
	if !ok {
		if l.numbers == nil {
			l.numbers = make(map[string]int)
		}
		shape := string(l.scratch)
		n = len(l.encoded)
		l.encoded, l.numbers[shape] = append(l.encoded, shape), n
		l.size += len(shape) + 4
	}
	l.last = n
	return n
}

func (l *shapeList) reset() {
	clear(l.numbers)
	l.encoded, l.last, l.size = l.encoded[:0], 0, 0
}
