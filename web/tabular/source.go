package tabular

import (
	"errors"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// Errors of [Open], next to [rowfile.ErrHeader].
var (
	ErrEmpty   = errors.New("the file is empty")
	ErrArchive = errors.New("this is a dump of a store: load it on the Storage page")
	ErrLarge   = errors.New("the file is too large for the page's memory: it can have up to 256 MiB, and 10,000,000 cells, where each row counts as three more. Split it and import the parts")
	ErrJSON    = errors.New("the file is not JSON: it must hold objects, one per line or in an array")
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 256 << 20

// maxCells limits the rows, times their cells and what else a row takes, so that a file is
// refused before it ends the page, which has some 4 GiB. A test sets a lower limit.
var maxCells = 10_000_000

// Source is a file that was read.
type Source struct {
	Format    rowfile.Format
	Encoding  string // in words, such as "UTF-8 with byte order mark"
	Delimiter rune   // of CSV
	Size      int    // of the file, in bytes
	Columns   []Column
	// Broken are the rows that could not be read.
	Broken []Problem
	// ByRow is set if several rows begin in one line, as in JSON without line breaks. Then
	// rows are counted instead of lines.
	ByRow bool
	// FillKeys gives rows the keys that no column becomes: the PartitionKey is
	// Partition, the RowKey the number of the line.
	FillKeys  bool
	Partition string

	header string // of CSV, as in the file
	rows   []row
	broken []row // the rows of Broken, without cells
}

// Rows returns how many rows were read.
func (s *Source) Rows() int { return len(s.rows) }

// tooLarge reports whether the rows take more memory than there may be.
func (s *Source) tooLarge() bool { return len(s.rows)*(len(s.Columns)+3) > maxCells }

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
	Line   int    // of the file, from 1; 0 for the file as a whole
	Column string // "" for the whole row
	Text   string // what is wrong, in words
	Reason string // a code of the service, or a short explanation, may be ""
}

// row is one row of a file, a cell for each column.
type row struct {
	line   int
	number int    // among the rows, from 1; of JSON
	raw    string // as in the file
	cells  []rowfile.Cell
}

// Options change how [Open] reads a file.
type Options struct {
	Encoding Encoding
	Step     Step
}

// Open reads a file. Its name only helps to tell the formats apart. The error is
// one of this package's, wrapped with the place.
func Open(name string, data []byte, o Options) (*Source, error) {
	if len(data) > MaxSize {
		return nil, ErrLarge
	}
	text, encoding, err := decode(data, o.Encoding, o.Step)
	if err != nil {
		return nil, err
	}
	s := &Source{Encoding: encoding, Size: len(data)}
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" {
		return nil, ErrEmpty
	}
	if isCSV := strings.HasSuffix(strings.ToLower(name), ".csv"); !isCSV && (start[0] == '{' || start[0] == '[') {
		err = s.readJSON(text, o.Step)
	} else {
		err = s.readCSV(text, o.Step)
	}
	if err == nil {
		err = s.describe(o.Step)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Unit is what Line of a [Problem] counts, in words.
func (s *Source) Unit() string {
	if s.ByRow {
		return "row"
	}
	return "line"
}

// Assign makes a column become a property, "" to leave it out. A column that
// became the same property before is left out.
func (s *Source) Assign(column int, target string) {
	for i := range s.Columns {
		if target != "" && s.Columns[i].Target == target {
			s.Columns[i].Target = ""
		}
	}
	s.Columns[column].Target = target
	if target == odata.PartitionKeyName || target == odata.RowKeyName {
		s.Columns[column].Type = odata.EdmString
	}
}

// Extract returns a file with only the rows that begin in these lines, as they
// are in the file: what is left to be corrected and imported again.
func (s *Source) Extract(lines []int) []byte {
	wanted := map[int]bool{}
	for _, line := range lines {
		wanted[line] = true
	}
	var chosen []row
	for _, r := range slices.Concat(s.rows, s.broken) {
		if wanted[r.line] {
			chosen = append(chosen, r)
		}
	}
	slices.SortStableFunc(chosen, func(a, b row) int { return a.line - b.line })
	file := []byte(s.header)
	for _, r := range chosen {
		file = append(file, strings.TrimRight(r.raw, "\r\n")...)
		file = append(file, '\n')
	}
	return file
}

// ExtractName returns the name of such a file, after the name of the whole.
func (s *Source) ExtractName(name, addition string) string {
	extension := ".jsonl"
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if s.Format == rowfile.CSV {
			extension = name[i:]
		}
		name = name[:i]
	} else if s.Format == rowfile.CSV {
		extension = ".csv"
	}
	return name + "-" + addition + extension
}

// describe chooses a target and a type for each column.
func (s *Source) describe(step Step) error {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Name
	}
	targets := rowfile.Targets(names)
	cells := make([]rowfile.Inference, len(s.Columns))
	for n, r := range s.rows {
		if err := step.at("Finding the types", n, len(s.rows)); err != nil {
			return err
		}
		for i, cell := range r.cells {
			cells[i].Add(cell)
			if s.Columns[i].Sample == "" {
				s.Columns[i].Sample = cell.Text
			}
		}
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Target = targets[i]
		inferred := cells[i].Type()
		c.Typed = inferred == 0
		switch {
		case c.Name == odata.TimestampName || strings.HasPrefix(c.Name, "odata."):
			continue // the service sets it
		case c.Target == odata.PartitionKeyName || c.Target == odata.RowKeyName:
			c.Type = odata.EdmString
		default:
			c.Type = inferred
		}
	}
	return nil
}
