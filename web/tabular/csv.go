package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"sandtable/odata"
)

const typeSuffix = "@type"

// readCSV reads a file whose first line names its columns.
func (s *Source) readCSV(text string) error {
	s.Format, s.Delimiter = CSV, delimiter(text)
	scan := scanner{text: text, delimiter: byte(s.Delimiter), line: 1}
	header, line, err := scan.record()
	if err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrHeader, line, err)
	}
	fields, err := s.layout(header)
	if err != nil {
		return err
	}
	s.header = strings.TrimRight(text[:scan.at], "\r\n") + "\n"
	last := make([]odata.Type, len(s.Columns)) // the type last named, for each column
	for n := 0; ; n++ {
		if n%stepRows == 0 {
			s.step(float64(scan.at) / float64(len(text)))
		}
		record, line, err := scan.record()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && len(record) != len(fields) {
			err = fmt.Errorf("%d cells in place of %d", len(record), len(fields))
		}
		var cells []cell
		if err == nil {
			cells, err = join(record, fields, last)
		}
		if err != nil {
			s.refuse(row{line: line, raw: text[scan.start:scan.at]}, err.Error())
			continue
		}
		s.rows = append(s.rows, row{line: line, raw: text[scan.start:scan.at], cells: cells})
	}
}

// refuse notes a row that could not be read.
func (s *Source) refuse(r row, why string) {
	s.broken = append(s.broken, r)
	s.Broken = append(s.Broken, Problem{Line: r.line, Text: why})
}

// delimiter returns the one of comma, semicolon and tab that the first line
// has most of, outside of quotes.
func delimiter(text string) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '\n' && !quoted:
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

// field says what a cell of the file is: the value of a column, or its type.
type field struct {
	column int
	isType bool
}

// layout makes the columns and tells values from types.
func (s *Source) layout(header []scanned) ([]field, error) {
	columns := map[string]int{}
	var fields []field
	for i, given := range header {
		name := strings.TrimSpace(given.text)
		if of, ok := strings.CutSuffix(name, typeSuffix); ok {
			if column, known := columns[of]; known {
				fields = append(fields, field{column, true})
				continue
			}
		}
		if _, twice := columns[name]; name == "" || twice {
			return nil, fmt.Errorf("%w: column %d is %q", ErrHeader, i+1, name)
		}
		columns[name] = len(s.Columns)
		fields = append(fields, field{len(s.Columns), false})
		s.Columns = append(s.Columns, Column{Name: name})
	}
	return fields, nil
}

// join puts the values and the types of a record together. It keeps the types
// that the record names in last.
func join(record []scanned, fields []field, last []odata.Type) ([]cell, error) {
	cells := make([]cell, len(last))
	for i, given := range record {
		f := fields[i]
		c := &cells[f.column]
		switch {
		case !f.isType:
			c.text = given.text
			c.present = given.text != "" || given.quoted
		case given.text != "":
			t, ok := odata.ParseType("Edm." + strings.TrimPrefix(given.text, "Edm."))
			if !ok {
				return nil, fmt.Errorf("%s is not a type", given.text)
			}
			c.typ, last[f.column] = t, t
			c.present = c.present || t == odata.EdmString
		case c.text != "":
			c.typ = last[f.column]
		}
	}
	return cells, nil
}
