package engine

import "fmt"

// CorruptionKind says what a [Corruption] is about.
type CorruptionKind uint8

// The kinds of corruption.
const (
	// CorruptBlock is a range of entities of one table that cannot be read. The
	// storage keeps the block.
	CorruptBlock CorruptionKind = iota
	// CorruptRecord is a WAL record that cannot be read, or is missing, or
	// changed tables that are not in the catalog; those changes are not applied.
	// The storage keeps the record, if there is one.
	CorruptRecord
	// CorruptMeta is the checkpoint's metadata. No entity is lost with it, but the
	// Timestamp of a deleted entity may be given again.
	CorruptMeta
)

// Corruption is stored data that failed its check and is in quarantine, so that
// the rest can be used.
type Corruption struct {
	Kind    CorruptionKind
	Account string    // of a CorruptBlock, if known
	Table   string    // of a CorruptBlock, if known
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
	case CorruptRecord:
		s = fmt.Sprintf("WAL record %d", c.Seq)
	}
	if c.Err == nil {
		return s
	}
	return s + ": " + c.Err.Error()
}
