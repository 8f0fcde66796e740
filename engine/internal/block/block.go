package block

import (
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// TargetSize is about how many bytes a block has: a little under 32 KiB, above
// which Go would allocate 40. A larger entity gets a block of its own.
// docs/decisions/0006-blocks.md has the measurements.
const TargetSize = 31 << 10

// headerSize is how many bytes come before the first entity.
const headerSize = 8 + 4 + 4 + 4 + 4

// Info identifies a block or a delta and describes what it contains.
type Info struct {
	ID    uint64
	Table uint32
	Base  uint64    // the block that a delta changes; 0 for a block
	First odata.Key // of a block's first entity; of a delta empty
	Count int       // entities; for a delta, of its base after this and all earlier deltas
	Size  int       // bytes, with the frame
}

// Block is an encoded block that passed [Open]'s checks. It never changes. All
// strings that it returns share its memory. The zero Block has no entities.
type Block struct {
	data       string
	count      int // entities
	partitions int
	shapes     int
	offsets    int // where the offsets of the entities begin
}

// Len returns how many entities the block has.
func (b *Block) Len() int { return b.count }

// Size returns how many bytes the block has in memory.
func (b *Block) Size() int { return len(b.data) }

// Key returns the key of the entity with index i.
func (b *Block) Key(i int) odata.Key {
	return odata.Key{PartitionKey: b.PartitionKey(b.partitionOf(i)), RowKey: b.rowKey(i)}
}

// Partitions returns how many partitions the block's entities belong to.
func (b *Block) Partitions() int { return b.partitions }

// Partition returns the key of the partition with index p, and how many entities
// and bytes it has in this block.
func (b *Block) Partition(p int) (key string, entities, size int) {
	start, end := b.partitionStart(p), b.partitionStart(p+1)
	return b.PartitionKey(p), end - start, b.end(end-1) - b.offset(start)
}

// EntitySize returns how many bytes the entity with index i has.
func (b *Block) EntitySize(i int) int { return b.end(i) - b.offset(i) }

// PartitionKey returns the key of the partition with index p.
func (b *Block) PartitionKey(p int) string {
	s, _ := b.text(b.partitionKeyOffset(p))
	return s
}

// PartitionOf returns the index of the partition of the entity with index i. It
// searches forward from a partition that is not after it.
func (b *Block) PartitionOf(i, from int) int {
	for b.partitionStart(from+1) <= i {
		from++
	}
	return from
}

// Search returns the index of the first entity whose key is not less than key, and
// whether it has this key.
func (b *Block) Search(key odata.Key) (i int, found bool) {
	p, end := 0, b.partitions
	for p < end {
		middle := int(uint(p+end) / 2)
		c := odata.Compare(b.PartitionKey(middle), key.PartitionKey)
		if c == 0 {
			return b.searchPartition(middle, key.RowKey)
		}
		if c < 0 {
			p = middle + 1
		} else {
			end = middle
		}
	}
	return b.partitionStart(p), false
}

// searchPartition searches the row keys of one partition.
func (b *Block) searchPartition(p int, row string) (int, bool) {
	low, high := b.partitionStart(p), b.partitionStart(p+1)
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

// Entity decodes the entity with index i.
func (b *Block) Entity(i int) *odata.Entity {
	row, at := b.text(b.offset(i))
	n, values := b.uvarint(at + 8)
	s := b.shape(n)
	e := newEntity(s.count)
	e.PartitionKey, e.RowKey, e.Timestamp = b.PartitionKey(b.partitionOf(i)), row, odata.DateTime(b.uint64(at))
	b.properties(e.Properties, s, values)
	return e
}

// newEntity allocates an entity together with its properties.
func newEntity(properties int) *odata.Entity {
	switch n := properties; {
	case n <= 4:
		var a struct {
			odata.Entity
			p [4]odata.Property
		}
		return withProperties(&a.Entity, a.p[:n:n])
	case n <= 8:
		var a struct {
			odata.Entity
			p [8]odata.Property
		}
		return withProperties(&a.Entity, a.p[:n:n])
	case n <= 12:
		var a struct {
			odata.Entity
			p [12]odata.Property
		}
		return withProperties(&a.Entity, a.p[:n:n])
	case n <= 16:
		var a struct {
			odata.Entity
			p [16]odata.Property
		}
		return withProperties(&a.Entity, a.p[:n:n])
	}
	return &odata.Entity{Properties: make([]odata.Property, properties)}
}

func withProperties(e *odata.Entity, properties []odata.Property) *odata.Entity {
	e.Properties = properties
	return e
}

// The rest of this file reads the layout that doc.go describes. [Open] has
// checked every offset and length, so nothing here checks where the data ends.

func (b *Block) uint32(at int) int {
	s := b.data[at : at+4]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

func (b *Block) uint64(at int) uint64 {
	return uint64(b.uint32(at)) | uint64(b.uint32(at+4))<<32
}

// uvarint returns the number at an offset and where it ends; most have one
// byte. With named results and a bare return it is just short enough to be
// inlined.
func (b *Block) uvarint(at int) (n, end int) {
	n, end = int(b.data[at]), at+1
	if n >= 0x80 {
		n, end = b.longUvarint(at)
	}
	return
}

func (b *Block) longUvarint(at int) (n, end int) {
	r := encoding.NewReader(b.data[at:])
	n = int(r.Uvarint())
	return n, len(b.data) - r.Len()
}

// text returns the string at an offset and where it ends.
func (b *Block) text(at int) (string, int) {
	n, at := b.uvarint(at)
	return b.data[at : at+n], at + n
}

// offset returns where an entity begins.
func (b *Block) offset(i int) int { return b.uint32(b.offsets + 4*i) }

// end returns where an entity ends.
func (b *Block) end(i int) int {
	if i+1 < b.count {
		return b.offset(i + 1)
	}
	return b.partitionKeyOffset(0)
}

func (b *Block) rowKey(i int) string {
	s, _ := b.text(b.offset(i))
	return s
}

// timestamp returns an entity's Timestamp and where its shape's number is.
func (b *Block) timestamp(i int) (odata.DateTime, int) {
	_, at := b.text(b.offset(i))
	return odata.DateTime(b.uint64(at)), at + 8
}

// partitionStart returns the index of a partition's first entity; for the
// partition after the last, the number of entities.
func (b *Block) partitionStart(p int) int {
	if p == b.partitions {
		return b.count
	}
	return b.uint32(b.offsets + 4*b.count + 8*p)
}

func (b *Block) partitionKeyOffset(p int) int { return b.uint32(b.offsets + 4*b.count + 8*p + 4) }

// partitionOf returns the partition of an entity.
func (b *Block) partitionOf(i int) int {
	low, high := 0, b.partitions-1
	for low < high {
		middle := (low + high + 1) / 2
		if b.partitionStart(middle) <= i {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
