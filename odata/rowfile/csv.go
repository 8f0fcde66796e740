package rowfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sandtable/odata"
)

const typeSuffix = "@type"

// ErrHeader means that the first line of a CSV file does not name its columns.
var ErrHeader = errors.New("the first line must name the columns")

// Delimiter returns which of comma, semicolon and tab is the most frequent outside of
// quotes in the first line that is not empty.
func Delimiter(text string) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range strings.TrimLeft(text, "\r\n") {
		switch {
		case r == '"':
			quoted = !quoted
		case (r == '\n' || r == '\r') && !quoted:
			return mostOf(counts)
		case !quoted:
			counts[r]++
		}
	}
	return mostOf(counts)
}

func mostOf(counts map[rune]int) rune {
	best := ','
	for _, r := range ";\t" {
		if counts[r] > counts[best] {
			best = r
		}
	}
	return best
}

// Layout says what the cells of a record are.
type Layout struct {
	Columns []string
	fields  []field
	last    []odata.Type // the type last named, for each column
}

// field is what a cell of the file is: the value of a column, or its type.
type field struct {
	column int
	isType bool
}

// NewLayout reads the first line, and finds out which columns hold types.
func NewLayout(header []Field) (*Layout, error) {
	l := &Layout{}
	columns := map[string]int{}
	for i, given := range header {
		name := strings.TrimSpace(given.Text)
		if of, ok := strings.CutSuffix(name, typeSuffix); ok {
			if column, known := columns[of]; known {
				l.fields = append(l.fields, field{column, true})
				continue
			}
		}
		switch {
		case name == "":
			return nil, fmt.Errorf("%w: column %d has no name", ErrHeader, i+1)
		case !utf8.ValidString(name):
			return nil, fmt.Errorf("%w: the name of column %d is %w", ErrHeader, i+1, errNotUTF8)
		}
		if first, twice := columns[name]; twice {
			at := slices.Index(l.fields, field{first, false})
			return nil, fmt.Errorf("%w: columns %d and %d are both named %q", ErrHeader, at+1, i+1, name)
		}
		columns[name] = len(l.Columns)
		l.fields = append(l.fields, field{len(l.Columns), false})
		l.Columns = append(l.Columns, name)
	}
	l.last = make([]odata.Type, len(l.Columns))
	return l, nil
}

// Cells puts the values and the types of a record together, a cell for each column.
// It remembers the types that the record names.
func (l *Layout) Cells(record []Field) ([]Cell, error) {
	if len(record) != len(l.fields) {
		return nil, fmt.Errorf("%d cells in place of %d", len(record), len(l.fields))
	}
	cells := make([]Cell, len(l.last))
	for i, given := range record {
		f := l.fields[i]
		c := &cells[f.column]
		switch {
		case !f.isType:
			c.Text = given.Text
			c.Present = given.Text != "" || given.Quoted
		case given.Text != "":
			t, ok := odata.ParseType("Edm." + strings.TrimPrefix(given.Text, "Edm."))
			if !ok {
				return nil, fmt.Errorf("%s is not a type", given.Text)
			}
			c.Type, l.last[f.column] = t, t
			c.Present = c.Present || t == odata.EdmString || t == odata.EdmBinary
		case c.Text != "":
			c.Type = l.last[f.column]
		}
	}
	return cells, nil
}
