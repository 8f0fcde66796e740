package engine

import (
	"unsafe"

	"sandtable/odata"
)

// blockSize is about how many bytes a block has, a little less than 32 KiB,
// above which Go would give it 40; an entity that is larger stands alone.
// docs/decisions/0006-blocks.md says why it is this one.
const blockSize = 31 << 10

// A block, as version 3 of the format has it, is read where it stands:
//
//	identity    8 bytes
//	table       4 bytes
//	entities    4 bytes   how many
//	runs        4 bytes   of entities that share a partition key: how many
//	shapes      4 bytes   of entities with properties of the same names and types: how many
//	entities              in the order of their keys: row key, Timestamp, number
//	                      of the shape, and the values, see shape.go
//	partitions            the partition key of each run
//	shapes                the names and types of each
//	offsets     4 bytes each   where an entity begins
//	runs        8 bytes each   index of its first entity, where its key stands
//	shapes      4 bytes each   where one begins
//
// So a partition key is stored once, and a search compares it once: first the
// runs are searched, then the row keys of one. Names are stored once too, and a
// query looks a property up once for all entities of a shape. Offsets count from
// the identity.
const blockHeader = 8 + 4 + 4 + 4 + 4

// block is the text of a block that was found sound. Nothing is copied out of
// it: what it gives out holds on to the text.
type block struct {
	text   string
	count  int
	runs   int
	shapes int
	table  int // where the offsets stand
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

// uvarint returns the number that stands somewhere, and where it ends. Most
// have one byte. In this form, with its bare return, it is just short enough for
// the compiler to put it in place of its calls.
func (b *block) uvarint(at int) (n, end int) {
	n, end = int(b.text[at]), at+1
	if n >= 0x80 {
		n, end = b.longUvarint(at)
	}
	return
}

func (b *block) longUvarint(at int) (n, end int) {
	r := reader{s: b.text[at:]}
	n = int(r.uvarint())
	return n, len(b.text) - len(r.s)
}

// string returns the text that stands somewhere, and where it ends.
func (b *block) string(at int) (string, int) {
	n, at := b.uvarint(at)
	return b.text[at : at+n], at + n
}

func (b *block) offset(i int) int { return b.uint32(b.table + 4*i) }

// end returns where an entity ends.
func (b *block) end(i int) int {
	if i+1 < b.count {
		return b.offset(i + 1)
	}
	return b.uint32(b.table + 4*b.count + 4)
}

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

// timestamp returns an entity's Timestamp, and where the number of its shape
// stands.
func (b *block) timestamp(i int) (odata.DateTime, int) {
	_, at := b.string(b.offset(i))
	return odata.DateTime(b.uint64(at)), at + 8
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
	row, at := b.string(b.offset(i))
	n, values := b.uvarint(at + 8)
	shape := b.shape(n)
	s.entities = append(s.entities, odata.Entity{
		PartitionKey: b.partition(b.runOf(i)), RowKey: row, Timestamp: odata.DateTime(b.uint64(at)), Properties: s.cut(shape.count),
	})
	e := &s.entities[len(s.entities)-1]
	b.properties(e.Properties, shape, values)
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

// stringOf returns the bytes as a string, uncopied: for texts that a storage
// gave out, which it never changes. A copy would keep every block of a storage
// in memory twice.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
