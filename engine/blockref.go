package engine

import (
	"cmp"
	"container/list"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// blockTree holds the blocks of a table, ordered by their first keys. A block covers
// the keys from its first key up to the next block's; no block covers the keys
// before the first block.
type blockTree = btree.BTreeG[*blockRef]

func newBlockTree() *blockTree {
	less := func(a, b *blockRef) bool { return a.First.Less(b.First) }
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// blockRef is a block of a table, in memory or not. Versions share it. The storage
// may hold it as a block and deltas; in memory they are one block.
type blockRef struct {
	// BlockInfo describes the stored block, but Count and Size include its deltas.
	BlockInfo
	stored   []BlockInfo                 // the block and its deltas, the oldest first; nil without deltas
	data     atomic.Pointer[block.Block] // nil while it is not in memory
	pending  atomic.Pointer[pendingDelta]
	used     atomic.Bool // since the cache's hand last passed
	corrupt  atomic.Bool // it is in quarantine and reads as empty
	detached bool        // it is in no tree: opening the store reads it

	// evidence means that the block is corrupt, and was replaced in some table by blocks
	// without its entities: the storage keeps it. Only checkpoints use the field.
	evidence bool

	// Guarded by the cache's lock.
	place *list.Element // in the cache's clock; nil for none
	gone  bool          // replaced: the cache does not keep it
}

// set initializes r with a block and its deltas, the oldest first.
func (r *blockRef) set(of BlockInfo, deltas []BlockInfo) {
	r.BlockInfo = of
	if len(deltas) == 0 {
		return
	}
	r.stored = append([]BlockInfo{of}, deltas...)
	for _, delta := range deltas {
		r.Count, r.Size = delta.Count, r.Size+delta.Size
	}
}

// with returns a blockRef with one more delta.
func (r *blockRef) with(delta BlockInfo) *blockRef {
	parts := r.parts()
	next := new(blockRef)
	next.set(parts[0], append(parts[1:len(parts):len(parts)], delta))
	return next
}

// parts returns the block and its deltas as they are stored.
func (r *blockRef) parts() []BlockInfo {
	if r.stored != nil {
		return r.stored
	}
	return []BlockInfo{r.BlockInfo}
}

// newest returns the identity of the newest delta, or of the block if there are no
// deltas.
func (r *blockRef) newest() BlockID {
	parts := r.parts()
	return parts[len(parts)-1].ID
}

// sharedBytes returns how many bytes of r are also in other.
func (r *blockRef) sharedBytes(other *blockRef) (n int) {
	others := other.parts()
	for _, part := range r.parts() {
		if slices.Contains(others, part) {
			n += part.Size
		}
	}
	return n
}

// appendIDs appends the identities of the block and its deltas.
func (r *blockRef) appendIDs(ids []BlockID) []BlockID {
	if r.stored == nil {
		return append(ids, r.ID)
	}
	for _, part := range r.stored {
		ids = append(ids, part.ID)
	}
	return ids
}

// groupParts groups deltas with their blocks. It returns the blocks in their order,
// and the deltas whose block is missing.
func groupParts(infos []BlockInfo) (refs []*blockRef, lost []BlockInfo) {
	deltas := make(map[BlockID][]BlockInfo) // by their base
	blocks := 0
	for _, info := range infos {
		if info.Base == 0 {
			blocks++
		} else {
			deltas[info.Base] = append(deltas[info.Base], info)
		}
	}
	refs = make([]*blockRef, 0, blocks)
	memory := make([]blockRef, blocks)
	for _, info := range infos {
		if info.Base == 0 {
			r := &memory[len(refs)]
			r.set(info, inOrder(deltas[info.ID]))
			refs = append(refs, r)
			delete(deltas, info.ID)
		}
	}
	for _, base := range slices.Sorted(maps.Keys(deltas)) {
		lost = append(lost, inOrder(deltas[base])...)
	}
	return refs, lost
}

// inOrder sorts parts by their age.
func inOrder(parts []BlockInfo) []BlockInfo {
	slices.SortFunc(parts, func(a, b BlockInfo) int { return cmp.Compare(a.ID, b.ID) })
	return parts
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

// pendingDelta is a block in memory and a delta to it that a checkpoint wrote. It is
// applied when the block is next read.
type pendingDelta struct{ base, delta *block.Block }

// blockIndex finds the block of a key. It is built from a blockTree on first use, and
// valid as long as the tree is unchanged. The first keys are contiguous, so that a
// search touches half as much memory as a search of the tree.
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
