package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"sandtable/odata/rowfile"
)

// readCSV reads a file whose first line names its columns.
func (s *Source) readCSV(text string) error {
	s.Format, s.Delimiter = CSV, rowfile.Delimiter(text)
	scan := rowfile.Scanner{Text: text, Delimiter: byte(s.Delimiter), Line: 1}
	header, line, err := scan.Record()
	if err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrHeader, line, err)
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
		if n%stepRows == 0 {
			s.step(float64(scan.At) / float64(len(text)))
		}
		if s.tooLarge() {
			return ErrLarge
		}
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

// refuse notes a row that could not be read.
func (s *Source) refuse(r row, why string) {
	r.number = s.nextNumber()
	s.broken = append(s.broken, r)
	s.Broken = append(s.Broken, Problem{Line: r.line, Text: why})
}

// nextNumber returns the number of the next row that is noted.
func (s *Source) nextNumber() int { return len(s.rows) + len(s.broken) + 1 }
