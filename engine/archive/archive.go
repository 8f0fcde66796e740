package archive

import "errors"

const (
	// Version is that of the format which Dump writes, and the highest that
	// Load reads.
	Version = 1
	// MaxLine is how long a line can be, in bytes. The largest entity that a
	// store can have needs less, with every character of it escaped.
	MaxLine = 8 << 20
)

// Errors of archives.
var (
	// ErrNotArchive is a text whose first line is not that of an archive.
	ErrNotArchive = errors.New("not an archive of Sandtable")
	// ErrVersion is an archive that a newer version of this program wrote.
	ErrVersion = errors.New("archive has a newer format")
	// ErrSyntax is a line that is not as the format has it.
	ErrSyntax = errors.New("archive is malformed")
	// ErrLineTooLong is a line of more than MaxLine bytes.
	ErrLineTooLong = errors.New("line is too long")
	// ErrCut is an archive without its last line.
	ErrCut = errors.New("archive is cut off")
	// ErrCounts is an archive with more or fewer lines than its last one says.
	ErrCounts = errors.New("archive is not complete")
	// ErrManyAccounts is an archive of more than one account that is to be
	// loaded under one name.
	ErrManyAccounts = errors.New("archive has more than one account")
)

// Counts says how much was dumped or loaded.
type Counts struct {
	Accounts, Tables, Entities int
}

// Progress says how far a Dump or a Load has come.
type Progress struct {
	Counts
	Account string // the one under way
	Table   string // the one under way
	Bytes   int64  // of the archive, written or read
}

// The kinds of lines, and the member that tells them from entities: no
// property can have its name.
const (
	kindMember  = "@sandtable"
	archiveKind = "archive"
	accountKind = "account"
	tableKind   = "table"
	endKind     = "end"
)

// The members of lines.
const (
	versionMember      = "version"
	nameMember         = "name"
	accessMember       = "access"
	propertiesMember   = "properties"
	primaryKeyMember   = "primaryKey"
	secondaryKeyMember = "secondaryKey"
	policiesMember     = "policies"
	accountsMember     = "accounts"
	tablesMember       = "tables"
	entitiesMember     = "entities"
	damageMember       = "damage"
)
