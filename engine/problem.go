package engine

import "fmt"

// ProblemKind says what a [Problem] is about.
type ProblemKind uint8

// The kinds of findings.
const (
	// BadMeta is the text beside the blocks, which cannot be read.
	BadMeta ProblemKind = iota
	// BadDirectory is a directory that could not be read as a whole, and was
	// made again from the blocks.
	BadDirectory
	// BadRecord is a commit of the log that cannot be read, was set aside, or is
	// missing.
	BadRecord
	// BadBlock is a block that cannot be read: its checksum or its form is wrong,
	// its entities are out of order, or it is another than the directory says.
	BadBlock
	// MissingBlock is one that the directory has, and the storage has not.
	MissingBlock
	// OrphanBlock is one that no table of the catalog has, or that the storage
	// has and the directory has not.
	OrphanBlock
	// BlocksOverlap is a block with entities that belong behind the beginning of
	// the next one.
	BlocksOverlap
	// BadEntity is one that could not have been stored through the service: its
	// keys, its properties, or a Timestamp after the last that the store gave.
	BadEntity
	// BadCount is a table that has another number of entities than it says.
	BadCount
	// BadName is an account or a table whose name, identity or entry cannot be.
	BadName
	// BadDocument is a document of access policies or service properties that
	// cannot be read.
	BadDocument
)

var findingNames = [...]string{
	BadMeta: "bad meta", BadDirectory: "bad directory", BadRecord: "bad record", BadBlock: "bad block",
	MissingBlock: "missing block", OrphanBlock: "orphan block", BlocksOverlap: "blocks overlap",
	BadEntity: "bad entity", BadCount: "bad count", BadName: "bad name", BadDocument: "bad document",
}

// String returns the kind in words.
func (k ProblemKind) String() string {
	if int(k) < len(findingNames) {
		return findingNames[k]
	}
	return "unknown finding"
}

// Problem is something in a store that is not as it should be.
type Problem struct {
	Kind    ProblemKind
	Account string // "" where it is none's, or not known
	Table   string
	Block   BlockID // 0 for none
	Seq     uint64  // of a BadRecord
	// Entities is how many a block of a table has that cannot be read; later
	// changes may have taken the place of some.
	Entities int
	Err      error // what is wrong
}

// String says in one line what is wrong, and where.
func (f Problem) String() string {
	text := f.Kind.String()
	if f.Kind == BadRecord {
		text += fmt.Sprintf(" %d", f.Seq)
	}
	if f.Block != 0 {
		text += fmt.Sprintf(" (block %d)", f.Block)
	}
	switch {
	case f.Table != "":
		text += fmt.Sprintf(" in %s/%s", f.Account, f.Table)
	case f.Account != "":
		text += " in " + f.Account
	}
	return fmt.Sprintf("%s: %v", text, f.Err)
}

// problemOf returns what opening a store found as a finding.
func problemOf(d Corruption) Problem {
	f := Problem{Account: d.Account, Table: d.Table, Block: d.Block.ID, Seq: d.Seq, Err: d.Err}
	if d.Block.Table != catalogID {
		f.Entities = d.Block.Count
	}
	switch {
	case d.Kind == CorruptMeta:
		f.Kind = BadMeta
	case d.Kind == CorruptRecord:
		f.Kind = BadRecord
	case d.Table == "" && d.Block.Table != catalogID:
		f.Kind = OrphanBlock
	default:
		f.Kind = BadBlock
	}
	return f
}
