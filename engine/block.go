package engine

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"sandtable/odata"
)

// blockSize is about how many bytes a block has, a little less than 32 KiB,
// above which Go would give it 40; an entity that is larger stands alone.
// docs/decisions/0006-blocks.md says why it is this one.
const blockSize = 31 << 10

// A block, as version 2 of the format has it, is read where it stands:
//
//	identity    8 bytes
//	table       4 bytes
//	entities    4 bytes   how many
//	runs        4 bytes   of entities that share a partition key: how many
//	entities              in the order of their keys: row key, Timestamp, number
//	                      of properties, and of each the name, type and value
//	partitions            the partition key of each run
//	offsets     4 bytes each   where an entity begins
//	runs        8 bytes each   index of its first entity, where its key stands
//
// So a partition key is stored once, and a search compares it once: first the
// runs are searched, then the row keys of one. Offsets count from the
// identity.
const blockHeader = 8 + 4 + 4 + 4

// block is the text of a block that was found sound. Nothing is copied out of
// it: what it gives out holds on to the text.
type block struct {
	text  string
	count int
	runs  int
	table int // where the offsets stand
}

// emptyBlock stands for one that cannot be read.
var emptyBlock = &block{}

func (b *block) uint32(at int) int {
	s := b.text[at : at+4]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

func (b *block) uint64(at int) uint64 {
	return uint64(b.uint32(at)) | uint64(b.uint32(at+4))<<32
}

// uvarint returns the number that stands somewhere, and where it ends.
func (b *block) uvarint(at int) (uint64, int) {
	if c := b.text[at]; c < 0x80 {
		return uint64(c), at + 1
	}
	r := reader{s: b.text[at:]}
	n := r.uvarint()
	return n, len(b.text) - len(r.s)
}

// string returns the text that stands somewhere, and where it ends.
func (b *block) string(at int) (string, int) {
	n, at := b.uvarint(at)
	return b.text[at : at+int(n)], at + int(n)
}

func (b *block) offset(i int) int { return b.uint32(b.table + 4*i) }

// end returns where an entity ends.
func (b *block) end(i int) int {
	if i+1 < b.count {
		return b.offset(i + 1)
	}
	return b.uint32(b.table + 4*b.count + 4)
}

// raw returns the text of an entity without its partition key.
func (b *block) raw(i int) string { return b.text[b.offset(i):b.end(i)] }

func (b *block) rowKey(i int) string {
	s, _ := b.string(b.offset(i))
	return s
}

// runFirst returns the index of a run's first entity; the run after the last
// begins after the last entity.
func (b *block) runFirst(run int) int {
	if run == b.runs {
		return b.count
	}
	return b.uint32(b.table + 4*b.count + 8*run)
}

func (b *block) partition(run int) string {
	s, _ := b.string(b.uint32(b.table + 4*b.count + 8*run + 4))
	return s
}

// runOf returns the run of an entity.
func (b *block) runOf(i int) int {
	low, high := 0, b.runs-1
	for low < high {
		middle := (low + high + 1) / 2
		if b.runFirst(middle) <= i {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

func (b *block) key(i int) odata.Key {
	return odata.Key{PartitionKey: b.partition(b.runOf(i)), RowKey: b.rowKey(i)}
}

// search returns the index of the first entity whose key is not smaller, and
// whether it is the key's own.
func (b *block) search(key odata.Key) (int, bool) {
	run, end := 0, b.runs
	for run < end {
		middle := int(uint(run+end) / 2)
		c := odata.Compare(b.partition(middle), key.PartitionKey)
		if c == 0 {
			return b.searchRun(middle, key.RowKey)
		}
		if c < 0 {
			run = middle + 1
		} else {
			end = middle
		}
	}
	return b.runFirst(run), false
}

// searchRun searches the row keys of one partition.
func (b *block) searchRun(run int, row string) (int, bool) {
	low, high := b.runFirst(run), b.runFirst(run+1)
	for low < high {
		middle := int(uint(low+high) / 2)
		c := odata.Compare(b.rowKey(middle), row)
		if c == 0 {
			return middle, true
		}
		if c < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, false
}

// timestamp returns an entity's Timestamp, and where the number of its
// properties stands.
func (b *block) timestamp(i int) (odata.DateTime, int) {
	_, at := b.string(b.offset(i))
	return odata.DateTime(b.uint64(at)), at + 8
}

// property returns the value of a custom property.
func (b *block) property(i int, name string) (odata.Value, bool) {
	n, at := b.uvarint(b.offset(i))
	n, at = b.uvarint(at + int(n) + 8)
	for ; n > 0; n-- {
		length, start := b.uvarint(at)
		at = start + int(length)
		if int(length) == len(name) && b.text[start:at] == name {
			v, _ := b.value(at)
			return v, true
		}
		at = b.skipValue(at)
	}
	return odata.Value{}, false
}

// skipValue returns where the value that stands somewhere ends.
func (b *block) skipValue(at int) int {
	at++
	switch b.text[at-1] {
	case storedFalse, storedTrue:
		return at
	case storedDateTime, storedDouble:
		return at + 8
	case storedGuid:
		return at + 16
	case storedInt32, storedInt64:
		for b.text[at] >= 0x80 {
			at++
		}
		return at + 1
	default:
		n, at := b.uvarint(at)
		return at + int(n)
	}
}

// value returns the value that stands somewhere, and where it ends.
func (b *block) value(at int) (odata.Value, int) {
	r := reader{s: b.text[at:]}
	v := r.value()
	return v, len(b.text) - len(r.s)
}

// entity returns an entity whose texts are parts of the block's.
func (b *block) entity(i int) *odata.Entity {
	return new(shelf).entity(b, i)
}

// shelf makes entities, several of them with one allocation.
type shelf struct {
	entities   []odata.Entity
	properties []odata.Property
	room       int // for the next ones
}

// maxShelf is how many entities stand on one shelf: who keeps one keeps all.
const maxShelf = 32

func (s *shelf) entity(b *block, i int) *odata.Entity {
	if len(s.entities) == cap(s.entities) {
		s.room = min(max(2*s.room, 1), maxShelf)
		s.entities = make([]odata.Entity, 0, s.room)
	}
	stamp, at := b.timestamp(i)
	n, at := b.uvarint(at)
	s.entities = append(s.entities, odata.Entity{
		PartitionKey: b.partition(b.runOf(i)), RowKey: b.rowKey(i), Timestamp: stamp, Properties: s.cut(int(n)),
	})
	e := &s.entities[len(s.entities)-1]
	for p := range e.Properties {
		e.Properties[p].Name, at = b.string(at)
		e.Properties[p].Value, at = b.value(at)
	}
	return e
}

// cut returns room for properties, and for those of entities like this one
// when it has to make some.
func (s *shelf) cut(n int) []odata.Property {
	if n == 0 {
		return []odata.Property{}
	}
	if n > len(s.properties) {
		s.properties = make([]odata.Property, n*(cap(s.entities)-len(s.entities)))
	}
	p := s.properties[:n:n]
	s.properties = s.properties[n:]
	return p
}

// openBlock returns the block of a text that is the one which the directory
// describes. A text of an older format is written anew, in memory. The caller
// must not change the text from now on.
func openBlock(text []byte, info BlockInfo) (*block, error) {
	body, version, err := openFrame(text, recordBlock)
	if err != nil {
		return nil, err
	}
	if version == 1 {
		return openBlock1(body, info)
	}
	b := &block{text: body}
	if err := b.check(info); err != nil {
		return nil, err
	}
	return b, nil
}

// check walks the whole text, so that nobody who reads it has to look where
// it ends.
func (b *block) check(info BlockInfo) error {
	r := reader{s: b.text}
	id, table := BlockID(r.uint64()), TableID(r.uint32())
	count, runs := uint64(r.uint32()), uint64(r.uint32())
	if !r.bad && (id != info.ID || table != info.Table || count != uint64(info.Count)) {
		return fmt.Errorf("%w: this is block %d of table %d with %d entities", ErrDamaged, id, table, count)
	}
	tables := 4*count + 8*runs
	if r.bad || count == 0 || runs == 0 || runs > count || tables > uint64(len(r.s)) {
		return fmt.Errorf("%w: wrong form", ErrDamaged)
	}
	b.count, b.runs, b.table = int(count), int(runs), len(b.text)-int(tables)
	r.s = r.s[:len(r.s)-int(tables)]
	b.checkEntities(&r)
	b.checkRuns(&r)
	if err := r.end(); err != nil {
		return err
	}
	return b.checkOrder(info.First)
}

func (b *block) checkEntities(r *reader) {
	for i := 0; i < b.count && !r.bad; i++ {
		if b.offset(i) != b.table-len(r.s) {
			r.fail()
		}
		r.skipText()
		r.uint64()
		for n := r.uvarint(); n > 0 && !r.bad; n-- {
			r.skipText()
			r.skipValue()
		}
	}
}

func (b *block) checkRuns(r *reader) {
	for run := 0; run < b.runs && !r.bad; run++ {
		first := b.runFirst(run)
		inOrder := first == 0 && run == 0 || run > 0 && first > b.runFirst(run-1) && first < b.count
		if !inOrder || b.uint32(b.table+4*b.count+8*run+4) != b.table-len(r.s) {
			r.fail()
		}
		r.skipText()
	}
}

func (b *block) checkOrder(first odata.Key) error {
	for run := range b.runs {
		if run > 0 && odata.Compare(b.partition(run-1), b.partition(run)) >= 0 {
			return fmt.Errorf("%w: partitions out of order", ErrDamaged)
		}
		before := b.rowKey(b.runFirst(run))
		for i := b.runFirst(run) + 1; i < b.runFirst(run+1); i++ {
			row := b.rowKey(i)
			if odata.Compare(before, row) >= 0 {
				return fmt.Errorf("%w: entities out of order", ErrDamaged)
			}
			before = row
		}
	}
	if b.key(0) != first {
		return fmt.Errorf("%w: another first key than in the directory", ErrDamaged)
	}
	return nil
}

// DescribeBlock returns what the directory says about a block, taken from its
// text: a storage whose directory is damaged makes another one of these.
func DescribeBlock(text []byte) (BlockInfo, error) {
	body, version, err := openFrame(text, recordBlock)
	if err != nil {
		return BlockInfo{}, err
	}
	r := reader{s: body}
	info := BlockInfo{ID: BlockID(r.uint64()), Table: TableID(r.uint32()), Size: len(text)}
	info.Count = int(r.uint32())
	if version == 1 {
		info.First = r.key()
		if r.bad {
			return BlockInfo{}, r.end()
		}
		return info, nil
	}
	b := &block{text: body}
	first := firstKey(body)
	if err := b.check(BlockInfo{ID: info.ID, Table: info.Table, Count: info.Count, First: first}); err != nil {
		return BlockInfo{}, err
	}
	info.First = first
	return info, nil
}

// firstKey reads the first key of a body that may have any form.
func firstKey(body string) odata.Key {
	r := reader{s: body}
	r.take(12)
	count, runs := uint64(r.uint32()), uint64(r.uint32())
	k := odata.Key{RowKey: r.text()}
	tables := 8 * runs
	if r.bad || 4*count+tables > uint64(len(body)) || runs == 0 {
		return k
	}
	at := reader{s: body[uint64(len(body))-tables+4:]}
	start := uint64(at.uint32())
	if start < uint64(len(body)) {
		partition := reader{s: body[start:]}
		k.PartitionKey = partition.text()
	}
	return k
}

// stringOf returns the bytes as a string, uncopied: for texts that a storage
// gave out, which it never changes. A copy would keep every block of a storage
// in memory twice.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// blockBuilder makes the text of one block.
type blockBuilder struct {
	first   odata.Key
	data    []byte
	offsets []uint32
	runs    []blockRun
	texts   int // bytes of the partition keys
}

type blockRun struct {
	first     int
	partition string
}

// size returns how large the block is.
func (w *blockBuilder) size() int {
	return len(w.data) + w.texts + 4*len(w.offsets) + 8*len(w.runs)
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
	w.data = appendRow(w.data, e)
}

// addRaw adds an entity of another block.
func (w *blockBuilder) addRaw(partition string, from *block, i int) {
	w.begin(odata.Key{PartitionKey: partition, RowKey: from.rowKey(i)})
	w.data = append(w.data, from.raw(i)...)
}

// finish returns the block and begins another one.
func (w *blockBuilder) finish(id BlockID, table TableID) Block {
	b := w.data
	starts := make([]int, len(w.runs))
	for i, run := range w.runs {
		starts[i] = len(b) - frameSize
		b = appendText(b, run.partition)
	}
	for _, offset := range w.offsets {
		b = binary.LittleEndian.AppendUint32(b, offset)
	}
	for i, run := range w.runs {
		b = binary.LittleEndian.AppendUint32(b, uint32(run.first))
		b = binary.LittleEndian.AppendUint32(b, uint32(starts[i]))
	}
	header := b[frameSize:]
	binary.LittleEndian.PutUint64(header, uint64(id))
	binary.LittleEndian.PutUint32(header[8:], uint32(table))
	binary.LittleEndian.PutUint32(header[12:], uint32(len(w.offsets)))
	binary.LittleEndian.PutUint32(header[16:], uint32(len(w.runs)))
	sealFrame(b, recordBlock)
	info := BlockInfo{ID: id, Table: table, First: cloneKey(w.first), Count: len(w.offsets), Size: len(b)}
	*w = blockBuilder{offsets: w.offsets[:0], runs: w.runs[:0]}
	return Block{BlockInfo: info, Data: b}
}
