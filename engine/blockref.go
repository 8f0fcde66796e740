package engine

import (
	"container/list"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// blockTree holds the blocks of a table, ordered by their first keys. A block has
// the keys from its first key up to that of the next block; keys before the
// first block are in none.
type blockTree = btree.BTreeG[*blockRef]

func newBlockTree() *blockTree {
	less := func(a, b *blockRef) bool { return a.First.Less(b.First) }
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// blockRef is a block of a table, in memory or not. Versions share it.
type blockRef struct {
	BlockInfo
	data     atomic.Pointer[block.Block] // nil while it is in storage alone
	used     atomic.Bool                 // since the cache looked last
	corrupt  atomic.Bool                 // it is in quarantine and reads as empty
	detached bool                        // it is in no tree: opening the store reads it

	// Guarded by the cache's lock.
	place *list.Element // in its row, nil for none
	gone  bool          // replaced: not worth keeping
}

// resident returns the block if it is in memory, else nil.
func (r *blockRef) resident() *block.Block {
	b := r.data.Load()
	if b == nil {
		if r.corrupt.Load() {
			return emptyBlock
		}
		return nil
	}
	if !r.used.Load() {
		r.used.Store(true)
	}
	return b
}

// blockIndex finds the block of a key. It is built from a blockTree on first use
// and valid as long as that. The first keys are contiguous, so that a search
// touches half as much memory as one of the tree.
type blockIndex struct {
	once   sync.Once
	firsts []odata.Key
	refs   []*blockRef
}

// find returns the block that would hold a key, nil for none.
func (x *blockIndex) find(blocks *blockTree, k odata.Key) *blockRef {
	x.once.Do(func() { x.fill(blocks) })
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
