package engine

import "fmt"

// ProblemKind says what a [Problem] is about.
type ProblemKind uint8

// The kinds of problems.
const (
	// BadMeta means that the metadata of the checkpoint cannot be read.
	BadMeta ProblemKind = iota
	// BadDirectory means that the directory was partly unreadable and was rebuilt
	// from the blocks.
	BadDirectory
	// BadRecord means that a WAL record cannot be read, is in quarantine, or is
	// missing.
	BadRecord
	// BadBlock means that a block has a wrong checksum or encoding, has entities out
	// of order, or does not match its directory entry.
	BadBlock
	// MissingBlock means that a block is in the directory, but not in the storage.
	MissingBlock
	// OrphanBlock means that a block belongs to no table in the catalog, or is not in
	// the directory.
	OrphanBlock
	// BlocksOverlap means that a block has entities at or after the first key of the
	// next block.
	BlocksOverlap
	// BadEntity means that an entity has invalid keys or properties, or a Timestamp
	// after the last one of the store.
	BadEntity
	// BadCount means that the entity count of a table is wrong.
	BadCount
	// BadName means that an account or a table has an invalid name, identity or entry.
	BadName
	// BadDocument means that a document of access policies or service properties
	// cannot be read.
	BadDocument
)

var problemNames = [...]string{
	BadMeta: "bad meta", BadDirectory: "bad directory", BadRecord: "bad record", BadBlock: "bad block",
	MissingBlock: "missing block", OrphanBlock: "orphan block", BlocksOverlap: "blocks overlap",
	BadEntity: "bad entity", BadCount: "bad count", BadName: "bad name", BadDocument: "bad document",
}

// String returns the kind in words.
func (k ProblemKind) String() string {
	if int(k) < len(problemNames) {
		return problemNames[k]
	}
	return "unknown problem"
}

// Problem is a problem that [DB.Verify] found in a store.
type Problem struct {
	Kind    ProblemKind
	Account string // "" for none or an unknown one
	Table   string
	Block   BlockID // 0 for none
	Seq     uint64  // of a BadRecord
	// Entities is how many entities an unreadable block has; later changes may
	// have replaced some.
	Entities int
	Err      error
}

// String describes the problem and its place in one line.
func (p Problem) String() string {
	text := p.Kind.String()
	if p.Kind == BadRecord {
		text += fmt.Sprintf(" %d", p.Seq)
	}
	if p.Block != 0 {
		text += fmt.Sprintf(" (block %d)", p.Block)
	}
	switch {
	case p.Table != "":
		text += fmt.Sprintf(" in %s/%s", p.Account, p.Table)
	case p.Account != "":
		text += " in " + p.Account
	}
	return fmt.Sprintf("%s: %v", text, p.Err)
}

// problemOf converts a corruption that opening the store found.
func problemOf(d Corruption) Problem {
	f := Problem{Account: d.Account, Table: d.Table, Block: d.Block.ID, Seq: d.Seq, Err: d.Err}
	if d.Block.Table != catalogID {
		f.Entities = d.Block.Count
	}
	switch {
	case d.Kind == CorruptMeta:
		f.Kind = BadMeta
	case d.Kind == CorruptDirectory:
		f.Kind = MissingBlock
	case d.Kind == CorruptRecord:
		f.Kind = BadRecord
	case d.Table == "" && d.Block.Table != catalogID:
		f.Kind = OrphanBlock
	default:
		f.Kind = BadBlock
	}
	return f
}
