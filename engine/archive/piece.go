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

// ErrPlace is a text that is not that of a [Place].
var ErrPlace = errors.New("not the place of an archive")

// Place is where a piece of an archive ends and the next one begins: between
// two lines. It says what a loader has to know of the lines before it, so that
// whoever loads the pieces need not be the same program. The zero Place is the
// beginning.
type Place struct {
	Progress
	Lines int  // before it
	Ended bool // the last line of the archive is one of them
	begun bool // so is the first, perhaps after blank ones
	named bool // the account was given another name, LoadOptions.Account
}

// LoadPiece loads a piece of an archive, which goes on at a place. Of the text
// the whole lines are taken: the piece after it begins where the Place that is
// returned says, which is after fewer bytes than there are if the last line is
// cut. A piece with last is the end of the archive, whose last line may lack
// its line break, and has to be its end.
//
// All else is as in [Load], the counts of the Report are those of this piece.
// Loading a piece again does no harm. After an error the place is as it was.
func LoadPiece(text []byte, last bool, db *engine.DB, from Place, options LoadOptions) (Report, Place, error) {
	whole := len(text)
	if !last {
		whole = bytes.LastIndexByte(text, '\n') + 1
		if whole == 0 && len(text) > MaxLine {
			return Report{}, from, fmt.Errorf("line %d: %w", from.Lines+1, ErrLineTooLong)
		}
	}
	l := loader{
		r: bufio.NewReaderSize(bytes.NewReader(text[:whole]), 4<<10), db: db, options: options,
		at: from.Progress, number: from.Lines, begun: from.begun, ended: from.Ended, named: from.named,
		piece: !last,
	}
	err := l.load()
	if err != nil {
		err = errors.Join(err, l.flush())
	} else {
		err = l.flush()
	}
	l.report.Counts = Counts{l.at.Accounts - from.Accounts, l.at.Tables - from.Tables, l.at.Entities - from.Entities}
	l.tell()
	if err != nil {
		return l.report, from, err
	}
	return l.report, Place{Progress: l.at, Lines: l.number - 1, Ended: l.ended, begun: l.begun, named: l.named}, nil
}

// String returns a text that [ParsePlace] reads, in characters that need no
// escape in an address; that of the beginning is "".
func (p Place) String() string {
	if p == (Place{}) {
		return ""
	}
	flags := 0
	for i, set := range []bool{p.begun, p.Ended, p.named} {
		if set {
			flags |= 1 << i
		}
	}
	text := fmt.Sprintf("%d %d %d %d %d %d %s %s",
		flags, p.Lines, p.Bytes, p.Accounts, p.Tables, p.Entities, p.Account, p.Table)
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParsePlace reads the text of a Place; the error is [ErrPlace].
func ParsePlace(text string) (Place, error) {
	if text == "" {
		return Place{}, nil
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	fields := strings.Split(string(decoded), " ")
	// The decoder passes over the ends of lines, which nobody writes here.
	if err != nil || len(fields) != 8 || strings.ContainsAny(text, "\r\n") {
		return Place{}, ErrPlace
	}
	var numbers [6]int64
	for i := range numbers {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 || n >= 1<<53 || fields[i] != strconv.FormatInt(n, 10) {
			return Place{}, ErrPlace
		}
		numbers[i] = n
	}
	flags := numbers[0]
	p := Place{Lines: int(numbers[1]), begun: flags&1 != 0, Ended: flags&2 != 0, named: flags&4 != 0}
	p.Bytes = numbers[2]
	p.Counts = Counts{int(numbers[3]), int(numbers[4]), int(numbers[5])}
	p.Account, p.Table = fields[6], fields[7]
	if flags > 7 || p.Lines == 0 || !p.possible() {
		return Place{}, ErrPlace
	}
	return p, nil
}

// possible reports whether the names are those that lines can have, and stand
// only where they can.
func (p Place) possible() bool {
	if p.Account == "" {
		return p.Table == "" && !p.named && p.Counts == Counts{} && (p.begun || !p.Ended)
	}
	if !p.begun {
		return false
	}
	return odata.CheckAccountName(p.Account) && (p.Table == "" || odata.CheckTableName(p.Table) == nil)
}
