package engine

import (
	"fmt"

	"sandtable/engine/internal/block"
)

// emptyBlock stands for a block that is corrupt or was replaced.
var emptyBlock = new(block.Block)

// openBlock checks a block's bytes against the directory. The caller must not
// change them any more.
func openBlock(data []byte, info BlockInfo) (*block.Block, error) {
	return block.Open(data, block.Info{
		ID: uint64(info.ID), Table: uint32(info.Table), Base: uint64(info.Base), First: info.First, Count: info.Count, Size: info.Size,
	})
}

// openParts checks the bytes of a block and of its deltas, and returns what they
// are together.
func openParts(data [][]byte, r *blockRef) (*block.Block, error) {
	parts := r.parts()
	base, err := openBlock(data[0], parts[0])
	if err != nil || len(parts) == 1 {
		return base, err
	}
	deltas := make([]*block.Block, len(parts)-1)
	for i := range deltas {
		if deltas[i], err = openBlock(data[i+1], parts[i+1]); err != nil {
			return nil, fmt.Errorf("delta %d: %w", parts[i+1].ID, err)
		}
	}
	b := block.Apply(base, deltas)
	if b.Len() != r.Count || b.Len() == 0 { // a checkpoint drops a block without entities
		return nil, fmt.Errorf("%w: %d entities with %d deltas, want %d", ErrCorrupt, b.Len(), len(deltas), r.Count)
	}
	return b, nil
}

// finishBlock ends the block that a builder has encoded.
func finishBlock(w *block.Builder, id BlockID, table TableID) Block {
	info, data := w.Finish(uint64(id), uint32(table))
	return Block{BlockInfo: blockInfo(info), Data: data}
}

// finishDelta ends the delta that a builder has encoded, to a block that has count
// entities with it.
func finishDelta(w *block.Builder, id BlockID, base *blockRef, count int) Block {
	info, data := w.FinishDelta(uint64(id), uint32(base.Table), uint64(base.ID), count)
	return Block{BlockInfo: blockInfo(info), Data: data}
}

// DescribeBlock returns what the directory says about a block, from the block's
// bytes alone: a storage rebuilds a corrupt directory with it. The result shares no
// memory with the bytes, which may be released. The error wraps [ErrCorrupt] or
// [ErrFormat].
func DescribeBlock(data []byte) (BlockInfo, error) {
	info, err := block.Describe(data)
	info.First = cloneKey(info.First)
	return blockInfo(info), err
}

func blockInfo(i block.Info) BlockInfo {
	return BlockInfo{ID: BlockID(i.ID), Table: TableID(i.Table), Base: BlockID(i.Base), First: i.First, Count: i.Count, Size: i.Size}
}
