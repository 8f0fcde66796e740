package engine

import "sandtable/odata"

// Storage keeps a store's blocks and its log. It belongs to one DB at a time.
//
// The DB never has more than one Append or Checkpoint under way. ReadBlocks
// may be called from any goroutine, at any time between Load and Close.
// A storage keeps no slice that it was given past the return of the call, and
// gives out no slice that it changes later. After Close every call fails with
// an error that wraps [ErrClosed]; a storage may let Load open it again.
type Storage interface {
	// Load returns what is stored: the directory of the blocks, the text that
	// the last checkpoint left beside them, and the log since. It is the first
	// call, and may be called again, though never beside an Append or a
	// Checkpoint.
	Load() (Directory, error)

	// Append adds a record to the log. It is durable, in the sense that the
	// storage was opened for, when Append returns nil.
	//
	// An Append that returns an error should have left nothing behind. Where a
	// storage cannot know (its connection died before the answer came), the
	// record may still turn up in the next Load. The DB answers its writers
	// with an error and uses the number again: the last record of a number
	// replaces those before it, so that a refused record never stands beside
	// one that was accepted later.
	Append(seq uint64, record []byte) error

	// Checkpoint does all of it or nothing. After an error the DB takes either
	// to be possible, unless it wraps [ErrNoSpace].
	Checkpoint(Checkpoint) error

	// ReadBlocks returns the texts of blocks in the order that they are asked for.
	// A block that is not there is an error that wraps [ErrBlockNotFound].
	ReadBlocks(ids []BlockID) ([][]byte, error)

	// Close ends the use of the storage. Closing twice is not an error.
	Close() error
}

// BlockID names a block for ever: a number is never used again, whatever
// becomes of its block.
type BlockID uint64

// TableID names a table for ever, as [BlockID] does a block. The table 0 is
// the catalog, which lists the accounts and all other tables.
type TableID uint32

// BlockInfo is what the directory says about a block. It is kept beside the
// block's text, so that a store opens without reading its blocks.
type BlockInfo struct {
	ID    BlockID
	Table TableID
	First odata.Key // the key of its first entity
	Count int       // entities
	Size  int       // bytes of its text
}

// Block is a block with its text. The text carries its own checksum.
type Block struct {
	BlockInfo
	Data []byte
}

// WALRecord is what one [Storage.Append] wrote.
type WALRecord struct {
	Seq  uint64
	Data []byte
}

// Directory is what [Storage.Load] found. A new storage has the zero one.
type Directory struct {
	Blocks []BlockInfo // in no order
	Meta   []byte      // of the last checkpoint, nil if there was none
	WAL    []WALRecord // in the order of their numbers
	// Rebuilt counts the Blocks whose entry was damaged and made again from the
	// block itself.
	Rebuilt int
}

// Checkpoint replaces a part of the blocks: it puts some, deletes others,
// replaces the text beside them, and drops the records of the log up to Seq
// and with it.
type Checkpoint struct {
	Seq     uint64
	Puts    []Block
	Deletes []BlockID
	Meta    []byte
}
