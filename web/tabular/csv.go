package tabular

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sandtable/odata/rowfile"
)

// readCSV reads a file whose first line names its columns.
func (s *Source) readCSV(text string, step Step) error {
	s.Format, s.Delimiter = rowfile.CSV, rowfile.Delimiter(text)
	scan := rowfile.Scanner{Text: text, Delimiter: byte(s.Delimiter), Line: 1}
	header, line, err := scan.Record()
	if err != nil {
		return fmt.Errorf("%w: line %d: %w", rowfile.ErrHeader, line, err)
	}
	layout, err := rowfile.NewLayout(header)
	if err != nil {
		return err
	}
	for _, name := range layout.Columns {
		s.Columns = append(s.Columns, Column{Name: name})
	}
	s.header = strings.TrimRight(text[:scan.At], "\r\n") + "\n"
	for n := 0; ; n++ {
		if err := step.read(n, scan.At, len(text)); err != nil {
			return err
		}
		if s.tooLarge() {
			return ErrLarge
		}
		s.reserve(scan.At, len(text))
		record, line, err := scan.Record()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var cells []rowfile.Cell
		if err == nil {
			cells, err = layout.Cells(record)
		}
		if err != nil {
			s.refuse(row{line: line, raw: text[scan.Start:scan.At]}, err.Error())
			continue
		}
		s.rows = append(s.rows, row{line: line, raw: text[scan.Start:scan.At], cells: cells})
	}
}

// reserve makes space for all rows of a file when the first ones show how large a row is:
// a list of a million rows that grows is copied in one go.
func (s *Source) reserve(offset, size int) {
	if len(s.rows) == stepRows && cap(s.rows) < 2*stepRows {
		rows := int(1.1 * stepRows * float64(size) / float64(offset))
		s.rows = slices.Grow(s.rows, min(rows, maxCells/(len(s.Columns)+3)))
	}
}

// refuse notes a row that could not be read.
func (s *Source) refuse(r row, why string) {
	r.number = s.nextNumber()
	s.broken = append(s.broken, r)
	s.Broken = append(s.Broken, Problem{Line: r.line, Text: why})
}

// nextNumber returns the number of the next row that is noted.
func (s *Source) nextNumber() int { return len(s.rows) + len(s.broken) + 1 }
