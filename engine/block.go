package engine

import (
	"sandtable/engine/internal/block"
)

// emptyBlock stands for a block that is corrupt or was replaced.
var emptyBlock = new(block.Block)

// openBlock checks a block's bytes against the directory. The caller must not
// change them any more.
func openBlock(data []byte, info BlockInfo) (*block.Block, error) {
	return block.Open(data, block.Info{
		ID: uint64(info.ID), Table: uint32(info.Table), First: info.First, Count: info.Count, Size: info.Size,
	})
}

// finishBlock ends the block that a builder has encoded.
func finishBlock(w *block.Builder, id BlockID, table TableID) Block {
	info, data := w.Finish(uint64(id), uint32(table))
	return Block{BlockInfo: blockInfo(info), Data: data}
}

// DescribeBlock returns what the directory says about a block, from the block's
// bytes alone: a storage rebuilds a corrupt directory with it. The error wraps
// [ErrCorrupt] or [ErrFormat].
func DescribeBlock(data []byte) (BlockInfo, error) {
	info, err := block.Describe(data)
	return blockInfo(info), err
}

func blockInfo(i block.Info) BlockInfo {
	return BlockInfo{ID: BlockID(i.ID), Table: TableID(i.Table), First: i.First, Count: i.Count, Size: i.Size}
}
