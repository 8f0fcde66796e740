package block

import (
	"fmt"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// Open checks an encoded block or delta and returns it. It must be the one that
// want describes (want.Size is not compared). The error wraps
// [encoding.ErrCorrupt] or [encoding.ErrFormat]. The block shares data's memory:
// the caller must not change data any more.
func Open(data []byte, want Info) (*Block, error) {
	payload, base, count, err := openFrame(data, want.Base != 0)
	if err != nil {
		return nil, err
	}
	if base != want.Base || base != 0 && count != want.Count {
		return nil, errorf("found a delta of block %d for %d entities", base, count)
	}
	b := &Block{data: payload}
	if err := b.check(want); err != nil {
		return nil, err
	}
	return b, nil
}

// Describe checks an encoded block or delta and returns its description, so that a
// lost directory can be rebuilt from them. It returns the same errors as [Open].
func Describe(data []byte) (Info, error) {
	isDelta := len(data) > 0 && encoding.Kind(data[0]) == encoding.Delta
	payload, base, count, err := openFrame(data, isDelta)
	if err != nil {
		return Info{}, err
	}
	r := encoding.NewReader(payload)
	info := Info{ID: r.Uint64(), Table: r.Uint32(), Base: base, Count: count, Size: len(data)}
	if !isDelta {
		info.Count, info.First = int(r.Uint32()), firstKey(payload)
	}
	b := &Block{data: payload}
	if err := b.check(info); err != nil {
		return Info{}, err
	}
	return info, nil
}

// openFrame checks the frame and returns what is in it, without the end of a
// delta, which says what its base and its Count are.
func openFrame(data []byte, isDelta bool) (payload string, base uint64, count int, err error) {
	if !isDelta {
		payload, err = encoding.Open(data, encoding.Block)
		return payload, 0, 0, err
	}
	if payload, err = encoding.Open(data, encoding.Delta); err != nil {
		return "", 0, 0, err
	}
	n := len(payload) - deltaEnd
	if n < 0 {
		return "", 0, 0, errorf("a delta of %d bytes", len(payload))
	}
	r := encoding.NewReader(payload[n:])
	if base, count = r.Uint64(), int(r.Uint32()); base == 0 {
		return "", 0, 0, errorf("a delta without a base")
	}
	return payload[:n], base, count, nil
}

// firstKey reads the first key of a payload that may have any form.
func firstKey(payload string) odata.Key {
	r := encoding.NewReader(payload)
	r.Take(12)
	count, partitions, shapes := uint64(r.Uint32()), uint64(r.Uint32()), uint64(r.Uint32())
	k := odata.Key{RowKey: r.Text()}
	tail := 8*partitions + 4*shapes
	if r.Failed() || 4*count+tail > uint64(len(payload)) || partitions == 0 {
		return k
	}
	first := encoding.NewReader(payload[uint64(len(payload))-tail+4:])
	if start := uint64(first.Uint32()); start < uint64(len(payload)) {
		key := encoding.NewReader(payload[start:])
		k.PartitionKey = key.Text()
	}
	return k
}

func errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", encoding.ErrCorrupt, fmt.Errorf(format, args...))
}

// check walks the whole block, so that nothing that reads it has to look where
// it ends.
func (b *Block) check(want Info) error {
	r := encoding.NewReader(b.data)
	id, table := r.Uint64(), r.Uint32()
	count, partitions, shapes := uint64(r.Uint32()), uint64(r.Uint32()), uint64(r.Uint32())
	isDelta := want.Base != 0
	if !r.Failed() && (id != want.ID || table != want.Table || !isDelta && count != uint64(want.Count)) {
		return errorf("found block %d of table %d with %d entities", id, table, count)
	}
	tail := 4*count + 8*partitions + 4*shapes
	plausible := count > 0 && partitions > 0 && shapes <= count
	if r.Failed() || !plausible || tail > uint64(r.Len()) {
		return errorf("malformed header")
	}
	b.count, b.partitions, b.shapes, b.offsets = int(count), int(partitions), int(shapes), len(b.data)-int(tail)
	start := b.shapeOffset(0)
	if start < headerSize || start > b.offsets {
		return errorf("malformed header")
	}
	known, err := b.checkShapes()
	if err != nil {
		return err
	}
	r = encoding.NewReader(b.data[headerSize:start])
	b.checkEntities(&r, start, known)
	b.checkPartitions(&r, start)
	if err := r.End(); err != nil {
		return err
	}
	if err := b.checkOrder(); err != nil {
		return err
	}
	if !isDelta && b.Key(0) != want.First {
		return errorf("first key differs from the directory's")
	}
	return nil
}

// checkShapes returns what checkEntities needs to know of the shapes.
func (b *Block) checkShapes() ([]shape, error) {
	r := encoding.NewReader(b.data[b.shapeOffset(0):b.offsets])
	known := make([]shape, b.shapes)
	for n := range known {
		if b.shapeOffset(n) != b.offsets-r.Len() {
			r.Fail()
		}
		known[n] = readShape(&r)
	}
	return known, r.End()
}

func readShape(r *encoding.Reader) (s shape) {
	fixed, count := r.Uvarint(), r.Uvarint()
	for ; count > 0 && !r.Failed(); count-- {
		switch width := widths[r.Byte()]; width {
		case -1:
			r.Fail()
		case 0:
			s.texts++
		default:
			s.fixed += int(width)
		}
		r.Text()
	}
	if fixed != uint64(s.fixed) {
		r.Fail()
	}
	return s
}

func (b *Block) checkEntities(r *encoding.Reader, end int, known []shape) {
	for i := 0; i < b.count && !r.Failed(); i++ {
		if b.offset(i) != end-r.Len() {
			r.Fail()
		}
		r.Text()
		r.Uint64()
		n := r.Uvarint()
		if n >= uint64(len(known)) {
			r.Fail()
			return
		}
		r.Take(uint64(known[n].fixed))
		for range known[n].texts {
			r.Text()
		}
	}
}

func (b *Block) checkPartitions(r *encoding.Reader, end int) {
	for p := 0; p < b.partitions && !r.Failed(); p++ {
		start := b.partitionStart(p)
		inOrder := start == 0 && p == 0 || p > 0 && start > b.partitionStart(p-1) && start < b.count
		if !inOrder || b.partitionKeyOffset(p) != end-r.Len() {
			r.Fail()
		}
		r.Text()
	}
}

func (b *Block) checkOrder() error {
	for p := range b.partitions {
		if p > 0 && odata.Compare(b.PartitionKey(p-1), b.PartitionKey(p)) >= 0 {
			return errorf("partitions out of order")
		}
		before := b.rowKey(b.partitionStart(p))
		for i := b.partitionStart(p) + 1; i < b.partitionStart(p+1); i++ {
			row := b.rowKey(i)
			if odata.Compare(before, row) >= 0 {
				return errorf("entities out of order")
			}
			before = row
		}
	}
	return nil
}
