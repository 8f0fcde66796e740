//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/server/sandtabletest"
)

// TestCopyIntoAnArchive: an existing archive keeps its other accounts, tables and
// entities, and has keys afterwards if it had them before.
func TestCopyIntoAnArchive(t *testing.T) {
	source := sandtabletest.Start(t)
	source.Load(t, strings.NewReader(`{"@sandtable":"archive","version":1}
{"@sandtable":"account","name":"devstoreaccount1","access":"strict"}
{"@sandtable":"table","name":"Kept"}
{"PartitionKey":"p","RowKey":"new"}
{"@sandtable":"end","accounts":1,"tables":1,"entities":1}
`))
	for _, c := range []struct {
		name string
		dump []string
		keys int
	}{
		{"without keys", nil, 0},
		{"with keys", []string{"-keys"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tables.jsonl")
			runTo(t, exitSuccess, append([]string{"dump", "-data", storeWithTwo(t), "-o", path}, c.dump...)...)
			if code, printed := copying(t, "-to-account", "devstoreaccount1", source.ConnectionString(), path); code != exitSuccess {
				t.Fatalf("exit code %d\n%s", code, printed)
			}
			got, err := os.ReadFile(path)
			if err != nil || !bytes.HasSuffix(got, []byte(`"accounts":2,"tables":2,"entities":3}`+"\n")) || bytes.Count(got, []byte(`"primaryKey"`)) != c.keys {
				t.Errorf("the archive is, %v,\n%s", err, got)
			}
		})
	}
}

// TestCopyKeepsOtherFiles: a file that is not what the copy would write is refused and
// left unchanged.
func TestCopyKeepsOtherFiles(t *testing.T) {
	source := sandtabletest.Start(t)
	for _, c := range []struct {
		name, file, text string
		args             []string
		want             string
	}{
		{"rows where an archive goes", "rows.jsonl", `{"PartitionKey":"p","RowKey":"r"}` + "\n", nil, "not a Sandtable archive"},
		{"an incomplete archive", "part.jsonl", `{"@sandtable":"archive","version":1}` + "\n", nil, "archive is truncated"},
		{"an archive where rows go", "tables.jsonl", archiveHead + `{"@sandtable":"end","accounts":1,"tables":2,"entities":0}` + "\n", []string{"-table", "People"}, "is an archive: select tables with -tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, printed := copying(t, append(c.args, source.ConnectionString(), path)...)
			if code != exitFailure || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d\n%s", code, printed)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != c.text {
				t.Errorf("the file is, %v,\n%s", err, got)
			}
		})
	}
}
