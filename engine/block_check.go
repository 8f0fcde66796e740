package engine

import (
	"fmt"

	"sandtable/odata"
)

// openBlock returns the block of a text that is the one which the directory
// describes. A text of an older format is written anew, in memory. The caller
// must not change the text from now on.
func openBlock(text []byte, info BlockInfo) (*block, error) {
	body, version, err := openFrame(text, recordBlock)
	if err != nil {
		return nil, err
	}
	if version < 3 {
		return openOldBlock(body, version, info)
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
	count, runs, shapes := uint64(r.uint32()), uint64(r.uint32()), uint64(r.uint32())
	if !r.bad && (id != info.ID || table != info.Table || count != uint64(info.Count)) {
		return fmt.Errorf("%w: this is block %d of table %d with %d entities", ErrCorrupt, id, table, count)
	}
	tables := 4*count + 8*runs + 4*shapes
	some := count > 0 && runs > 0 && runs <= count && shapes > 0 && shapes <= count
	if r.bad || !some || tables > uint64(len(r.s)) {
		return fmt.Errorf("%w: wrong form", ErrCorrupt)
	}
	b.count, b.runs, b.shapes, b.table = int(count), int(runs), int(shapes), len(b.text)-int(tables)
	start := b.shapeStart(0)
	if start < blockHeader || start > b.table {
		return fmt.Errorf("%w: wrong form", ErrCorrupt)
	}
	known, err := b.checkShapes()
	if err != nil {
		return err
	}
	r = reader{s: b.text[blockHeader:start]}
	b.checkEntities(&r, start, known)
	b.checkRuns(&r, start)
	if err := r.end(); err != nil {
		return err
	}
	return b.checkOrder(info.First)
}

// checkShapes returns what checkEntities has to know of the shapes.
func (b *block) checkShapes() ([]shape, error) {
	r := reader{s: b.text[b.shapeStart(0):b.table]}
	known := make([]shape, b.shapes)
	for n := range known {
		if b.shapeStart(n) != b.table-len(r.s) {
			r.fail()
		}
		known[n] = r.shape()
	}
	return known, r.end()
}

func (r *reader) shape() (s shape) {
	claimed, count := r.uvarint(), r.uvarint()
	for ; count > 0 && !r.bad; count-- {
		switch width := widths[r.byte()]; width {
		case -1:
			r.fail()
		case 0:
			s.texts++
		default:
			s.fixed += int(width)
		}
		r.skipText()
	}
	if claimed != uint64(s.fixed) {
		r.fail()
	}
	return s
}

func (b *block) checkEntities(r *reader, end int, known []shape) {
	for i := 0; i < b.count && !r.bad; i++ {
		if b.offset(i) != end-len(r.s) {
			r.fail()
		}
		r.skipText()
		r.uint64()
		n := r.uvarint()
		if n >= uint64(len(known)) {
			r.fail()
			return
		}
		r.take(uint64(known[n].fixed))
		for range known[n].texts {
			r.skipText()
		}
	}
}

func (b *block) checkRuns(r *reader, end int) {
	for run := 0; run < b.runs && !r.bad; run++ {
		first := b.runFirst(run)
		inOrder := first == 0 && run == 0 || run > 0 && first > b.runFirst(run-1) && first < b.count
		if !inOrder || b.uint32(b.table+4*b.count+8*run+4) != end-len(r.s) {
			r.fail()
		}
		r.skipText()
	}
}

func (b *block) checkOrder(first odata.Key) error {
	for run := range b.runs {
		if run > 0 && odata.Compare(b.partition(run-1), b.partition(run)) >= 0 {
			return fmt.Errorf("%w: partitions out of order", ErrCorrupt)
		}
		before := b.rowKey(b.runFirst(run))
		for i := b.runFirst(run) + 1; i < b.runFirst(run+1); i++ {
			row := b.rowKey(i)
			if odata.Compare(before, row) >= 0 {
				return fmt.Errorf("%w: entities out of order", ErrCorrupt)
			}
			before = row
		}
	}
	if b.key(0) != first {
		return fmt.Errorf("%w: another first key than in the directory", ErrCorrupt)
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
	switch version {
	case 1:
		info.First = r.key()
		if r.bad {
			return BlockInfo{}, r.end()
		}
		return info, nil
	case 2:
		entities, err := decodeBlock2(body)
		if err != nil {
			return BlockInfo{}, err
		}
		info.First = entities[0].Key()
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
	count, runs, shapes := uint64(r.uint32()), uint64(r.uint32()), uint64(r.uint32())
	k := odata.Key{RowKey: r.text()}
	tables := 8*runs + 4*shapes
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
