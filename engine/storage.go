package engine

import (
	"fmt"

	"sandtable/odata"
)

// Storage keeps a store's blocks and its WAL. It belongs to one DB at a time.
//
// The DB never runs more than one Append or Checkpoint at a time. ReadBlocks may
// be called by any goroutine, at any time between Load and Close. A storage keeps
// no slice that it was given after the call returns, and never changes a slice
// that it returned. After Close every call fails with an error that wraps
// [ErrClosed]; a storage may let Load reopen it.
type Storage interface {
	// Load returns the directory of the blocks, the metadata of the last
	// checkpoint, and the WAL since. It is the first call, and may be repeated,
	// though never during an Append or a Checkpoint.
	Load() (Directory, error)

	// Append adds a record to the WAL. When it returns nil, the record is as durable
	// as the storage's [Durability] promises.
	//
	// An Append that returns an error should leave nothing behind. If a storage
	// cannot know (its connection died before the answer), the record may be in
	// the next Load. The DB answers its writers with an error and reuses the number:
	// a record replaces an earlier one with the same number, so that a refused
	// record never coexists with one that was accepted later.
	Append(seq uint64, record []byte) error

	// Checkpoint is atomic. After an error, the DB assumes that it may or may not
	// have taken effect, unless the error wraps [ErrNoSpace]: then it has not.
	Checkpoint(Checkpoint) error

	// ReadBlocks returns the data of blocks in the order of the ids. A missing
	// block is an error that wraps [ErrBlockNotFound].
	ReadBlocks(ids []BlockID) ([][]byte, error)

	// Close releases the storage. Closing twice is not an error.
	Close() error
}

// Reserver is a [Storage] that keeps space for deletions, so that a full disk can
// be freed.
type Reserver interface {
	// AppendReserved is Append for a record that only deletes, or resets accounts,
	// after Append returned [ErrNoSpace]. Deleting many entities may free nothing, while
	// a checkpoint does not fit. So a record that drops no table has to leave some of the
	// space to one that does.
	AppendReserved(seq uint64, record []byte, drops bool) error
}

// BlockID identifies a block. It is never reused.
type BlockID uint64

// TableID identifies a table. It is never reused. Table 0 is the catalog,
// which lists the accounts and all other tables.
type TableID uint32

// BlockInfo is the directory's entry of a block. A store opens without reading
// its blocks.
type BlockInfo struct {
	ID    BlockID
	Table TableID
	First odata.Key // the key of its first entity
	Count int       // entities
	Size  int       // bytes of its data
	// Base is 0 for a block. A delta has the changes of one checkpoint to the block
	// Base. It has no First, and its Count is the number of entities in the base after
	// this and all earlier deltas are applied.
	Base BlockID
}

// Block is a block with its data, which has its own checksum.
type Block struct {
	BlockInfo
	Data []byte
}

// WALRecord is the record of one [Storage.Append].
type WALRecord struct {
	Seq  uint64
	Data []byte
}

// Directory is the result of [Storage.Load]. A new storage returns a zero Directory.
type Directory struct {
	Blocks []BlockInfo // in no order
	Meta   []byte      // of the last checkpoint, nil if there was none
	WAL    []WALRecord // in the order of their numbers
	// Rebuilt counts the Blocks whose corrupt entry was rebuilt from the block itself.
	Rebuilt int
	// Missing counts the blocks that a corrupt directory had and the storage has no
	// more: it is unknown which they were.
	Missing int
}

// Checkpoint replaces some blocks: it puts new ones, deletes others, replaces the
// metadata, and truncates the WAL: records up to and including Seq are dropped.
type Checkpoint struct {
	Seq     uint64
	Puts    []Block
	Deletes []BlockID
	Meta    []byte
	// Shrinks is set if the checkpoint frees at least as many bytes of blocks as it
	// puts. A full [Reserver] may then use the space reserved for deletions.
	Shrinks bool
}

// blockLister is a storage that can list the blocks that it has, even if they are
// not in its directory.
type blockLister interface {
	BlockIDs() ([]BlockID, error)
}

// loadDirectory loads the directory, turning a panic of the storage into an error.
func loadDirectory(s Storage) (d Directory, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: load: panic: %v", ErrStorage, p)
		}
	}()
	if d, err = s.Load(); err != nil {
		err = fmt.Errorf("%w: load: %w", ErrStorage, err)
	}
	return d, err
}
