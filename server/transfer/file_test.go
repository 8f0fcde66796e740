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
	path := filepath.Join(t.TempDir(), "Rows.jsonl")
	text := `{"PartitionKey":"q","RowKey":"2","N":1}
{"PartitionKey":"p","RowKey":"1","N":1}
{"PartitionKey":"q","RowKey":"1","N":2}
{"PartitionKey":"p","RowKey":"1","N":3}
{"PartitionKey":"z","RowKey":"1","N":4}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	from := &transfer.File{Path: path, Table: "Rows", Format: rowfile.JSONLines}
	to := newEndpoint(t, "target")
	options := transfer.Options{Filter: "PartitionKey ne 'z'"}
	if did, err := transfer.Copy(t.Context(), from, to.Client, options); err != nil || did.Transactions != 2 {
		t.Fatalf("%+v, %v", did, err)
	}
	var found []string
	_, err := transfer.CompareRows(t.Context(), from, to.Client, transfer.Options{Concurrency: 4}, func(d transfer.Difference) bool {
		found = append(found, d.String())
		return true
	})
	want := []string{`Rows("p", "1"): properties differ`, `Rows("z", "1"): only in the source`}
	if err != nil || strings.Join(found, "; ") != strings.Join(want, "; ") {
		t.Errorf("differences %q, want %q; %v", found, want, err)
	}
}
