//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sandtable/server"
	"sandtable/server/pgstore/pgtest"
	"sandtable/server/sandtabletest"
)

const archiveHead = `{"@sandtable":"archive","version":1}
{"@sandtable":"account","name":"devstoreaccount1","access":"strict"}
{"@sandtable":"table","name":"Empty"}
{"@sandtable":"table","name":"People"}
`

// copying runs copy and returns its exit code and what it printed.
func copying(t *testing.T, args ...string) (code int, printed string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), append([]string{"copy"}, args...), &out, &out)
	return code, out.String()
}

// filledServer returns a server with entities.
func filledServer(t *testing.T, entities int) *sandtabletest.Server {
	t.Helper()
	s := sandtabletest.Start(t)
	var archive strings.Builder
	archive.WriteString(archiveHead)
	for i := range entities {
		fmt.Fprintf(&archive, `{"PartitionKey":"p%d","RowKey":"%04d","Timestamp":"2026-01-01T00:00:00Z","N@odata.type":"Edm.Int64","N":"%d"}`+"\n", i/100, i, i)
	}
	fmt.Fprintf(&archive, `{"@sandtable":"end","accounts":1,"tables":2,"entities":%d}`+"\n", entities)
	s.Load(t, strings.NewReader(archive.String()))
	return s
}

// TestCopyEverywhere copies through all kinds of places and compares the last with the
// first.
func TestCopyEverywhere(t *testing.T) {
	source, target := filledServer(t, 350), sandtabletest.Start(t)
	folder := filepath.Join(t.TempDir(), "data")
	archive := filepath.Join(t.TempDir(), "tables.jsonl")
	database := pgtest.Schema(t)
	from := source.ConnectionString()
	for _, to := range []string{folder, archive, database, target.ConnectionString()} {
		if code, printed := copying(t, from, to, "-verify"); code != exitSuccess || !strings.Contains(printed, "copied tables: 2, entities: 350 ") || !strings.Contains(printed, "differences: 0") {
			t.Fatalf("copy to %s: exit code %d\n%s", to, code, printed)
		}
		from = to
	}
	if code, printed := copying(t, target.ConnectionString(), source.ConnectionString(), "-verify"); code != exitSuccess || !strings.Contains(printed, "differences: 0") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
}

// TestCopyUnknownTables: each name and pattern of -tables has to match a table, before
// anything is written.
func TestCopyUnknownTables(t *testing.T) {
	source := filledServer(t, 3).ConnectionString()
	for _, c := range []struct{ tables, want string }{
		{"Poeple", `-tables: no table in FROM matches "Poeple"`},
		{"people, Orders* ,Emp*,none", `-tables: no table in FROM matches "Orders*", "none"`},
	} {
		t.Run(c.tables, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "data")
			if code, printed := copying(t, source, folder, "-tables", c.tables); code != exitFailure || !strings.Contains(printed, c.want+"\n") {
				t.Errorf("exit code %d, want %q in\n%s", code, c.want, printed)
			}
			if _, err := os.Stat(folder); err == nil {
				t.Error("the folder was created")
			}
		})
	}
}

// TestCopyBetweenSchemas: two schemas of one database are different places, and only the
// same one is refused.
func TestCopyBetweenSchemas(t *testing.T) {
	from, to := pgtest.Schema(t), pgtest.Schema(t)
	if code, printed := copying(t, filledServer(t, 3).ConnectionString(), from); code != exitSuccess {
		t.Fatal(code, printed)
	}
	if code, printed := copying(t, "-verify", from, to); code != exitSuccess || !strings.Contains(printed, "copied tables: 2, entities: 3") {
		t.Errorf("to another schema: exit code %d, %s", code, printed)
	}
	if code, printed := copying(t, from, from); code != exitFailure || !strings.Contains(printed, "FROM and TO are the same") {
		t.Errorf("to the same schema: exit code %d, %s", code, printed)
	}
}

// TestCopyRights: why a database refuses a copy is printed, not only what a client of the
// service would be told.
func TestCopyRights(t *testing.T) {
	url := pgtest.Schema(t)
	if code, printed := copying(t, filledServer(t, 3).ConnectionString(), url); code != exitSuccess {
		t.Fatal(code, printed)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `CREATE ROLE reader LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON sandtable_accounts, sandtable_tables TO reader;
		GRANT SELECT ON sandtable_schema, sandtable_entities, sandtable_dropped TO reader;
		DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO reader'; END $$`); err != nil {
		t.Fatal(err)
	}
	code, printed := copying(t, "-retry-for", "0s", filledServer(t, 3).ConnectionString(), url+"&user=reader")
	if code != exitFailure || strings.Count(printed, "permission denied for table sandtable_entities") != 1 {
		t.Errorf("exit code %d, %s", code, printed)
	}
}

// TestCopyLongKeys: an entity whose keys PostgreSQL cannot index is named, with the limit.
func TestCopyLongKeys(t *testing.T) {
	url, path := pgtest.Schema(t), filepath.Join(t.TempDir(), "Long.ndjson")
	row := fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"long"}`, strings.Repeat("\u4e00", 1000))
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := copying(t, path, url); code != exitFailure || !strings.Contains(printed, "2640 bytes of UTF-8") {
		t.Errorf("exit code %d, %s", code, printed)
	}
}

// TestCopyVerifyFindsDifferences: differences give the exit code of data loss.
func TestCopyVerifyFindsDifferences(t *testing.T) {
	source, target := filledServer(t, 20), filledServer(t, 30)
	code, printed := copying(t, "-verify", source.ConnectionString(), target.ConnectionString())
	if code != exitCorrupt || !strings.Contains(printed, `("p0", "0020"): only in the target`) || !strings.Contains(printed, "differences: 10") ||
		!strings.Contains(printed, "sandtable copy: the target differs from the source\n") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
}

// TestCopyStores: what is wrong with the folders and accounts of a copy is said in terms
// of the place that is wrong.
func TestCopyStores(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	archive := strings.Replace(archiveHead, `{"@sandtable":"table","name":"Empty"}`, `{"@sandtable":"account","name":"other","access":"strict"}`, 1) +
		`{"@sandtable":"end","accounts":2,"tables":1,"entities":0}` + "\n"
	if err := os.WriteFile("two.jsonl", []byte(archive), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := copying(t, "-from-account", "other", "two.jsonl", "data"); code != exitSuccess {
		t.Fatal(code, printed)
	}
	if err := os.Symlink("data", "link"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"a folder in other words", "copy: FROM and TO are the same\n", []string{"data", "./data"}},
		{"a link", "copy: FROM and TO are the same\n", []string{"data", filepath.Join(dir, "link")}},
		{"an archive", "copy: FROM and TO are the same\n", []string{"-from-account", "other", "two.jsonl", "./two.jsonl"}},
		{"several accounts", "FROM: the store has several accounts: name one with -from-account\n", []string{"two.jsonl", "more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, printed := copying(t, c.args...); code != exitFailure || !strings.HasSuffix(printed, c.want) {
				t.Errorf("exit code %d, want %q in\n%s", code, c.want, printed)
			}
		})
	}
}

func TestCopyDryRun(t *testing.T) {
	source := filledServer(t, 120)
	folder := filepath.Join(t.TempDir(), "data")
	code, printed := copying(t, source.ConnectionString(), folder, "-dry-run", "-filter", "PartitionKey eq 'p1'")
	if code != exitSuccess || !strings.Contains(printed, "would copy tables: 2, entities: 20 ") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the dry run created the folder")
	}
}

// TestCopyLeavesDatabases: neither a dry run nor a copy from a database creates its
// tables.
func TestCopyLeavesDatabases(t *testing.T) {
	database := pgtest.Schema(t)
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	source := filledServer(t, 120).ConnectionString()
	for _, c := range []struct {
		name, want string
		code       int
		args       []string
	}{
		{"a dry run", "would copy tables: 2, entities: 120 ", exitSuccess, []string{source, database, "-dry-run", "-policies", "-properties"}},
		{"a new account", "would copy tables: 2, entities: 120 ", exitSuccess, []string{source, database, "-dry-run", "-to-account", "other"}},
		{"the source", "account not found", exitFailure, []string{database, source}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, printed := copying(t, c.args...); code != c.code || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d, want %d with %q\n%s", code, c.code, c.want, printed)
			}
			var tables int
			if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").Scan(&tables); err != nil || tables != 0 {
				t.Errorf("%d tables are in the database (%v)", tables, err)
			}
		})
	}
}

func TestCopyRefuses(t *testing.T) {
	s := sandtabletest.Start(t)
	empty := t.TempDir()
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"one place", "want FROM and TO", []string{"a"}},
		{"three places", "want FROM and TO", []string{"a", "b", "c"}},
		{"no such source", "no such file", []string{"nowhere", "b"}},
		{"a folder without a store", "there is no store", []string{empty, "b"}},
		{"the same place", "FROM and TO are the same", []string{s.ConnectionString(), s.ConnectionString()}},
		{"a bad pattern", "syntax error in pattern", []string{"-tables", "[", "a", "b"}},
		{"a bad filter", "-filter: Expression expected at position 15", []string{"-filter", "PartitionKey eq", s.ConnectionString(), filepath.Join(empty, "new")}},
		{"an archive to resume", "-resume cannot write an archive", []string{"-resume", "state", "a", "b.jsonl"}},
		{"no transactions", "-concurrency must be at least 1", []string{"-concurrency", "0", "a", "b"}},
		{"an address without a signature", "shared access signature", []string{"https://a.table.core.windows.net", "b"}},
		{"a target that is no folder", "an archive ends in .jsonl", []string{s.ConnectionString(), filepath.Join(empty, "tables.json")}},
		{"the same in a dry run", "an archive ends in .jsonl", []string{"-dry-run", s.ConnectionString(), filepath.Join(empty, "tables.JSON")}},
		{"another database", "begins with postgres://", []string{s.ConnectionString(), "mysql://me:secret@host/name"}},
		{"a scheme in other case", "begins with postgres://", []string{"Postgres://me:secret@host/name", filepath.Join(empty, "new")}},
		{"an account of an endpoint", "leave its name out", []string{"-from-account", "x", s.ConnectionString(), "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, printed := copying(t, c.args...)
			if code != exitFailure || !strings.Contains(printed, c.want) || strings.Contains(printed, "secret") {
				t.Errorf("exit code %d\n%s", code, printed)
			}
			if made, err := os.ReadDir(empty); err != nil || len(made) > 0 {
				t.Errorf("it made %v, %v", made, err)
			}
		})
	}
}

// TestCopyControlsNoTerminal: what the other endpoint answers cannot move the cursor, set the
// title or reach the clipboard of the terminal that shows the error.
func TestCopyControlsNoTerminal(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"odata.error":{"code":"No\u001b]52;c;AAAA\u0007","message":{"value":"You may\u009b2J\rnot\u001b[1A"}}}`)
	}))
	t.Cleanup(other.Close)
	from := "AccountName=first1;AccountKey=AAAA;TableEndpoint=" + other.URL + "/first1"
	code, printed := copying(t, from, filepath.Join(t.TempDir(), "data"))
	if code != exitFailure || !strings.Contains(printed, "403 No") || strings.ContainsAny(printed, "\x1b\x07\u009b\r") {
		t.Errorf("exit code %d, printed %q", code, printed)
	}
}

// TestCopyOfABrokenStore: as for serve, salvage is offered for a store that does not open.
func TestCopyOfABrokenStore(t *testing.T) {
	broken := brokenStore(t)
	for name, args := range map[string][]string{"from": {broken, t.TempDir()}, "to": {"-from-account", server.WellKnownAccount, storeWithTwo(t), broken}} {
		code, printed := copying(t, args...)
		if code == 0 || !strings.Contains(printed, "sandtable salvage -data "+broken) {
			t.Errorf("%s it: exit code %d\n%s", name, code, printed)
		}
	}
}

// TestCopySettings: policies and service properties are copied on request, also into a
// folder.
func TestCopySettings(t *testing.T) {
	source := filledServer(t, 3)
	folder := filepath.Join(t.TempDir(), "data")
	code, printed := copying(t, "-policies", "-properties", source.ConnectionString(), folder)
	if code != exitSuccess || !strings.Contains(printed, "tables with access policies: 0") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
	file := filepath.Join(t.TempDir(), "People.csv")
	if code, printed = copying(t, "-policies", source.ConnectionString(), file); code != exitFailure || !strings.Contains(printed, "has no access policies") {
		t.Errorf("exit code %d\n%s", code, printed)
	}
}

// TestCopyOddNames copies tables with names that only Cosmos DB allows, and none in the
// place of another.
func TestCopyOddNames(t *testing.T) {
	names := []string{"my table", "50%", "a%62", "ab", "a+b", "ä", "a&b", "a'b", "*", "[x]"}
	var text strings.Builder
	text.WriteString(`{"@sandtable":"archive","version":1}` + "\n" + `{"@sandtable":"account","name":"devstoreaccount1","access":"strict"}` + "\n")
	for _, name := range names {
		fmt.Fprintf(&text, `{"@sandtable":"table","name":%q}`+"\n"+`{"PartitionKey":"p","RowKey":"1","Name":%q}`+"\n"+`{"PartitionKey":"p","RowKey":"2"}`+"\n", name, name)
	}
	fmt.Fprintf(&text, `{"@sandtable":"end","accounts":1,"tables":%d,"entities":%d}`+"\n", len(names), 2*len(names))
	from := filepath.Join(t.TempDir(), "from.jsonl")
	if err := os.WriteFile(from, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("copied tables: %d, entities: %d ", len(names), 2*len(names))
	for _, to := range []string{filepath.Join(t.TempDir(), "data"), pgtest.Schema(t)} {
		if code, printed := copying(t, from, to, "-verify"); code != exitSuccess || !strings.Contains(printed, want) || !strings.Contains(printed, "differences: 0") {
			t.Errorf("copy to %s: exit code %d\n%s", to, code, printed)
		}
	}
}

// TestCopyOfACorruptStore: what can be read is copied, what is missing is reported, and
// the exit code is that of data loss.
func TestCopyOfACorruptStore(t *testing.T) {
	from := storeWithBlocks(t)
	breakBlock(t, from)
	broken, sound := "second2", server.WellKnownAccount
	if dump, _ := runTo(t, exitCorrupt, "dump", "-data", from); strings.Contains(dump, `"RowKey":"second2"`) {
		broken, sound = sound, broken
	}
	for _, c := range []struct{ name, to, want string }{
		{"folder", "data", "the copy lacks data that is corrupt; everything else is copied"},
		{"archive", "tables.jsonl", "the dump lacks data that is corrupt; everything else is in it: see "},
		{"file of a table", "Kept.csv", "the copy lacks data that is corrupt; everything else is copied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, flags := range [][]string{{"-dry-run"}, {"-verify"}} {
				to := filepath.Join(t.TempDir(), c.to)
				code, printed := copying(t, append(flags, "-from-account", broken, from, to)...)
				if code != exitCorrupt || strings.Count(printed, "corruption: block ") != 1 || !strings.Contains(printed, "lacks data that is corrupt") {
					t.Errorf("%s: exit code %d\n%s", flags, code, printed)
				}
				if flags[0] == "-verify" && (!strings.Contains(printed, c.want) || !strings.Contains(printed, "differences: 0")) {
					t.Errorf("printed\n%s", printed)
				}
			}
			to := filepath.Join(t.TempDir(), c.to)
			if code, printed := copying(t, "-from-account", sound, from, to); code != exitSuccess || strings.Contains(printed, "corrupt") {
				t.Errorf("of the other account: exit code %d\n%s", code, printed)
			}
		})
	}
	to := filepath.Join(t.TempDir(), "tables.jsonl")
	copying(t, "-from-account", broken, from, to)
	found, _ := filepath.Glob(to + ".incomplete-*")
	if len(found) != 1 {
		t.Fatalf("incomplete archives %q", found)
	}
	if archive, err := os.ReadFile(found[0]); err != nil || !bytes.Contains(archive, []byte(`"entities":0,"corruption":1}`)) {
		t.Errorf("the archive is, %v,\n%s", err, archive)
	}
	if code, printed := copying(t, "-from-account", broken, "-tables", "Another", from, filepath.Join(t.TempDir(), "data")); code != exitSuccess || strings.Contains(printed, "corrupt") {
		t.Errorf("of another table: exit code %d\n%s", code, printed)
	}
}
