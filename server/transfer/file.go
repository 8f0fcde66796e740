package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/rowfile"
)

// File is a CSV or JSON Lines file with the entities of one table.
type File struct {
	Path   string
	Table  string
	Format rowfile.Format // CSV or JSONLines
	// Bad is called for each row that is no entity, unless it is nil. The row is left
	// out.
	Bad func(error)

	file       *os.File
	reader     *rowfile.Reader
	columns    []rowfile.Column
	rows       int64 // that were read, bad ones too
	at, length atomic.Int64
}

// maxPageBytes bounds what a page of a file has in memory.
const maxPageBytes = 4 << 20

// Tables returns the name of the table.
func (f *File) Tables(context.Context) ([]string, error) { return []string{f.Table}, nil }

// Columns returns the columns of a CSV file. It reads all of it to find their types.
func (f *File) Columns() ([]rowfile.Column, error) {
	if f.Format != rowfile.CSV || f.columns != nil {
		return f.columns, nil
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f.columns, err = rowfile.Survey(file)
	return f.columns, err
}

// Page returns the next rows that match a filter. The rows before them are read
// again if another page was read last, so a copy can be resumed after any page.
func (f *File) Page(ctx context.Context, _, filterText string, from *Token) (entities []*odata.Entity, next *Token, err error) {
	var expr filter.Expr
	if filterText != "" {
		if expr, err = filter.Parse(filterText); err != nil {
			return nil, nil, err
		}
	}
	if err := f.seek(ctx, from); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	for size, first := 0, f.rows; len(entities) < odata.MaxPageSize && size < maxPageBytes; {
		e, err := f.next()
		switch {
		case errors.Is(err, io.EOF):
			return entities, nil, f.Close()
		case err != nil:
			return nil, nil, fmt.Errorf("read %s: %w", f.Path, err)
		case e != nil && filter.Match(expr, e):
			entities = append(entities, e)
			size += e.Size()
		}
		if f.rows-first > maxPageRows {
			break // few rows match
		}
	}
	return entities, &Token{Rows: f.rows}, ctx.Err()
}

// maxPageRows is after how many rows a page ends in any case.
const maxPageRows = 100_000

// seek makes the row after a token the next one.
func (f *File) seek(ctx context.Context, from *Token) error {
	var row int64
	if from != nil {
		row = from.Rows
	}
	if f.reader != nil && f.rows == row && row > 0 {
		return nil
	}
	if err := f.open(); err != nil {
		return err
	}
	for f.rows < row {
		if _, err := f.next(); err != nil {
			return err
		}
		if f.rows%maxPageRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (f *File) open() error {
	columns, err := f.Columns()
	if err != nil {
		return err
	}
	f.Close()
	if f.file, err = os.Open(f.Path); err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.rows = 0
	f.at.Store(0)
	f.length.Store(info.Size())
	f.reader, err = rowfile.NewReader(counted{f.file, &f.at}, f.Format, columns)
	return err
}

// next returns the next entity, nil for a bad row.
func (f *File) next() (*odata.Entity, error) {
	e, _, err := f.reader.Next()
	var bad *rowfile.RowError
	if err != nil && !errors.As(err, &bad) {
		return nil, err
	}
	f.rows++
	if bad != nil && f.Bad != nil {
		f.Bad(bad)
	}
	return e, nil
}

// Fraction returns how much of the file is read, from 0 to 1. It may be called at any
// time.
func (f *File) Fraction() float64 { return float64(f.at.Load()) / float64(max(f.length.Load(), 1)) }

// counted counts what is read of a file.
type counted struct {
	from io.Reader
	at   *atomic.Int64
}

// Read implements [io.Reader].
func (c counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.at.Add(int64(n))
	return n, err
}

// Close closes the file.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file, f.reader = nil, nil
	return file.Close()
}
