package engine

import (
	"strings"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// contents is the state of a table in one version: the blocks written by the
// last checkpoint, plus an overlay of the changes since. Writes go to the
// overlay alone, and the next checkpoint merges it into new blocks. So an insert
// costs a node of a small tree, and replaying the WAL reads no blocks.
//
// The catalog has no blocks: its changes are all of its entities, since every
// request reads it.
type contents struct {
	blocks  *blockTree // nil for the catalog; replaced by checkpoints alone
	index   *blockIndex
	changes *tree
	count   int // entities, including entities of blocks in quarantine
	// shared is set if other tables may have some of the blocks, too; see share.go.
	shared bool
}

// replay applies a WAL entry that changes the number of entities by countDelta.
func (c *contents) replay(e *odata.Entity, countDelta int) {
	c.changes.Set(e)
	c.count += countDelta
}

// has reports whether a block belongs to the table.
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

// copy returns contents that the caller may change.
func (c *contents) copy() *contents {
	copied := *c
	copied.changes = c.changes.Copy()
	return &copied
}

// bytes returns about how many bytes the contents take in the storage.
func (c *contents) bytes() (n int64) {
	if c.blocks != nil {
		c.blocks.Scan(func(r *blockRef) bool {
			n += int64(r.Size)
			return true
		})
	}
	c.changes.Scan(func(e *odata.Entity) bool {
		if e.Timestamp != deleted {
			n += int64(block.EstimateSize(e))
		}
		return true
	})
	return n
}

// deletedBytes returns about how many bytes the entities take that are in blocks and
// were deleted since, as if such entities were spread evenly. What is in shared blocks
// stays there.
func (c *contents) deletedBytes(isShared func(*blockRef) bool) int64 {
	count, size := 0, 0
	c.blocks.Scan(func(r *blockRef) bool {
		count += r.Count
		if !isShared(r) {
			size += r.Size
		}
		return true
	})
	return int64(max(0, count-c.count)) * int64(size) / int64(max(1, count))
}

// holding returns the block that would hold a key, nil for none.
func (c *contents) holding(k odata.Key) *blockRef {
	if c.blocks == nil {
		return nil
	}
	return c.index.find(c.blocks, k)
}

// deleted is the Timestamp of a tombstone: a deleted entity among the changes.
const deleted = block.Deleted

func tombstone(k odata.Key) *odata.Entity {
	k = cloneKey(k)
	return &odata.Entity{PartitionKey: k.PartitionKey, RowKey: k.RowKey, Timestamp: deleted}
}

func cloneKey(k odata.Key) odata.Key {
	return odata.Key{PartitionKey: strings.Clone(k.PartitionKey), RowKey: strings.Clone(k.RowKey)}
}

// apply applies a change. The hint, which may be nil, is the position of the last
// change.
func (c *contents) apply(o *op, hint *btree.PathHint) {
	c.count += o.countDelta()
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

// affected estimates how many bytes of blocks a checkpoint would write.
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
			size += min(ref.Size, patchCost)
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
