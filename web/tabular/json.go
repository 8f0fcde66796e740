package tabular

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
)

// readJSON reads objects: one per line, in an array, or in the member "value" of
// an object, as the service answers queries.
func (s *Source) readJSON(text string) error {
	s.Format = JSONLines
	d := json.NewDecoder(strings.NewReader(text))
	first := strings.TrimLeft(text, " \t\r\n")
	if inValue := strings.HasPrefix(first, "{") && isCollection(text); inValue || first[0] == '[' {
		s.Format = JSON
		if err := enterArray(d, inValue); err != nil {
			return fmt.Errorf("%w: %w", ErrJSON, err)
		}
	}
	lines := lineIndex{text: text, line: 1}
	columns := map[string]int{}
	for n := 0; s.Format == JSONLines || d.More(); n++ {
		if n%stepRows == 0 {
			s.step(float64(d.InputOffset()) / float64(len(text)))
		}
		var object json.RawMessage
		rest := strings.TrimLeft(text[d.InputOffset():], ", \t\r\n")
		err := d.Decode(&object)
		if errors.Is(err, io.EOF) {
			break
		}
		line := lines.of(len(text) - len(rest))
		if err != nil {
			s.refuse(row{line: line, raw: rest}, "not JSON: "+err.Error())
			break // what follows cannot be separated into objects
		}
		if err := s.addObject(object, line, columns); err != nil {
			return err
		}
	}
	if len(s.rows) == 0 && len(s.Broken) == 0 {
		return ErrEmpty
	}
	for i := range s.rows {
		if missing := len(s.Columns) - len(s.rows[i].cells); missing > 0 {
			s.rows[i].cells = append(s.rows[i].cells, make([]rowfile.Cell, missing)...)
		}
	}
	return nil
}

// lineIndex finds the line of an offset. Offsets must ascend.
type lineIndex struct {
	text string
	line int // from 1
	at   int
}

func (l *lineIndex) of(offset int) int {
	if offset > l.at {
		l.line += strings.Count(l.text[l.at:offset], "\n")
		l.at = offset
	}
	return l.line
}

// isCollection reports whether a text is one object with an array "value".
func isCollection(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	return enterArray(d, true) == nil
}

// enterArray reads up to the first element of the array.
func enterArray(d *json.Decoder, inValue bool) error {
	token, err := d.Token()
	for inValue && err == nil {
		if token, err = d.Token(); err != nil || token == json.Delim('}') {
			return ErrJSON
		}
		if token == "value" {
			token, err = d.Token()
			break
		}
		var skipped json.RawMessage
		err = d.Decode(&skipped)
	}
	if err == nil && token != json.Delim('[') {
		err = ErrJSON
	}
	return err
}

// addObject adds a row. An error refuses the file as a whole.
func (s *Source) addObject(object json.RawMessage, line int, columns map[string]int) error {
	if strings.Contains(string(object[:min(len(object), 40)]), `"@sandtable"`) {
		return ErrArchive
	}
	body, err := payload.DecodeEntity(object)
	if err != nil {
		s.refuse(row{line: line, raw: string(object)}, "not an entity: "+err.Error())
		return nil
	}
	r := row{line: line, raw: string(object)}
	set := func(name string, c rowfile.Cell) {
		column, known := columns[name]
		if !known {
			column = len(s.Columns)
			columns[name] = column
			s.Columns = append(s.Columns, Column{Name: name})
		}
		for len(r.cells) <= column {
			r.cells = append(r.cells, rowfile.Cell{})
		}
		r.cells[column] = c
	}
	for _, key := range []struct {
		name string
		payload.BodyKey
	}{{odata.PartitionKeyName, body.PartitionKey}, {odata.RowKeyName, body.RowKey}} {
		if key.State == payload.KeyGiven {
			set(key.name, rowfile.Cell{Text: key.Text, Present: true})
		}
	}
	for _, p := range body.Properties {
		set(p.Name, rowfile.Cell{Text: rowfile.Text(p.Value), Type: p.Value.Type(), Present: true})
	}
	s.rows = append(s.rows, r)
	return nil
}
