package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sandtable/engine/filestorage"
	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// NewFile is a file of entities that a copy writes. It collects them as JSON Lines in
// a file with another name, which a later process can continue, and gets its
// name and its format in the end.
type NewFile struct {
	File
	part    *os.File
	written int64
	unlock  func() error // lets another copy into the file
}

// partName is the name of the file while it is incomplete.
func (f *NewFile) partName() string { return f.Path + ".part" }

// lock creates a file and locks it until unlock removes it. It is not the incomplete file
// itself, which gets another name in the end.
func lock(path string) (unlock func() error, err error) {
	held, err := filestorage.Lock(path)
	if err != nil || held == nil {
		return nil, err
	}
	return func() error {
		removed := os.Remove(path)
		err := held.Close()
		if removed != nil { // Windows does not remove an open file
			_ = os.Remove(path) // another copy may have it by now
		}
		return err
	}, nil
}

// begin begins the file, or continues after size bytes.
func (f *NewFile) begin(size int64) (err error) {
	if f.unlock, err = lock(f.partName() + ".lock"); err != nil {
		if errors.Is(err, filestorage.ErrInUse) {
			err = fmt.Errorf("another copy is writing %s", f.Path)
		}
		return err
	}
	part, err := os.OpenFile(f.partName(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	f.part, f.written = part, size
	info, err := part.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() < size:
		return fmt.Errorf("%s has %d bytes, want at least %d: it belongs to another copy", f.partName(), info.Size(), size)
	}
	if err := part.Truncate(size); err != nil {
		return err
	}
	_, err = part.Seek(size, io.SeekStart)
	return err
}

// createTable begins the file.
func (f *NewFile) createTable(_ context.Context, name string, state *State) error {
	return f.begin(state.of(name).Size)
}

// write adds a page.
func (f *NewFile) write(ctx context.Context, _ string, page []*odata.Entity, _ int) (transactions int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	w := rowfile.Writer{Format: rowfile.JSONLines}
	var b []byte
	for _, e := range page {
		b = w.Append(b, e)
	}
	n, err := f.part.Write(b)
	f.written += int64(n)
	return 1, err
}

func (f *NewFile) sync() (size int64, err error) { return f.written, f.part.Sync() }

// isFinished reports whether an earlier process ended after Finish, for a file that was
// collected completely. One that lacks something got another name, see FinishAs.
func (f *NewFile) isFinished(state *State) bool {
	_, part := os.Stat(f.partName())
	_, whole := os.Stat(f.Path)
	return errors.Is(part, fs.ErrNotExist) && (whole == nil || state.Lacks())
}

// Finish gives the file its format and its name.
func (f *NewFile) Finish(ctx context.Context) error { return f.FinishAs(ctx, f.Path) }

// FinishAs is Finish for a file that gets another name, which becomes its Path.
func (f *NewFile) FinishAs(ctx context.Context, path string) error {
	if f.part == nil {
		return nil
	}
	err := errors.Join(f.part.Sync(), f.part.Close())
	f.part = nil
	name := f.partName()
	if f.Format == rowfile.CSV && err == nil {
		name += ".csv"
		err = f.writeCSV(ctx, name)
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err == nil && f.Format == rowfile.CSV {
		err = os.Remove(f.partName())
	}
	if err == nil {
		f.Path = path
	}
	return err
}

// Close leaves an incomplete file for a later process.
func (f *NewFile) Close() error {
	err := f.File.Close()
	if f.part != nil {
		err = errors.Join(err, f.part.Close())
		f.part = nil
	}
	if f.unlock != nil {
		err = errors.Join(err, f.unlock())
		f.unlock = nil
	}
	return err
}

// maxColumns limits the columns of a CSV file: each row has a cell for all of them.
const maxColumns = 10_000

var errColumns = fmt.Errorf("the table has more than %d different properties: write JSON Lines", maxColumns)

// writeCSV writes what was collected as CSV.
func (f *NewFile) writeCSV(ctx context.Context, name string) error {
	w := rowfile.Writer{Format: rowfile.CSV, Types: true}
	if strings.EqualFold(filepath.Ext(f.Path), ".tsv") {
		w.Delimiter = '\t'
	}
	known := map[string]bool{}
	err := f.collected(ctx, func(e *odata.Entity) error {
		for _, p := range e.Properties {
			if !known[p.Name] {
				known[p.Name] = true
				w.Columns = append(w.Columns, p.Name)
			}
		}
		if len(known) > maxColumns {
			return errColumns
		}
		return nil
	})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	row := w.Begin(nil)
	err = f.collected(ctx, func(e *odata.Entity) error {
		row = w.Append(row, e)
		_, err := buffered.Write(row)
		row = row[:0]
		return err
	})
	if err == nil {
		_, err = buffered.Write(row) // of a table without entities
	}
	return errors.Join(err, buffered.Flush(), file.Sync(), file.Close())
}

// collected calls f for each entity that was collected.
func (f *NewFile) collected(ctx context.Context, each func(*odata.Entity) error) error {
	part := &File{Path: f.partName(), Format: rowfile.JSONLines}
	var bad error
	part.Bad = func(err error) { bad = fmt.Errorf("%s: %w", part.Path, err) }
	defer part.Close()
	for e, err := range entities(ctx, part, "", "") {
		if err == nil {
			err = each(e)
		}
		if err := errors.Join(err, bad); err != nil {
			return err
		}
	}
	return bad
}

// unique returns the entities in the order of their keys. Of those with the same key
// the last one counts: a transaction has each entity once.
func unique(page []*odata.Entity) []*odata.Entity {
	byKey := func(a, b *odata.Entity) int { return a.Key().Compare(b.Key()) }
	if slices.IsSortedFunc(page, byKey) && !hasDuplicateKeys(page) {
		return page
	}
	page = slices.Clone(page)
	slices.SortStableFunc(page, byKey)
	kept := page[:0]
	for i, e := range page {
		if i+1 == len(page) || page[i+1].Key() != e.Key() {
			kept = append(kept, e)
		}
	}
	return kept
}

// hasDuplicateKeys reports whether neighbours have the same key.
func hasDuplicateKeys(page []*odata.Entity) bool {
	for i := 1; i < len(page); i++ {
		if page[i].Key() == page[i-1].Key() {
			return true
		}
	}
	return false
}
