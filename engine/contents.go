package engine

import (
	"container/list"
	"math"
	"strings"
	"sync/atomic"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// contents is what a table holds: blocks, as the last checkpoint wrote them,
// and beside them what has changed since. A change does not touch its block:
// it is folded in by the next checkpoint. So an insert costs a node of a small
// tree, and the log is done again without reading a block.
//
// The catalog is in changes alone, which are then all of its entities: every
// request looks things up in it.
type contents struct {
	blocks  *blockTree // nil for the catalog; only a checkpoint makes another one
	index   *blockIndex
	changes *tree
	count   int // entities, including those of blocks in quarantine
}

// replay applies a WAL entry that changes the number of entities by net.
func (c *contents) replay(e *odata.Entity, net int) {
	c.changes.Set(e)
	c.count += net
}

// has reports whether a block is the table's.
func (c *contents) has(r *blockRef) bool {
	if c == nil || c.blocks == nil {
		return false
	}
	found, _ := c.blocks.Get(r)
	return found == r
}

func newContents(blocks *blockTree) *contents {
	return &contents{blocks: blocks, index: new(blockIndex), changes: newTree()}
}

// Copy returns contents to be changed.
func (c *contents) Copy() *contents {
	copied := *c
	copied.changes = c.changes.Copy()
	return &copied
}

// deleted is the Timestamp of an entity among the changes that is not there
// any more. A clock does not show it.
const deleted odata.DateTime = math.MinInt64

func tombstone(k odata.Key) *odata.Entity {
	k = cloneKey(k)
	return &odata.Entity{PartitionKey: k.PartitionKey, RowKey: k.RowKey, Timestamp: deleted}
}

func cloneKey(k odata.Key) odata.Key {
	return odata.Key{PartitionKey: strings.Clone(k.PartitionKey), RowKey: strings.Clone(k.RowKey)}
}

// apply does a change. The hint is of where the last one was, nil for none.
func (c *contents) apply(o *op, hint *btree.PathHint) {
	c.count += o.net()
	if o.after != nil {
		c.changes.SetHint(o.after, hint)
		return
	}
	c.remove(o.before.Key())
}

func (c *contents) remove(k odata.Key) {
	if c.blocks == nil {
		c.changes.Delete(pivot(k))
		return
	}
	c.changes.Set(tombstone(k))
}

// blockTree holds the blocks of a table in the order of their first keys. A
// block holds what follows its first key, up to the next block's; keys before
// the first block have none.
type blockTree = btree.BTreeG[*blockRef]

func newBlockTree() *blockTree {
	less := func(a, b *blockRef) bool { return a.First.Less(b.First) }
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// blockRef is a block of a table, in memory or not.
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

// blockOf returns the block that would hold a key, nil for none. Probe is
// overwritten.
func (c *contents) blockOf(probe *blockRef, k odata.Key) (found *blockRef) {
	if c.blocks == nil {
		return nil
	}
	probe.First = k
	c.blocks.Descend(probe, func(ref *blockRef) bool {
		found = ref
		return false
	})
	return found
}

// affected returns about how many bytes of blocks a checkpoint would write
// anew.
func (c *contents) affected() int {
	if c.blocks.Len() == 0 {
		return 0
	}
	size := 0
	var next *blockRef
	var probe blockRef
	c.changes.Scan(func(e *odata.Entity) bool {
		if next != nil && e.Key().Less(next.First) {
			return true
		}
		if ref := c.blockOf(&probe, e.Key()); ref != nil {
			size += ref.Size
		}
		next = c.blockAfter(&probe, e.Key())
		return next != nil
	})
	return size
}

// blockAfter returns the first block whose keys all come after k, nil for none.
func (c *contents) blockAfter(probe *blockRef, k odata.Key) (found *blockRef) {
	probe.First = k.Next()
	c.blocks.Ascend(probe, func(ref *blockRef) bool {
		found = ref
		return false
	})
	return found
}
