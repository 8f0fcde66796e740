package engine

import (
	"math"
	"runtime"
	"strconv"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// sliceSize is up to how many bytes of blocks a checkpoint writes at once. Updates
// wait for one slice, not for the checkpoint.
const sliceSize = 512 << 10

// minSliceSize returns how many it writes at least. In a browser everything
// waits while a slice is handed over; natively a slice costs a sync.
func minSliceSize() int {
	if runtime.GOARCH == "wasm" {
		return sliceSize / 4
	}
	return sliceSize
}

// directoryEntry is about how many bytes a block has in a directory.
const directoryEntry = 48

// quarantineTable is the Table of blocks that belong to no table: each is a quarantined
// WAL record, which could not be read or not be replayed completely, and was kept
// unchanged when a checkpoint truncated the WAL. Its only entity holds the record, and
// has the record's number as its row key. If the partition key is missingBlocks, the
// entity holds nothing, and the row key is the number of blocks that a rebuilt directory
// lacked. All of this is in the block's First key, so it survives a directory rebuild.
const quarantineTable TableID = math.MaxUint32

const missingBlocks = "missing blocks"

// writer is a checkpoint's state of the storage. There is one checkpoint at a time.
type writer struct {
	meta    meta // of the last checkpoint, without its garbage
	next    BlockID
	catalog []BlockID // the catalog's blocks
	slice   int       // minSliceSize
	// inDoubt is set while it is unknown whether the last checkpoint was written.
	inDoubt bool

	epochs []*epoch  // that are over
	stale  []BlockID // pinned by no reader

	corrupt     []BlockID   // found by an earlier DB: kept, and not read
	evidence    []BlockID   // of corruption, in no table: kept
	quarantined []WALRecord // to be kept as evidence by the next checkpoint
	missing     int         // blocks that are missing, of which the next checkpoint makes a note
}

func newWriter() writer {
	return writer{meta: meta{nextTable: catalogID + 1, nextBlock: 1}, next: 1, slice: minSliceSize()}
}

// sliceOf returns the size of a checkpoint's slices: twice the size of the directory,
// which a storage may write with each slice.
func (w *writer) sliceOf(v *version) int {
	return max(w.slice, min(2*directoryEntry*v.blocks(), sliceSize))
}

// newID returns the identity of a new block.
func (w *writer) newID() BlockID {
	w.next++
	return w.next - 1
}

// quarantinedBlocks returns the WAL records that could not be replayed, and a note of
// missing blocks, as blocks of quarantineTable, so that they survive the WAL.
func (w *writer) quarantinedBlocks() (blocks []Block) {
	add := func(kind string, number uint64, data []byte) {
		var b block.Builder
		e := odata.Entity{PartitionKey: kind, RowKey: strconv.FormatUint(number, 10)}
		e.Properties = []odata.Property{{Name: "Record", Value: odata.BinaryValue(data)}}
		b.Add(&e)
		blocks = append(blocks, finishBlock(&b, w.newID(), quarantineTable))
	}
	for _, r := range w.quarantined {
		add("", r.Seq, r.Data)
	}
	if w.missing > 0 {
		add(missingBlocks, uint64(w.missing), nil)
	}
	return blocks
}

// garbage returns the blocks that are in the storage and no longer in use.
func (w *writer) garbage() []BlockID {
	ids := append([]BlockID(nil), w.stale...)
	for _, e := range w.epochs {
		ids = append(ids, e.garbage...)
	}
	return ids
}

func (w *writer) hasGarbage() bool {
	if len(w.stale) > 0 {
		return true
	}
	for _, e := range w.epochs {
		if len(e.garbage) > 0 {
			return true
		}
	}
	return false
}

// freed makes the garbage of epochs that no reader pins stale, and returns all stale
// blocks.
func (w *writer) freed() []BlockID {
	for len(w.epochs) > 0 && w.epochs[0].readers.Load() == 0 {
		w.stale = append(w.stale, w.epochs[0].garbage...)
		w.epochs = w.epochs[1:]
	}
	return w.stale
}
