package engine

import (
	"sync"

	"sandtable/odata"
)

// blockIndex finds the block of a key. It is made of a table's tree when it is
// first asked, and stays as long as the tree does: until the next checkpoint.
// The first keys stand side by side, so that a search takes half as many steps
// into memory as one of the tree.
type blockIndex struct {
	once   sync.Once
	firsts []odata.Key
	refs   []*blockRef
}

// holding returns the block that would hold a key, nil for none.
func (c *contents) holding(k odata.Key) *blockRef {
	if c.blocks == nil {
		return nil
	}
	x := c.index
	x.once.Do(func() { x.fill(c.blocks) })
	low, high := 0, len(x.firsts)
	for low < high {
		middle := int(uint(low+high) / 2)
		if k.Less(x.firsts[middle]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low == 0 {
		return nil
	}
	return x.refs[low-1]
}

func (x *blockIndex) fill(blocks *blockTree) {
	x.firsts, x.refs = make([]odata.Key, 0, blocks.Len()), make([]*blockRef, 0, blocks.Len())
	blocks.Scan(func(r *blockRef) bool {
		x.firsts, x.refs = append(x.firsts, r.First), append(x.refs, r)
		return true
	})
}
