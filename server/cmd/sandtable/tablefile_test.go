//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/server/sandtabletest"
)

// TestCopyTableFiles copies a table through files of every format, and compares the
// last with the first.
func TestCopyTableFiles(t *testing.T) {
	source, target := filledServer(t, 1200), sandtabletest.Start(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	from := source.ConnectionString()
	for _, step := range []struct {
		to    string
		flags []string
	}{
		{in("People.csv"), nil},
		{in("copy.ndjson"), []string{"-table", "People"}},
		{in("folder"), []string{"-table", "People"}},
		{in("copy.jsonl"), []string{"-table", "People"}},
		{in("People.tsv"), []string{"-table", "People"}},
		{target.ConnectionString(), nil},
	} {
		code, printed := copying(t, append(step.flags, from, step.to, "-verify")...)
		if code != exitSuccess || !strings.Contains(printed, "copied tables: 1, entities: 1200 ") || !strings.Contains(printed, "differences: 0") {
			t.Fatalf("copy to %s: exit code %d\n%s", step.to, code, printed)
		}
		from = step.to
	}
	code, printed := copying(t, "-tables", "People", target.ConnectionString(), in("archive.jsonl"))
	if code != exitSuccess || !strings.Contains(printed, "entities: 1200 ") {
		t.Fatalf("exit code %d\n%s", code, printed)
	}
	// An archive is one by its content.
	code, printed = copying(t, "-tables", "People", in("archive.jsonl"), source.ConnectionString(), "-verify")
	if code != exitSuccess || !strings.Contains(printed, "differences: 0") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
	left, err := filepath.Glob(in("*.part*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}

// TestCopySelectsTheTableOfAFile: -tables names the table of a new file, too, and no
// other table gets into it.
func TestCopySelectsTheTableOfAFile(t *testing.T) {
	server := filledServer(t, 3).ConnectionString()
	for _, c := range []struct {
		name, want string
		code       int
		args       []string
	}{
		{"by name", "copied tables: 1, entities: 3 ", exitSuccess, []string{"-tables", "people", "out.csv"}},
		{"by a pattern", "copied tables: 1, entities: 3 ", exitSuccess, []string{"-tables", "P*", "2026-people.ndjson"}},
		{"one of several", "copied tables: 1, entities: 3 ", exitSuccess, []string{"-tables", "Empty,People", "-table", "People", "out.csv"}},
		{"several", "-tables selects 2 tables, and a CSV or JSON Lines file has one: name it with -table", exitFailure, []string{"-tables", "Empty,People", "People.csv"}},
		{"another than the file's", "the source has no such table", exitFailure, []string{"-tables", "Empty", "-table", "People", "out.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			code, printed := copying(t, append([]string{server}, c.args...)...)
			if code != c.code || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, c.code, c.want, printed)
			}
		})
	}
}

// TestNamesOfFiles: a file has the format of its ending, in any case.
func TestNamesOfFiles(t *testing.T) {
	server := filledServer(t, 1).ConnectionString()
	for name, want := range map[string]string{
		"People.csv":   "PartitionKey,RowKey,N,N@type\r\np0,0000,0,Int64\r\n",
		"People.tsv":   "PartitionKey\tRowKey\tN\tN@type\r\np0\t0000\t0\tInt64\r\n",
		"People.TSV":   "PartitionKey\tRowKey\tN\tN@type\r\np0\t0000\t0\tInt64\r\n",
		"TABLES.JSONL": `{"@sandtable":"archive","version":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if code, printed := copying(t, "-tables", "People", server, path); code != exitSuccess {
				t.Fatalf("exit code %d\n%s", code, printed)
			}
			if got, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(got), want) {
				t.Errorf("got %.60q, %v, want %q", got, err, want)
			}
		})
	}
}

// TestVersionOfEditedFile: a copy does not resume in a file that was edited since, not
// even one of the same size.
func TestVersionOfEditedFile(t *testing.T) {
	for name, text := range map[string]string{
		"Things.csv": "PartitionKey,RowKey\np,%d\n",
		"all.jsonl":  archiveHead + `{"PartitionKey":"p","RowKey":"%d"}` + "\n" + `{"@sandtable":"end","accounts":1,"tables":2,"entities":1}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			versions := map[string]bool{}
			for i := range 2 {
				changed := time.Date(2026, 11, 28, 0, 0, i, 0, time.UTC)
				if err := errors.Join(os.WriteFile(path, fmt.Appendf(nil, text, i), 0o600), os.Chtimes(path, changed, changed)); err != nil {
					t.Fatal(err)
				}
				p, err := openFile(t.Context(), path, "", "", io.Discard)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.close(); err != nil {
					t.Error(err)
				}
				versions[p.version] = true
			}
			if len(versions) != 2 {
				t.Errorf("versions %v", versions)
			}
		})
	}
}

// TestCopyBadRows: each bad row is named by its line, all others are copied, and the
// exit code says that something is lost.
func TestCopyBadRows(t *testing.T) {
	target := sandtabletest.Start(t)
	for name, c := range map[string]struct{ text, want string }{
		"Orders.csv": {"PartitionKey,RowKey,Total,Total@type\nEU,1,5,Int32\nEU,2,five,Int32\nEU,3\nEU,4,6,Int32\nEU,1,7,Int32\n",
			"Orders.csv: line 3, Total: \"five\": an Int32 is a whole number from -2147483648 to 2147483647\n"},
		"Lines.jsonl": {"{\"PartitionKey\":\"EU\",\"RowKey\":\"1\"}\n{\"PartitionKey\":\n{\"RowKey\":\"2\"}\n{\"PartitionKey\":\"EU\",\"RowKey\":\"3\"}\n{\"PartitionKey\":\"US\",\"RowKey\":\"1\"}",
			"Lines.jsonl: line 2: not an entity: payload is malformed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, flags := range [][]string{{"-dry-run"}, {"-filter", "PartitionKey eq 'EU'"}, {"-filter", "RowKey ne '1'", "-verify"}} {
				code, printed := copying(t, append(flags, path, target.ConnectionString())...)
				if code != exitCorrupt || !strings.Contains(printed, c.want) || !strings.Contains(printed, ": 2; all others are done") {
					t.Errorf("%q: exit code %d\n%s", flags, code, printed)
				}
			}
		})
	}
	// Of two rows with the same keys, the last one counts.
	out := filepath.Join(t.TempDir(), "Orders.ndjson")
	if code, printed := copying(t, target.ConnectionString(), out); code != exitSuccess {
		t.Fatalf("exit code %d\n%s", code, printed)
	}
	text, err := os.ReadFile(out)
	if want := `{"PartitionKey":"EU","RowKey":"1","Total":7}` + "\n" + `{"PartitionKey":"EU","RowKey":"4","Total":6}` + "\n"; err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestCopyTableFilesRefuses(t *testing.T) {
	server := filledServer(t, 3).ConnectionString()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("Good.csv", "PartitionKey,RowKey\np,r\n")
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"no table's name", "name the table of", []string{write("2024-orders.csv", "PartitionKey,RowKey\n"), server}},
		{"a target without a table's name", "name the table of", []string{server, filepath.Join(dir, "my-file.csv")}},
		{"no keys", "none becomes the PartitionKey", []string{write("Keys.csv", "A,B\n1,2\n"), server}},
		{"UTF-16", "save it as UTF-8", []string{write("Wide.csv", "\xff\xfeP\x00"), server}},
		{"neither", "not a Sandtable archive", []string{write("Orders.txt", "hello"), server}},
		{"a missing table", "the source has no such table", []string{server, filepath.Join(dir, "Nothing.csv")}},
		{"a table between endpoints", "select tables with -tables", []string{"-table", "People", server, filepath.Join(dir, "folder")}},
		{"an account of a file", "has no account", []string{"-from-account", "x", good, server}},
		{"the same file", "FROM and TO are the same", []string{good, good}},
		{"a folder as a file", "is not a regular file", []string{server, "-table", "People", func() string {
			name := filepath.Join(dir, "Folder.csv")
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
			return name
		}()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, printed := copying(t, c.args...)
			if code != exitFailure || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d\n%s", code, printed)
			}
		})
	}
}
