//go:build !js

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/server/transfer"
)

// formats are the formats of table files by the ending of their names.
var formats = map[string]rowfile.Format{".csv": rowfile.CSV, ".tsv": rowfile.CSV, ".jsonl": rowfile.JSONLines, ".ndjson": rowfile.JSONLines}

// sniff returns the format of an existing file. An archive is JSON Lines, too, and
// begins with a line of its own.
func sniff(path string) (format rowfile.Format, isTable bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	head, err := bufio.NewReader(file).Peek(1024)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, false, err
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if bytes.HasPrefix(head, []byte("{")) {
		first, _, _ := bytes.Cut(head, []byte("\n"))
		return rowfile.JSONLines, !bytes.Contains(first, []byte(`"@sandtable"`)), nil
	}
	format, isTable = formats[strings.ToLower(filepath.Ext(path))]
	return format, isTable, nil
}

// isTableFile reports whether a target is a file with the entities of one table. A
// .jsonl file is an archive unless its table is named.
func isTableFile(text, table string) bool {
	extension := strings.ToLower(filepath.Ext(text))
	_, known := formats[extension]
	return known && isPath(text) && (extension != ".jsonl" || table != "")
}

// tableOf returns the table of a file: the one that the flag names, or the name of the
// file.
func tableOf(path, table string) (string, error) {
	if table == "" {
		table = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if err := odata.CheckTableName(table); err != nil {
		return "", usageError{fmt.Errorf("%q is not a table name: name the table of %s with -table", table, path)}
	}
	return table, nil
}

// openTableFile opens a file as a source. It reads all of a CSV file, to find the
// types of its columns.
func openTableFile(path, table string, format rowfile.Format, stderr io.Writer) (*place, error) {
	table, err := tableOf(path, table)
	if err != nil {
		return nil, err
	}
	file := &transfer.File{Path: path, Table: table, Format: format}
	columns, err := file.Columns()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range columns {
		if c.Target == "" && c.Name != odata.TimestampName {
			fmt.Fprintf(stderr, "%s: column %q is left out\n", path, oneLine(c.Name))
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	p := newPlace(absolute(path), nil)
	p.version = versionOf(info)
	p.file, p.source, p.close = file, file, file.Close
	return p, nil
}

// newTableFile opens a file as a target.
func newTableFile(path, table string) (*place, error) {
	table, err := tableOf(path, table)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", path)
		}
		if _, isTable, err := sniff(path); err != nil || !isTable {
			return nil, cmp.Or(err, fmt.Errorf("%s is an archive: select tables with -tables", path))
		}
	}
	file := &transfer.NewFile{File: transfer.File{Path: path, Table: table, Format: formats[strings.ToLower(filepath.Ext(path))]}}
	p := newPlace(absolute(path), nil)
	p.file, p.target, p.close = &file.File, file, file.Close
	p.finish = func(ctx context.Context, missing int, stderr io.Writer) error {
		name := path
		if missing > 0 { // an older file may have what this one lacks
			name += ".incomplete-" + rand.Text()
		}
		err := errors.Join(file.FinishAs(ctx, name), syncFolder(filepath.Dir(path)))
		if file.Path != path { // an earlier process may have finished it
			fmt.Fprintf(stderr, "what is not corrupt has the name %s\n", name)
		}
		return err
	}
	return p, nil
}

// absolute returns a path that is the same in every working directory.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// badRows reports the rows of a file that are left out.
type badRows struct {
	path  string
	w     io.Writer
	count int
}

// maxBadRows limits the printed rows.
const maxBadRows = 100

func (b *badRows) add(err error) {
	if b.count++; b.count <= maxBadRows {
		fmt.Fprintf(b.w, "%s: %s\n", b.path, oneLine(err.Error()))
	}
}

// err returns the error for all of them: their content is lost.
func (b *badRows) err() error {
	if b == nil || b.count == 0 {
		return nil
	}
	if more := b.count - maxBadRows; more > 0 {
		fmt.Fprintf(b.w, "%s: and %d more\n", b.path, more)
	}
	return badRowsError{b.path, b.count}
}

// badRowsError has the exit code of data loss.
type badRowsError struct {
	path  string
	count int
}

func (e badRowsError) Error() string {
	return fmt.Sprintf("rows of %s that are no entities: %d; all others are done", e.path, e.count)
}

func (badRowsError) Is(target error) bool { return target == engine.ErrCorrupt }
