package engine

import (
	"bytes"
	"encoding/binary"

	"sandtable/odata"
)

// blockBuilder makes the text of one block.
type blockBuilder struct {
	first   odata.Key
	data    []byte
	offsets []uint32
	runs    []blockRun
	shapes  shapeList
	texts   int // bytes of the partition keys
}

type blockRun struct {
	first     int
	partition string
}

// shapeList is the shapes of the block that is being made.
type shapeList struct {
	texts   []string
	numbers map[string]int
	last    int // the one that was asked for last
	size    int // bytes
	scratch []byte
}

// number returns the number of the shape in scratch, and adds one that is new.
func (l *shapeList) number() int {
	if len(l.texts) > 0 && l.texts[l.last] == string(l.scratch) {
		return l.last
	}
	n, ok := l.numbers[string(l.scratch)]
	if !ok {
		if l.numbers == nil {
			l.numbers = make(map[string]int)
		}
		text := string(l.scratch)
		n = len(l.texts)
		l.texts, l.numbers[text] = append(l.texts, text), n
		l.size += len(text) + 4
	}
	l.last = n
	return n
}

func (l *shapeList) reset() {
	clear(l.numbers)
	l.texts, l.last, l.size = l.texts[:0], 0, 0
}

// size returns how large the block is.
func (w *blockBuilder) size() int {
	return len(w.data) + w.texts + w.shapes.size + 4*len(w.offsets) + 8*len(w.runs)
}

// begin makes room for the next entity; they come in the order of their keys.
func (w *blockBuilder) begin(k odata.Key) {
	if len(w.offsets) == 0 {
		w.first = k
		w.data = append(beginFrame(w.data), make([]byte, blockHeader)...)
	}
	if n := len(w.runs); n == 0 || w.runs[n-1].partition != k.PartitionKey {
		w.runs = append(w.runs, blockRun{len(w.offsets), k.PartitionKey})
		w.texts += len(k.PartitionKey) + 2
	}
	w.offsets = append(w.offsets, uint32(len(w.data)-frameSize))
}

func (w *blockBuilder) add(e *odata.Entity) {
	w.begin(e.Key())
	w.data = appendText(w.data, e.RowKey)
	w.data = binary.LittleEndian.AppendUint64(w.data, uint64(e.Timestamp))
	w.shapes.scratch = appendShape(w.shapes.scratch[:0], e.Properties)
	w.data = binary.AppendUvarint(w.data, uint64(w.shapes.number()))
	w.data = appendValues(w.data, e.Properties)
}

// addRaw adds an entity of another block.
func (w *blockBuilder) addRaw(partition string, from *block, i int) {
	w.begin(odata.Key{PartitionKey: partition, RowKey: from.rowKey(i)})
	_, at := from.timestamp(i)
	w.data = append(w.data, from.text[from.offset(i):at]...)
	n, values := from.uvarint(at)
	w.shapes.scratch = append(w.shapes.scratch[:0], from.text[from.shapeStart(n):from.shapeStart(n+1)]...)
	w.data = binary.AppendUvarint(w.data, uint64(w.shapes.number()))
	w.data = append(w.data, from.text[values:from.end(i)]...)
}

// finish returns the block and begins another one, in the same memory: a text
// that grows to what a block has would leave three times that to the collector.
func (w *blockBuilder) finish(id BlockID, table TableID) Block {
	b := w.data
	var starts []uint32
	for _, run := range w.runs {
		starts = append(starts, uint32(len(b)-frameSize))
		b = appendText(b, run.partition)
	}
	for _, shape := range w.shapes.texts {
		starts = append(starts, uint32(len(b)-frameSize))
		b = append(b, shape...)
	}
	for _, offset := range w.offsets {
		b = binary.LittleEndian.AppendUint32(b, offset)
	}
	for i, run := range w.runs {
		b = binary.LittleEndian.AppendUint32(b, uint32(run.first))
		b = binary.LittleEndian.AppendUint32(b, starts[i])
	}
	for _, start := range starts[len(w.runs):] {
		b = binary.LittleEndian.AppendUint32(b, start)
	}
	header := b[frameSize:]
	binary.LittleEndian.PutUint64(header, uint64(id))
	binary.LittleEndian.PutUint32(header[8:], uint32(table))
	binary.LittleEndian.PutUint32(header[12:], uint32(len(w.offsets)))
	binary.LittleEndian.PutUint32(header[16:], uint32(len(w.runs)))
	binary.LittleEndian.PutUint32(header[20:], uint32(len(w.shapes.texts)))
	sealFrame(b, recordBlock)
	info := BlockInfo{ID: id, Table: table, First: cloneKey(w.first), Count: len(w.offsets), Size: len(b)}
	w.shapes.reset()
	*w = blockBuilder{data: b[:0], offsets: w.offsets[:0], runs: w.runs[:0], shapes: w.shapes}
	return Block{BlockInfo: info, Data: bytes.Clone(b)}
}
