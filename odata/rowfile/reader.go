package rowfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// ErrEncoding means that a file is UTF-16.
var ErrEncoding = errors.New("the file is UTF-16: save it as UTF-8")

// ErrChanged means that a file no longer has the columns that [Survey] found.
var ErrChanged = errors.New("the columns have changed since the file was first read")

// RowError means that a row is not an entity. The rows after it can be read.
type RowError struct {
	Line   int    // that the row begins in, from 1
	Column string // "" for the whole row
	Err    error
}

// Error returns the line, the column and the reason.
func (e *RowError) Error() string {
	if e.Column != "" {
		return fmt.Sprintf("line %d, %s: %v", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }

// Column is a column of CSV.
type Column struct {
	Name string
	// Target is the property that it becomes, "" for none.
	Target string
	// Type is the type of its cells, 0 for the type that each cell names.
	Type odata.Type
}

// Reader reads entities.
type Reader struct {
	window    *window
	columns   []Column // of CSV
	layout    *Layout
	delimiter byte
}

// NewReader returns a reader of JSON Lines, or of CSV with the columns that
// [Survey] found.
func NewReader(from io.Reader, format Format, columns []Column) (*Reader, error) {
	r := &Reader{window: newWindow(from), columns: columns}
	if err := r.begin(); err != nil || format != CSV {
		return r, err
	}
	if err := r.header(); err != nil {
		return r, err
	}
	if columns != nil && !slices.EqualFunc(columns, r.layout.Columns, func(c Column, name string) bool { return c.Name == name }) {
		return r, ErrChanged
	}
	return r, nil
}

// begin reads the first line that is not empty, from which the delimiter is known, and
// skips the byte order mark.
func (r *Reader) begin() error {
	for first := true; first || !r.window.full() && !strings.Contains(strings.TrimLeft(r.window.text, "\ufeff\r\n"), "\n"); first = false {
		if err := r.window.grow(); err != nil {
			return err
		}
	}
	text := r.window.text
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return ErrEncoding
	}
	r.window.text = strings.TrimPrefix(text, "\ufeff")
	return nil
}

// header reads the first line of CSV.
func (r *Reader) header() error {
	r.delimiter = byte(Delimiter(r.window.text))
	header, line, err := r.window.record(r.delimiter)
	if err == nil {
		r.layout, err = NewLayout(header)
	}
	if err != nil && !errors.Is(err, ErrHeader) {
		err = fmt.Errorf("%w: %w", ErrHeader, err)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

// Next returns the next entity and its line. The error after the last one is
// io.EOF; after a [RowError] reading continues.
func (r *Reader) Next() (*odata.Entity, int, error) {
	if r.layout == nil {
		return r.nextJSON()
	}
	cells, line, err := r.cells()
	if err != nil {
		return nil, line, err
	}
	e := &odata.Entity{Properties: make([]odata.Property, 0, len(cells))}
	for i, cell := range cells {
		c := r.columns[i]
		if c.Target == "" || !cell.Present { // a key without a cell is ""
			continue
		}
		if _, err := Set(e, c.Target, c.Type, cell); err != nil {
			return nil, line, &RowError{line, c.Name, fmt.Errorf("%q: %w", short(cell.Text), err)}
		}
	}
	return checked(e, line)
}

// cells returns the cells of the next row of CSV.
func (r *Reader) cells() ([]Cell, int, error) {
	record, line, err := r.window.record(r.delimiter)
	if err != nil {
		return nil, line, err
	}
	cells, err := r.layout.Cells(record)
	for i := 0; err == nil && i < len(cells); i++ {
		if !utf8.ValidString(cells[i].Text) {
			return nil, line, &RowError{line, r.layout.Columns[i], errNotUTF8}
		}
	}
	if err != nil {
		err = &RowError{Line: line, Err: err}
	}
	return cells, line, err
}

var errNotUTF8 = errors.New("not UTF-8")

func (r *Reader) nextJSON() (*odata.Entity, int, error) {
	text, line, err := r.window.next()
	if err != nil {
		return nil, line, err
	}
	if !utf8.ValidString(text) {
		return nil, line, &RowError{Line: line, Err: errNotUTF8}
	}
	body, err := payload.DecodeEntity([]byte(text))
	if err != nil {
		return nil, line, &RowError{Line: line, Err: fmt.Errorf("not an entity: %w", err)}
	}
	key, err := body.Key()
	if err != nil {
		return nil, line, &RowError{Line: line, Err: err}
	}
	e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: body.Properties}
	if err := odata.CheckKey(odata.PartitionKeyName, e.PartitionKey); err != nil {
		return nil, line, &RowError{line, odata.PartitionKeyName, err}
	}
	if err := odata.CheckKey(odata.RowKeyName, e.RowKey); err != nil {
		return nil, line, &RowError{line, odata.RowKeyName, err}
	}
	return checked(e, line)
}

// checked applies the limits.
func checked(e *odata.Entity, line int) (*odata.Entity, int, error) {
	if err := Check(e); err != nil {
		return nil, line, &RowError{Line: line, Err: err}
	}
	return e, line, nil
}

// short cuts a cell for a message.
func short(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}
