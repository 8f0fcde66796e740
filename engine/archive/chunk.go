package archive

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
)

// ErrPosition means that a string is not that of a [Position].
var ErrPosition = errors.New("not a position in an archive")

// Position is the position between two lines where a chunk of an archive ends
// and the next one starts. It has everything that a loader needs to know of the
// lines before it, so different processes can load the chunks. The zero Position
// is the start of the archive.
type Position struct {
	Progress
	Lines   int  // before it
	Ended   bool // the last line of the archive is before it
	started bool // the first line of the archive is before it
	renamed bool // LoadOptions.Account has been used
}

// LoadChunk loads a chunk of an archive, starting at from. Only whole lines are
// loaded: the next chunk has to start at the returned Position, which is before
// the end of this chunk if its last line is incomplete. The last chunk must
// contain the end of the archive; its last line may lack the line break.
//
// Everything else is as in [Load]. The Report counts this chunk. Loading a chunk
// again is harmless, also the one that completed a snapshot. After an error the position is unchanged.
func LoadChunk(text []byte, last bool, db *engine.DB, from Position, options LoadOptions) (Report, Position, error) {
	whole := len(text)
	if !last {
		whole = bytes.LastIndexByte(text, '\n') + 1
		if whole == 0 && len(text) > MaxLine {
			return Report{}, from, fmt.Errorf("line %d: %w", from.Lines+1, ErrLineTooLong)
		}
	}
	l := loader{
		r: bufio.NewReaderSize(bytes.NewReader(text[:whole]), 4<<10), db: db, options: options,
		at: from.Progress, number: from.Lines, started: from.started, ended: from.Ended, renamed: from.renamed,
		chunk: !last, mayRepeat: true,
	}
	err := errors.Join(l.load(), l.flush())
	l.report.Counts = Counts{l.at.Accounts - from.Accounts, l.at.Tables - from.Tables, l.at.Entities - from.Entities}
	l.reportProgress()
	if err != nil {
		return l.report, from, err
	}
	return l.report, Position{Progress: l.at, Lines: l.number - 1, Ended: l.ended, started: l.started, renamed: l.renamed}, nil
}

// String returns the position for [ParsePosition], in characters that need no
// escaping in a URL. The zero Position is "".
func (p Position) String() string {
	if p == (Position{}) {
		return ""
	}
	flags := 0
	for i, set := range []bool{p.started, p.Ended, p.renamed} {
		if set {
			flags |= 1 << i
		}
	}
	text := fmt.Sprintf("%d %d %d %d %d %d %s %s",
		flags, p.Lines, p.Bytes, p.Accounts, p.Tables, p.Entities, p.Account, p.Table)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParsePosition parses the string of a Position. The error is [ErrPosition].
func ParsePosition(text string) (Position, error) {
	if text == "" {
		return Position{}, nil
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	fields := strings.SplitN(string(decoded), " ", 8) // the last is the table, whose name may have blanks
	// The decoder ignores line breaks, which String never writes.
	if err != nil || len(fields) != 8 || strings.ContainsAny(text, "\r\n") {
		return Position{}, ErrPosition
	}
	var numbers [6]int64
	for i := range numbers {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 || n >= 1<<53 || fields[i] != strconv.FormatInt(n, 10) {
			return Position{}, ErrPosition
		}
		numbers[i] = n
	}
	flags := numbers[0]
	p := Position{Lines: int(numbers[1]), started: flags&1 != 0, Ended: flags&2 != 0, renamed: flags&4 != 0}
	p.Bytes = numbers[2]
	p.Counts = Counts{int(numbers[3]), int(numbers[4]), int(numbers[5])}
	p.Account, p.Table = fields[6], fields[7]
	if flags > 7 || p.Lines == 0 || !p.isValid() {
		return Position{}, ErrPosition
	}
	return p, nil
}

// isValid reports whether lines can lead to this position.
func (p Position) isValid() bool {
	if p.Account == "" {
		return p.Table == "" && !p.renamed && p.Counts == Counts{} && (p.started || !p.Ended)
	}
	if !p.started {
		return false
	}
	return odata.CheckAccountName(p.Account) && (p.Table == "" || odata.CheckCosmosTableName(p.Table) == nil)
}
