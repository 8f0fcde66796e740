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
	"sandtable/web/jsoncheck"
)

// readJSON reads objects: one per line, in an array, or in the member "value" of
// an object, as the service answers queries.
func (s *Source) readJSON(text string, step Step) error {
	first := strings.TrimLeft(text, " \t\r\n")
	inValue := first[0] == '{' && isCollection(text)
	read := s.readLines
	s.Format = rowfile.JSONLines
	if inValue || first[0] == '[' {
		read = func(r *jsonRows) error { return s.readList(r, inValue) }
		s.Format = rowfile.JSON
	}
	r := &jsonRows{text: text, step: step, decoder: json.NewDecoder(strings.NewReader(text)), lines: lineIndex{text: text, line: 1}, columns: map[string]int{}}
	if err := read(r); err != nil {
		return err
	}
	if len(s.rows) == 0 && len(s.Broken) == 0 {
		return ErrEmpty
	}
	if s.ByRow {
		s.numberRows()
	}
	for i := range s.rows {
		if err := step.at("Reading", i, len(s.rows)); err != nil {
			return err
		}
		if missing := len(s.Columns) - len(s.rows[i].cells); missing > 0 {
			s.rows[i].cells = append(s.rows[i].cells, make([]rowfile.Cell, missing)...)
		}
	}
	return nil
}

// jsonRows is how far a file of JSON is read.
type jsonRows struct {
	text    string
	step    Step
	decoder *json.Decoder
	base    int // where the decoder began
	lines   lineIndex
	columns map[string]int
	count   int
	start   int // of the row read last
	line    int // in which it begins
}

// next reads the next row and adds it. bad is what is wrong with its JSON; from and start
// are where the row before it ended and where it begins. The error is io.EOF at the end.
func (s *Source) next(r *jsonRows) (from, start int, bad, err error) {
	from = r.base + int(r.decoder.InputOffset())
	start = len(r.text) - len(strings.TrimLeft(r.text[from:], ", \t\r\n"))
	if err := r.step.read(r.count, from, len(r.text)); err != nil {
		return from, start, nil, err
	}
	r.count++
	s.reserve(from, len(r.text))
	var object json.RawMessage
	switch bad = r.decoder.Decode(&object); {
	case errors.Is(bad, io.EOF):
		return from, start, nil, io.EOF
	case bad == nil:
		raw := r.text[start : r.base+int(r.decoder.InputOffset())]
		err = s.addObject(object, row{line: r.lines.of(start), raw: raw}, r.columns)
	}
	line := r.lines.of(start)
	s.ByRow = s.ByRow || start > r.start && line == r.line
	r.start, r.line = start, line
	return from, start, bad, err
}

// numberRows counts the rows, where the numbers of their lines do not tell them apart.
func (s *Source) numberRows() {
	for i := range s.rows {
		s.rows[i].line = s.rows[i].number
	}
	for i := range s.broken {
		s.broken[i].line, s.Broken[i].Line = s.broken[i].number, s.broken[i].number
	}
}

// readLines reads rows that follow each other. After a broken one it goes on in the next
// line.
func (s *Source) readLines(r *jsonRows) error {
	for {
		from, start, bad, err := s.next(r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case bad == nil:
			continue
		}
		end := start
		if !strings.Contains(r.text[from:start], ",") { // a comma between rows does no harm
			end = nextRow(r.text, start)
			line := r.lines.of(start)
			s.refuse(row{line: line, raw: r.text[start:end]}, inRow(notJSON, jsoncheck.Syntax(r.text[start:end]), line))
		}
		r.decoder, r.base = json.NewDecoder(strings.NewReader(r.text[end:])), end
	}
}

// readList reads the elements of an array. A broken one ends the reading: what follows
// cannot be separated into objects.
func (s *Source) readList(r *jsonRows, inValue bool) error {
	if err := enterArray(r.decoder, inValue); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	for r.decoder.More() {
		_, start, bad, err := s.next(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bad != nil {
			rest, line := r.text[start:], r.lines.of(start)
			p := jsoncheck.Syntax(rest)
			if p.Text == "" {
				p.Text = "a comma is missing before this row"
			}
			s.refuse(row{line: line, raw: rest}, inRow(notJSON, p, line)+". Nothing after it was read")
			return nil
		}
	}
	if _, err := r.decoder.Token(); err != nil {
		s.refuse(row{line: r.lines.of(len(r.text))}, "the list is not closed: rows after this line may be missing")
	}
	return nil
}

// nextRow returns where the row after a broken one begins: at the next line that looks
// like the beginning of one, and not like the inside or the end of an object.
func nextRow(text string, at int) int {
	for at < len(text) {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
		line := strings.TrimLeft(text[at:], " \t")
		indented := len(line) < len(text[at:])
		if strings.HasPrefix(line, "{") || line != "" && !indented && !strings.ContainsAny(line[:1], "}]\r\n") {
			return at
		}
	}
	return len(text)
}

// The beginnings of problems: what a row should have been.
const (
	notJSON   = "not JSON: "
	notEntity = "not an entity: "
)

// inRow says what is wrong with a row. It names the line of the problem unless that is
// the one in which the row begins.
func inRow(what string, p jsoncheck.Problem, line int) string {
	if p.Line > 1 {
		what += fmt.Sprintf("line %d: ", line+p.Line-1)
	}
	return what + p.Text
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
func (s *Source) addObject(object json.RawMessage, r row, columns map[string]int) error {
	if strings.Contains(string(object[:min(len(object), 40)]), `"@sandtable"`) {
		return ErrArchive
	}
	body, err := payload.DecodeEntity(object)
	if err != nil {
		p := jsoncheck.Entity(string(object))
		if p.Text == "" {
			p.Text = err.Error()
		}
		s.refuse(r, inRow(notEntity, p, r.line))
		s.Broken[len(s.Broken)-1].Column = p.Property
		return nil
	}
	keys := []struct {
		name string
		payload.BodyKey
	}{{odata.PartitionKeyName, body.PartitionKey}, {odata.RowKeyName, body.RowKey}}
	for _, key := range keys {
		if key.State == payload.KeyMistyped {
			s.refuse(r, notEntity+"a "+key.name+" is a text in double quotes")
			s.Broken[len(s.Broken)-1].Column = key.name
			return nil
		}
	}
	r.number = s.nextNumber()
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
	for _, key := range keys {
		if key.State == payload.KeyGiven {
			set(key.name, rowfile.Cell{Text: key.Text, Present: true})
		}
	}
	for _, p := range body.Properties {
		set(p.Name, rowfile.Cell{Text: rowfile.Text(p.Value), Type: p.Value.Type(), Present: true})
	}
	s.rows = append(s.rows, r)
	if s.tooLarge() { // each row gets a cell for each column
		return ErrLarge
	}
	return nil
}
