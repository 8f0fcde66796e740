//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandtable/server/faults"
	"sandtable/server/pgstore/pgtest"
	"sandtable/server/sandtabletest"
)

// TestCorruptDatabase: copy and serve leave out an entity that fails its check, and say
// so.
func TestCorruptDatabase(t *testing.T) {
	url := corruptDatabase(t)
	const report = `corruption: entity {"p0" "0004"} of table "People" of account "devstoreaccount1": corrupt: `
	code, printed := copying(t, "-verify", url, filepath.Join(t.TempDir(), "data"))
	if code != exitCorrupt || strings.Count(printed, report) != 1 || !strings.Contains(printed, "copied tables: 2, entities: 4 ") ||
		!strings.Contains(printed, "differences: 0") || !strings.Contains(printed, errCopyIncomplete.Error()) {
		t.Errorf("copy: exit code %d\n%s", code, printed)
	}
	lines, stop, stderr := start(t, "serve", "-store", url, "-addr", "127.0.0.1:0", "-quiet")
	<-lines
	if code, printed := copying(t, "-dry-run", <-lines, "data"); code != exitSuccess || !strings.Contains(printed, "would copy tables: 2, entities: 4 ") {
		t.Errorf("copy from the server: exit code %d\n%s", code, printed)
	}
	stop()
	if strings.Count(stderr.String(), report) != 1 {
		t.Errorf("the server printed %q", stderr)
	}
}

// corruptDatabase returns the address of a database with a corrupt entity in its table
// People. Another table comes after that.
func corruptDatabase(t *testing.T) (url string) {
	t.Helper()
	url = pgtest.Schema(t)
	if code, printed := copying(t, filledServer(t, 5).ConnectionString(), url); code != exitSuccess {
		t.Fatal(code, printed)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `UPDATE sandtable_entities SET entity = set_byte(entity, 9, get_byte(entity, 9) # 1)
		WHERE row_key = (SELECT row_key FROM sandtable_entities ORDER BY row_key DESC LIMIT 1)`); err != nil {
		t.Fatal(err)
	}
	return url
}

// TestResumeAfterCorruption: a copy that is resumed does not read what is corrupt again, but
// lacks it.
func TestResumeAfterCorruption(t *testing.T) {
	from, state, zoo := corruptDatabase(t), filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "Zoo.ndjson")
	if err := os.WriteFile(zoo, []byte(`{"PartitionKey":"p","RowKey":"1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := copying(t, zoo, from); code != exitSuccess {
		t.Fatal(code, printed)
	}
	target := sandtabletest.Start(t)
	target.SetFaults(t, 1, faults.Rule{Table: "Zoo", Effect: faults.ServerBusy})
	for _, c := range []struct {
		want string
		code int
	}{{"entities: 4 ", exitFailure}, {"copied tables: 1, entities: 1 ", exitCorrupt}} {
		code, printed := copying(t, "-resume", state, "-retry-for", "0", from, target.ConnectionString())
		if code != c.code || !strings.Contains(printed, c.want) {
			t.Errorf("exit code %d, want %d and %q in\n%s", code, c.code, c.want, printed)
		}
		target.SetFaults(t, 1)
	}
}

// TestResumeOfIncompleteFile: a copy that was killed after its incomplete file got that name,
// and before its state was removed, is complete.
func TestResumeOfIncompleteFile(t *testing.T) {
	from, dir := corruptDatabase(t), t.TempDir()
	source, err := openSource(t.Context(), from, "", "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer source.close()
	state, path := filepath.Join(dir, "state"), filepath.Join(dir, "People.ndjson")
	text := fmt.Sprintf(`{"from":%q,"to":%q,"tables":{"people":{"done":true,"size":99}},"lacks":true}`, source.String()+source.version, path)
	if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := copying(t, "-resume", state, from, path); code != exitCorrupt || strings.Contains(printed, ".incomplete-") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the state is left")
	}
}

// TestIncompleteTableFile: as with archives, what lacks corrupt data does not replace a file
// that may have it.
func TestIncompleteTableFile(t *testing.T) {
	from := corruptDatabase(t)
	for _, name := range []string{"People.csv", "People.ndjson"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			const old = `{"PartitionKey":"p0","RowKey":"0004"}`
			if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			code, printed := copying(t, "-verify", from, path)
			if code != exitCorrupt || !strings.Contains(printed, "entities: 4 ") || !strings.Contains(printed, "differences: 0") || !strings.Contains(printed, path+".incomplete-") {
				t.Errorf("exit code %d\n%s", code, printed)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != old {
				t.Errorf("the old file has become %q, %v", text, err)
			}
			files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
			if err != nil || len(files) != 2 || !strings.HasPrefix(files[1], path+".incomplete-") {
				t.Fatalf("files %q, %v", files, err)
			}
			if text, err := os.ReadFile(files[1]); err != nil || strings.Count(string(text), "p0") != 4 {
				t.Errorf("%s has %q, %v", files[1], text, err)
			}
		})
	}
}
