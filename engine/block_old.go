package engine

import (
	"fmt"

	"sandtable/odata"
)

// openOldBlock returns a block of version 1 or 2 as one of the present.
func openOldBlock(body string, version byte, info BlockInfo) (*block, error) {
	decode := decodeBlock1
	if version == 2 {
		decode = decodeBlock2
	}
	entities, err := decode(body)
	if err != nil {
		return nil, err
	}
	r := reader{s: body}
	id, table := BlockID(r.uint64()), TableID(r.uint32())
	if id != info.ID || table != info.Table || len(entities) != info.Count {
		return nil, fmt.Errorf("%w: this is block %d of table %d with %d entities", ErrCorrupt, id, table, len(entities))
	}
	if entities[0].Key() != info.First {
		return nil, fmt.Errorf("%w: another first key than in the directory", ErrCorrupt)
	}
	var w blockBuilder
	for _, e := range entities {
		w.add(e)
	}
	return openBlock(w.finish(info.ID, info.Table).Data, info)
}

// decodeBlock1 reads a block of version 1: identity and table, how many
// entities follow, and each with its whole key.
func decodeBlock1(body string) ([]*odata.Entity, error) {
	r := reader{s: body}
	r.take(12)
	n := uint64(r.uint32())
	// An entity has eleven bytes at least.
	if n > uint64(len(r.s))/11 {
		r.fail()
		n = 0
	}
	entities := make([]*odata.Entity, n)
	for i := range entities {
		entities[i] = r.entity()
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return entities, checkSorted(entities)
}

// checkSorted refuses none at all, too.
func checkSorted(entities []*odata.Entity) error {
	for i := 1; i < len(entities); i++ {
		if !lessEntity(entities[i-1], entities[i]) {
			return fmt.Errorf("%w: entities out of order", ErrCorrupt)
		}
	}
	if len(entities) == 0 {
		return fmt.Errorf("%w: no entity", ErrCorrupt)
	}
	return nil
}

// In version 2 a block had a header of 20 bytes (identity, table, entities,
// runs), the entities without their partition keys, the partition key of each
// run, four bytes for where each entity begins, and for each run the index of
// its first entity and where its key stands, four bytes each.
//
// decodeBlock2 reads a block from the left. The offsets at its end were for
// reading it where it stands, and only say here which entities share a key.
func decodeBlock2(body string) ([]*odata.Entity, error) {
	r := reader{s: body}
	r.take(12)
	n, runs := uint64(r.uint32()), uint64(r.uint32())
	tables := 4*n + 8*runs
	if r.bad || n == 0 || runs == 0 || runs > n || tables > uint64(len(r.s)) {
		return nil, fmt.Errorf("%w: wrong form", ErrCorrupt)
	}
	ends := reader{s: r.s[uint64(len(r.s))-8*runs:]}
	r.s = r.s[:uint64(len(r.s))-tables]
	entities := make([]*odata.Entity, n)
	for i := range entities {
		entities[i] = r.row()
	}
	first := uint64(ends.uint32())
	for run := range runs {
		partition, next := r.text(), n
		ends.uint32() // where the key stands, which is here
		if run+1 < runs {
			next = uint64(ends.uint32())
		}
		if run == 0 && first != 0 || first >= next || next > n {
			return nil, fmt.Errorf("%w: wrong form", ErrCorrupt)
		}
		for _, e := range entities[first:next] {
			e.PartitionKey = partition
		}
		first = next
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return entities, checkSorted(entities)
}
