package engine

import (
	"fmt"

	"sandtable/odata"
)

// blockHeader1 opened the body of a block in version 1 of the format: its
// identity, its table's, and how many entities follow, each with its whole key.
const blockHeader1 = 8 + 4 + 4

// openBlock1 returns a block of version 1 as one of the present.
func openBlock1(body string, info BlockInfo) (*block, error) {
	entities, err := decodeBlock1(body, info)
	if err != nil {
		return nil, err
	}
	var w blockBuilder
	for _, e := range entities {
		w.add(e)
	}
	return openBlock(w.finish(info.ID, info.Table).Data, info)
}

// decodeBlock1 reads a block and checks that it is the one that the directory
// describes.
func decodeBlock1(body string, info BlockInfo) ([]*odata.Entity, error) {
	r := reader{s: body}
	id, table, n := BlockID(r.uint64()), TableID(r.uint32()), uint64(r.uint32())
	if !r.bad && (id != info.ID || table != info.Table || n != uint64(info.Count)) {
		return nil, fmt.Errorf("%w: this is block %d of table %d with %d entities", ErrDamaged, id, table, n)
	}
	// An entity has eleven bytes at least.
	if n > uint64(len(r.s))/11 {
		r.fail()
		n = 0
	}
	entities := make([]*odata.Entity, n)
	for i := range entities {
		entities[i] = r.entity()
		if i > 0 && !r.bad && !lessEntity(entities[i-1], entities[i]) {
			return nil, fmt.Errorf("%w: entities out of order", ErrDamaged)
		}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	if n == 0 || entities[0].Key() != info.First {
		return nil, fmt.Errorf("%w: another first key than in the directory", ErrDamaged)
	}
	return entities, nil
}
