package archive

import "errors"

const (
	// Version is the version of the format that Dump writes and Load reads.
	Version = 1
	// MaxLine limits a line, in bytes. The largest possible entity needs less,
	// even with every character escaped.
	MaxLine = 8 << 20
)

// Errors of archives.
var (
	// ErrNotArchive means that the first line is not that of an archive.
	ErrNotArchive = errors.New("not a Sandtable archive")
	// ErrVersion means that a newer version of this program wrote the archive.
	ErrVersion = errors.New("archive has a newer format")
	// ErrSyntax means that a line does not conform to the format.
	ErrSyntax = errors.New("archive is malformed")
	// ErrLineTooLong means that a line has more than MaxLine bytes.
	ErrLineTooLong = errors.New("line is too long")
	// ErrTruncated means that the last line is missing.
	ErrTruncated = errors.New("archive is truncated")
	// ErrCounts means that the number of lines differs from that in the last one.
	ErrCounts = errors.New("archive is incomplete")
	// ErrManyAccounts means that an archive of several accounts was to be loaded
	// under one name.
	ErrManyAccounts = errors.New("archive has more than one account")
)

// Counts counts what was dumped or loaded.
type Counts struct {
	Accounts, Tables, Entities int
}

// Progress is the progress of a Dump or a Load.
type Progress struct {
	Counts
	Account string // the current one
	Table   string // the current one
	Bytes   int64  // of the archive, written or read
}

// The kinds of header lines, and the member that marks them: no property can
// have its name.
const (
	kindMember  = "@sandtable"
	archiveKind = "archive"
	accountKind = "account"
	tableKind   = "table"
	endKind     = "end"
)

// The members of header lines.
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
	corruptionMember   = "corruption"
)
