package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sandtable/odata"
)

// Format is the format of a file.
type Format uint8

// The formats that are read and written.
const (
	CSV Format = iota
	JSON
	JSONLines
)

// String returns the format's name.
func (f Format) String() string { return [...]string{"CSV", "JSON", "JSON Lines"}[f] }

// Errors of [Open].
var (
	ErrEmpty    = errors.New("the file is empty")
	ErrEncoding = errors.New("the file is not UTF-8")
	ErrHeader   = errors.New("the first line must name the columns")
	ErrArchive  = errors.New("this is a dump of a store: load it on the Storage page")
	ErrJSON     = errors.New("the file is not JSON: it must hold objects, one per line or in an array")
)

// Source is a file that was read.
type Source struct {
	Format    Format
	Encoding  string // in words, such as "UTF-8 with byte order mark"
	Delimiter rune   // of CSV
	Size      int    // of the file, in bytes
	Columns   []Column
	// Broken are the rows that could not be read.
	Broken []Problem
	rows   []row
}

// Rows returns how many rows were read.
func (s *Source) Rows() int { return len(s.rows) }

// Column is a column of a file and what becomes of it. The caller may change
// Target and Type before [Source.Plan].
type Column struct {
	Name   string
	Sample string // the first cell that is not empty
	// Target is the property that the column becomes, "" to leave it out.
	Target string
	// Type is the type of its cells; 0 takes the type that each cell names.
	Type odata.Type
	// Typed reports whether the file names types for the column.
	Typed bool
}

// Problem is a row, or a cell of it, that cannot be imported.
type Problem struct {
	Line   int    // of the file, from 1
	Column string // "" for the whole row
	Text   string // what is wrong, in words
	Reason string // a code of the service, or a short explanation, may be ""
}

// row is one row of a file, a cell for each column.
type row struct {
	line  int
	cells []cell
}

type cell struct {
	text    string
	typ     odata.Type // 0 where the file does not say
	present bool       // false where the entity lacks the property
}

// Open reads a file. Its name only helps to tell the formats apart. The error is
// one of this package's, wrapped with the place.
func Open(name string, data []byte) (*Source, error) {
	text, encoding, err := decode(data)
	if err != nil {
		return nil, err
	}
	s := &Source{Encoding: encoding, Size: len(data)}
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" {
		return nil, ErrEmpty
	}
	if isCSV := strings.HasSuffix(strings.ToLower(name), ".csv"); !isCSV && (start[0] == '{' || start[0] == '[') {
		err = s.readJSON(text)
	} else {
		err = s.readCSV(text)
	}
	if err != nil {
		return nil, err
	}
	s.describe()
	return s, nil
}

// decode returns the text of a file without its byte order mark, and the
// encoding in words.
func decode(data []byte) (text, encoding string, err error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		encoding, text = "UTF-8 with byte order mark", string(data[3:])
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return utf16Text(data[2:], 0, 1), "UTF-16, little-endian", nil
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return utf16Text(data[2:], 1, 0), "UTF-16, big-endian", nil
	default:
		encoding, text = "UTF-8", string(data)
	}
	if i := invalidUTF8(text); i >= 0 {
		line := 1 + strings.Count(text[:i], "\n")
		return "", "", fmt.Errorf("%w: byte 0x%02X in line %d. It may be Windows-1252: save it as UTF-8", ErrEncoding, text[i], line)
	}
	return text, encoding, nil
}

func utf16Text(data []byte, low, high int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+low]) | uint16(data[2*i+high])<<8
	}
	return string(utf16.Decode(units))
}

func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// describe chooses a target and a type for each column.
func (s *Source) describe() {
	for i := range s.Columns {
		c := &s.Columns[i]
		for _, r := range s.rows {
			if cell := r.cells[i]; cell.present {
				c.Typed = c.Typed || cell.typ != 0
				if c.Sample == "" {
					c.Sample = cell.text
				}
			}
		}
		switch {
		case c.Name == odata.TimestampName || strings.HasPrefix(c.Name, "odata."):
			continue // the service sets it
		case c.Name == odata.PartitionKeyName || c.Name == odata.RowKeyName:
			c.Type = odata.EdmString
		case !c.Typed:
			c.Type = s.infer(i)
		}
		c.Target = c.Name
	}
}
