//go:build !js

package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/odata/rowfile"
	"sandtable/server/transfer"
)

// csvFile writes a CSV file, of which each hundredth row is no entity.
func csvFile(t *testing.T, rows int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("PartitionKey,RowKey,N\n")
	for i := range rows {
		if i%100 == 50 {
			b.WriteString("p,a/b,1\n")
			continue
		}
		fmt.Fprintf(&b, "p%d,%05d,%d\n", i%3, i, i)
	}
	path := filepath.Join(t.TempDir(), "Many.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResumeFile: a copy from a file to a file is stopped after each page, and continues.
// The last process still knows all rows that are no entities, also if the one before it
// had copied everything.
func TestResumeFile(t *testing.T) {
	source, dir := csvFile(t, 2600), t.TempDir()
	run := func(stop int) (bad int, err error) {
		state, err := transfer.OpenState(filepath.Join(dir, "state"), "from", "to", "")
		if err != nil {
			t.Fatal(err)
		}
		from := &transfer.File{Path: source, Table: "Many", Format: rowfile.CSV, Bad: func(error) { bad++ }}
		defer from.Close()
		to := &transfer.NewFile{File: transfer.File{Path: filepath.Join(dir, "Many.jsonl"), Table: "Many", Format: rowfile.JSONLines}}
		defer to.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		pages := 0
		_, err = transfer.Copy(ctx, from, to, transfer.Options{State: state, Progress: func(transfer.Progress) {
			if pages++; pages == stop {
				cancel()
			}
		}})
		if err == nil && stop == 0 {
			err = to.Finish(t.Context())
		}
		return bad, err
	}
	for i := range 2 {
		if _, err := run(1); !errors.Is(err, context.Canceled) {
			t.Fatalf("attempt %d stopped with %v", i, err)
		}
	}
	if bad, err := run(100); bad != 26 || err != nil { // complete, but killed before Finish
		t.Fatalf("%d bad rows, %v", bad, err)
	}
	for range 2 { // killed after Finish, before the state was removed
		if bad, err := run(0); bad != 26 || err != nil {
			t.Fatalf("%d bad rows, %v", bad, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "Many.jsonl"))
	if lines := strings.Count(string(text), "\n"); err != nil || lines != 2600-26 {
		t.Errorf("%d lines, %v", lines, err)
	}
	for i, line := range strings.SplitN(string(text), "\n", 50) {
		if want := fmt.Sprintf(`{"PartitionKey":"p%d","RowKey":"%05d","N":%d}`, i%3, i, i); i < 49 && line != want {
			t.Fatalf("line %d is %s, want %s", i, line, want)
		}
	}
}

// TestFileToEndpoint: the rows of a file have any order and may have the same keys; a
// filter and a throttled endpoint are no exception.
func TestFileToEndpoint(t *testing.T) {
	for name, text := range map[string]string{
		"in any order": `{"PartitionKey":"q","RowKey":"2","N":1}
{"PartitionKey":"p","RowKey":"1","N":1}
{"PartitionKey":"q","RowKey":"1","N":2}
{"PartitionKey":"p","RowKey":"1","N":3}
{"PartitionKey":"z","RowKey":"1","N":4}
`,
		"in order": `{"PartitionKey":"p","RowKey":"1","N":1}
{"PartitionKey":"p","RowKey":"1","N":3}
{"PartitionKey":"q","RowKey":"1","N":2}
{"PartitionKey":"q","RowKey":"2","N":1}
{"PartitionKey":"z","RowKey":"1","N":4}
`} {
		t.Run(name, func(t *testing.T) {
			from := jsonLines(t, "Rows.jsonl", text)
			to := newEndpoint(t, "target")
			options := transfer.Options{Filter: "PartitionKey ne 'z'"}
			if did, err := transfer.Copy(t.Context(), from, to.Client, options); err != nil || did.Transactions != 2 {
				t.Fatalf("%+v, %v", did, err)
			}
			var found []string
			did, err := transfer.CompareRows(t.Context(), from, to.Client, transfer.Options{Concurrency: 4}, collect(&found))
			if did.Elapsed == 0 {
				t.Error("it took no time")
			}
			want := []string{`Rows("p", "1"): properties differ`, `Rows("z", "1"): only in the source`}
			if err != nil || strings.Join(found, "; ") != strings.Join(want, "; ") {
				t.Errorf("differences %q, want %q; %v", found, want, err)
			}
		})
	}
}

// jsonLines writes a file of the table Rows.
func jsonLines(t *testing.T, name, text string) *transfer.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &transfer.File{Path: path, Table: "Rows", Format: rowfile.JSONLines}
}

func collect(all *[]string) func(transfer.Difference) bool {
	return func(d transfer.Difference) bool {
		*all = append(*all, d.String())
		return len(*all) < 2
	}
}

func TestCompareFiles(t *testing.T) {
	row := func(key, n string) string { return `{"PartitionKey":"p","RowKey":"` + key + `","N":` + n + "}\n" }
	for _, c := range []struct{ name, from, to, want string }{
		{"the same", row("1", "1") + row("2", "2"), row("1", "1") + row("2", "2"), ""},
		{"both empty", "", "", ""},
		{"another value", row("1", "1") + row("2", "2"), row("1", "7") + row("2", "2"), `Rows("p", "1"): properties differ`},
		{"another type", row("1", "1"), row("1", "1.0"), `Rows("p", "1"): properties differ`},
		{"two other values", row("1", "1") + row("2", "2") + row("3", "3"), row("1", "7") + row("2", "7") + row("3", "7"),
			`Rows("p", "1"): properties differ; Rows("p", "2"): properties differ`},
		{"the target is shorter", row("1", "1") + row("2", "2"), row("1", "1"), `Rows("p", "2"): only in the source`},
		{"the target is longer", row("1", "1"), row("1", "1") + row("2", "2") + row("3", "3"), `Rows("p", "2"): only in the target`},
		{"another order", row("1", "1") + row("2", "2"), row("2", "2") + row("1", "1"), `Rows("p", "1"): not the same entity at this place of the files`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found []string
			did, err := transfer.CompareFiles(t.Context(), jsonLines(t, "from", c.from), jsonLines(t, "to", c.to), transfer.Options{}, collect(&found))
			if got := strings.Join(found, "; "); err != nil || got != c.want {
				t.Errorf("differences %q, want %q; %v", got, c.want, err)
			}
			if did.Elapsed == 0 {
				t.Error("it took no time")
			}
		})
	}
	there, missing := jsonLines(t, "there", ""), &transfer.File{Path: filepath.Join(t.TempDir(), "missing"), Table: "Rows", Format: rowfile.JSONLines}
	for _, pair := range [][2]*transfer.File{{there, missing}, {missing, there}} {
		if _, err := transfer.CompareFiles(t.Context(), pair[0], pair[1], transfer.Options{}, collect(new([]string))); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a missing file: %v", err)
		}
	}
}

// TestCopiesIntoOneFile: a file that one copy writes is refused to another, until the first
// one ends.
func TestCopiesIntoOneFile(t *testing.T) {
	from := jsonLines(t, "from", `{"PartitionKey":"p","RowKey":"1"}`+"\n")
	dir := t.TempDir()
	open := func() *transfer.NewFile {
		to := &transfer.NewFile{File: transfer.File{Path: filepath.Join(dir, "Rows.csv"), Table: "Rows", Format: rowfile.CSV}}
		t.Cleanup(func() { to.Close() })
		return to
	}
	first, second := open(), open()
	if _, err := transfer.Copy(t.Context(), from, first, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	refused := func() {
		t.Helper()
		_, err := transfer.Copy(t.Context(), from, second, transfer.Options{})
		if err == nil || !strings.Contains(err.Error(), "another copy is writing ") {
			t.Errorf("the second copy: %v", err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	}
	refused()
	refused() // a refusal leaves the lock
	if err := errors.Join(first.Finish(t.Context()), first.Close()); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	if _, err := transfer.Copy(t.Context(), from, second, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := second.Finish(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTooManyColumns: a table that CSV cannot hold is refused, and what was collected of
// it stays.
func TestTooManyColumns(t *testing.T) {
	var rows strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&rows, `{"PartitionKey":"p","RowKey":"%05d","N%d":1}`+"\n", i, i)
	}
	path := filepath.Join(t.TempDir(), "Rows.csv")
	to := &transfer.NewFile{File: transfer.File{Path: path, Table: "Rows", Format: rowfile.CSV}}
	if _, err := transfer.Copy(t.Context(), jsonLines(t, "from", rows.String()), to, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := to.Finish(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 10000 different properties") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a CSV file was written")
	}
	if info, err := os.Stat(path + ".part"); err != nil || info.Size() < int64(rows.Len()) {
		t.Errorf("what was collected is gone: %v", err)
	}
}
