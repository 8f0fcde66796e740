package engine

import "fmt"

// CorruptionKind says what a [Corruption] is about.
type CorruptionKind uint8

// The kinds of corruption.
const (
	// CorruptBlock means that a block, a range of entities of one table, cannot be
	// read. The storage keeps the block.
	CorruptBlock CorruptionKind = iota
	// CorruptRecord means that a WAL record cannot be read, is missing, or has
	// changes to tables that are not in the catalog; these changes are not applied.
	// The storage keeps the record, if there is one.
	CorruptRecord
	// CorruptMeta means that the metadata of the checkpoint cannot be read, which says
	// with which record the WAL begins: it is unknown whether records are missing. The
	// Timestamp of a deleted entity may be reused.
	CorruptMeta
	// CorruptDirectory means that the directory cannot be read, and that some of its
	// blocks are missing: entities of any table may be missing, or have older values.
	CorruptDirectory
	// CorruptEntity means that one entity, Block.First, cannot be read: of a store that
	// keeps each by itself, not of an engine.
	CorruptEntity
)

// Corruption is stored data that failed its check and is in quarantine, so that the
// rest of the store can be used.
type Corruption struct {
	Kind    CorruptionKind
	Account string    // of a CorruptBlock, if known, or a CorruptEntity
	Table   string    // of a CorruptBlock, if known, or a CorruptEntity
	Block   BlockInfo // of a CorruptBlock: Count entities, from First on, are lost
	Seq     uint64    // of a CorruptRecord
	Err     error     // wraps ErrCorrupt
}

// String says in one line what is corrupt and why.
func (c Corruption) String() string {
	s := "checkpoint metadata"
	switch c.Kind {
	case CorruptBlock:
		s = fmt.Sprintf("block %d with %d entities of table %q of account %q, from %q",
			c.Block.ID, c.Block.Count, c.Table, c.Account, c.Block.First)
	case CorruptEntity:
		s = fmt.Sprintf("entity %q of table %q of account %q", c.Block.First, c.Table, c.Account)
	case CorruptDirectory:
		s = "directory of blocks"
	case CorruptRecord:
		s = fmt.Sprintf("WAL record %d", c.Seq)
	}
	if c.Err == nil {
		return s
	}
	return s + ": " + c.Err.Error()
}
