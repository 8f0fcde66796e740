package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/odata"
	"sandtable/odata/payload"
)

const (
	head    = `{"@sandtable":"archive","version":1}` + "\n"
	account = `{"@sandtable":"account","name":"first1","access":"open"}` + "\n"
	table   = `{"@sandtable":"table","name":"Some"}` + "\n"
	row     = `{"PartitionKey":"p","RowKey":"r","N":1}` + "\n"
)

func end(accounts, tables, entities int) string {
	return fmt.Sprintf(`{"@sandtable":"end","accounts":%d,"tables":%d,"entities":%d}`, accounts, tables, entities)
}

// TestLoadRefuses has a case for every way in which an archive can be invalid.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		name     string
		text     string
		err      error
		contains string
		left     archive.Counts
	}{
		{"nothing", "", archive.ErrNotArchive, "", archive.Counts{}},
		{"not JSON", "PartitionKey,RowKey\n", archive.ErrNotArchive, "line 1", archive.Counts{}},
		{"an entity first", row, archive.ErrNotArchive, "line 1", archive.Counts{}},
		{"another line first", account, archive.ErrNotArchive, "line 1", archive.Counts{}},
		{"a newer version", `{"@sandtable":"archive","version":2,"compressed":true}`, archive.ErrVersion, "version 2, this program reads up to 1", archive.Counts{}},
		{"a version below 1", `{"@sandtable":"archive","version":0}`, archive.ErrSyntax, "version 0 does not exist", archive.Counts{}},
		{"no version", `{"@sandtable":"archive"}`, archive.ErrSyntax, "version is not a count", archive.Counts{}},
		{"a kind that is not a string", head + `{"@sandtable":7}`, archive.ErrSyntax, "line 2", archive.Counts{}},
		{"an unknown kind", head + `{"@sandtable":"queue"}`, archive.ErrSyntax, `line 2: archive is malformed: unknown kind of line "queue"`, archive.Counts{}},
		{"an unknown member", head + account + `{"@sandtable":"table","name":"Some","color":"red"}`, archive.ErrSyntax, `line 3: archive is malformed: unknown member "color" in a line of kind table`, archive.Counts{Accounts: 1}},
		{"two of one member", head + `{"@sandtable":"account","name":"a","name":"b","access":"open"}`, payload.ErrDuplicateProperty, "line 2", archive.Counts{}},
		{"an entity's key in an account", head + `{"@sandtable":"account","name":"first1","access":"open","RowKey":""}`, archive.ErrSyntax, "line of kind account has PartitionKey or RowKey", archive.Counts{}},
		{"an unknown access", head + `{"@sandtable":"account","name":"first1","access":"ajar"}`, archive.ErrSyntax, `"ajar"`, archive.Counts{}},
		{"a name that is not a string", head + `{"@sandtable":"account","name":12,"access":"open"}`, archive.ErrSyntax, "name is not a string", archive.Counts{}},
		{"a bad account name", head + `{"@sandtable":"account","name":"Bad Name","access":"open"}`, engine.ErrAccountInvalid, "Bad Name", archive.Counts{}},
		{"a bad key", head + `{"@sandtable":"account","name":"first1","access":"open","primaryKey":"*"}`, archive.ErrSyntax, "primaryKey is not Base64", archive.Counts{}},
		{"a table without account", head + table, archive.ErrSyntax, "line 2", archive.Counts{}},
		{"a bad table name", head + account + `{"@sandtable":"table","name":"a/b"}`, odata.ErrTableNameInvalid, "line 3", archive.Counts{Accounts: 1}},
		{"an entity without table", head + account + row, archive.ErrSyntax, "line 3", archive.Counts{Accounts: 1}},
		{"a second account's entity without table", head + account + table + row + account + row, archive.ErrSyntax, "line 6", archive.Counts{Accounts: 2, Tables: 1, Entities: 1}},
		{"an incomplete line", head + account + table + row + `{"PartitionKey":"p","Ro`, archive.ErrSyntax, "line 5", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"invalid UTF-8", head + account + table + row + "{\"PartitionKey\":\"\xff\",\"RowKey\":\"\"}", payload.ErrSyntax, `line 5: archive is malformed: payload is malformed, in a line that starts with "{\"PartitionKey\":\"\xff\",`, archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"a truncated archive", head + account + table + row, archive.ErrTruncated, "line 5", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"a corruption that is not a count", head + `{"@sandtable":"end","accounts":0,"tables":0,"entities":0,"corruption":"some"}`, archive.ErrSyntax, "corruption is not a count", archive.Counts{}},
		{"a missing line", head + account + table + row + end(1, 1, 2), archive.ErrCounts, "line 5: archive is incomplete: got accounts: 1, tables: 1, entities: 1, want accounts: 1, tables: 1, entities: 2", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"an end with a negative count", head + `{"@sandtable":"end","accounts":-1,"tables":0,"entities":0}`, archive.ErrSyntax, "accounts is not a count", archive.Counts{}},
		{"an end with a fractional count", head + `{"@sandtable":"end","accounts":0.5,"tables":0,"entities":0}`, archive.ErrSyntax, "accounts is not a count", archive.Counts{}},
		{"a line after the end", head + account + end(1, 0, 0) + "\n" + table, archive.ErrSyntax, "line after the end", archive.Counts{Accounts: 1}},
		{"no row key", head + account + table + row + `{"PartitionKey":"p"}`, payload.ErrKeyMissing, "line 5", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"a key that is not a string", head + account + table + `{"PartitionKey":"p","RowKey":1}`, payload.ErrKeyType, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a long key", head + account + table + `{"PartitionKey":"p","RowKey":"` + strings.Repeat("r", 1025) + `"}`, odata.ErrPropertyValueTooLarge, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a key with a slash", head + account + table + `{"PartitionKey":"/","RowKey":""}`, nil, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a bad property name", head + account + table + `{"PartitionKey":"p","RowKey":"","a b":1}`, odata.ErrPropertyNameInvalid, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a bad type", head + account + table + `{"PartitionKey":"p","RowKey":"","a":1,"a@odata.type":"Edm.Single"}`, payload.ErrSyntax, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a large entity", head + account + table + `{"PartitionKey":"p","RowKey":"","a":"` + strings.Repeat("a", odata.MaxCosmosEntitySize/2) + `"}`, odata.ErrEntityTooLarge, "line 4", archive.Counts{Accounts: 1, Tables: 1}},
		{"a long line", head + account + table + row + strings.Repeat(" ", archive.MaxLine+1), archive.ErrLineTooLong, "line 5", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, err := archive.CheckHeader(strings.NewReader(c.text))
			if strings.HasPrefix(c.text, head) {
				must(t, err)
				text, err := io.ReadAll(whole)
				if err != nil || string(text) != c.text {
					t.Errorf("CheckHeader returns a reader of %q, %v", text, err)
				}
			} else if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.contains) {
				t.Errorf("CheckHeader returns %v", err)
			}
			db := openMemory(t)
			report, err := archive.Load(strings.NewReader(c.text), db, archive.LoadOptions{})
			if err == nil || c.err != nil && !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.contains) {
				t.Errorf("error %v, want %v that contains %q", err, c.err, c.contains)
			}
			if report.Counts != c.left {
				t.Errorf("report %+v, want %+v", report.Counts, c.left)
			}
			if got := dump(t, db, archive.DumpOptions{}); strings.Count(got, "PartitionKey") != c.left.Entities {
				t.Errorf("there is %s, want %+v", got, c.left)
			}
		})
	}
}

// TestLoadAccepts loads archives that Dump would not write but other programs
// might.
func TestLoadAccepts(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		want archive.Counts
	}{
		{"no content", head + end(0, 0, 0), archive.Counts{}},
		{"blank lines and returns", "\r\n" + strings.ReplaceAll(head+account+"\n"+table+row, "\n", "\r\n") + end(1, 1, 1) + "\r\n \n", archive.Counts{Accounts: 1, Tables: 1, Entities: 1}},
		{"members in another order", head + `{"access":"open","name":"first1","@sandtable":"account"}` + "\n" + end(1, 0, 0), archive.Counts{Accounts: 1}},
		{"counts as doubles", head + `{"@sandtable":"end","accounts":0.0,"tables":0e5,"entities":0}`, archive.Counts{}},
		{"a table twice, in other case", head + account + table + row + `{"@sandtable":"table","name":"SOME"}` + "\n" + row + end(1, 2, 2), archive.Counts{Accounts: 1, Tables: 2, Entities: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := archive.Load(iotest.HalfReader(strings.NewReader(c.text)), openMemory(t), archive.LoadOptions{})
			if err != nil || report.Counts != c.want {
				t.Errorf("report %+v, %v, want %+v", report.Counts, err, c.want)
			}
		})
	}
}

// TestLoadReplaces: the archive's entities replace existing ones, everything else stays.
func TestLoadReplaces(t *testing.T) {
	db := openMemory(t)
	fill(t, db, "first1", "Some", entity("p", "other"), entity("p", "r", property("Gone", odata.BooleanValue(true))))
	text := head + `{"@sandtable":"account","name":"first1","access":"open","properties":"doc","primaryKey":"AAAA"}` + "\n" +
		`{"@sandtable":"table","name":"Some","policies":"p"}` + "\n" + row + end(1, 1, 1)
	report, err := archive.Load(strings.NewReader(text), db, archive.LoadOptions{})
	must(t, err)
	if report.Entities != 1 || report.Unchanged != 0 {
		t.Errorf("report %+v", report)
	}
	want := head + `{"@sandtable":"account","name":"first1","access":"strict","properties":"doc","primaryKey":"Zmlyc3Q=","secondaryKey":"c2Vjb25k"}` + "\n" +
		`{"@sandtable":"table","name":"Some","policies":"p"}` + "\n" + `{"PartitionKey":"p","RowKey":"other"}` + "\n" + row + end(1, 1, 2) + "\n"
	if got := withoutTimestamps(dump(t, db, archive.DumpOptions{Keys: true})); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
	// What the archive does not mention stays.
	_, err = archive.Load(strings.NewReader(head+account+table+end(1, 1, 0)), db, archive.LoadOptions{})
	must(t, err)
	if got := withoutTimestamps(dump(t, db, archive.DumpOptions{Keys: true})); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
}

// TestLoadReadsDocuments: an unreadable document is refused with its line number,
// and an absent one is left alone.
func TestLoadReadsDocuments(t *testing.T) {
	options := archive.LoadOptions{Policies: readsGood, Properties: readsGood}
	of := func(properties, policies string) string {
		return head + `{"@sandtable":"account","name":"first1","access":"open"` + properties + "}\n" +
			`{"@sandtable":"table","name":"Some"` + policies + "}\n" + end(1, 1, 0)
	}
	for _, c := range []struct {
		name, text, contains string
	}{
		{"none", of("", ""), ""},
		{"good ones", of(`,"properties":"good"`, `,"policies":"good"`), ""},
		{"bad properties", of(`,"properties":"bad"`, ""), "line 2: archive is malformed: properties: not good"},
		{"bad policies", of("", `,"policies":"bad"`), "line 3: archive is malformed: policies: not good"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t)
			_, err := archive.Load(strings.NewReader(c.text), db, options)
			if err == nil != (c.contains == "") || err != nil && (!errors.Is(err, archive.ErrSyntax) || !errors.Is(err, errNotGood) || err.Error() != c.contains) {
				t.Errorf("error %v, want %q", err, c.contains)
			}
			if got := dump(t, db, archive.DumpOptions{}); strings.Contains(got, "bad") {
				t.Errorf("there is\n%s", got)
			}
		})
	}
}

// TestLoadKeepsSettings: on request an archive changes no settings of what exists, such as
// CORS rules. What it creates has the settings that it has there.
func TestLoadKeepsSettings(t *testing.T) {
	of := func(mark, table string) string {
		return head + `{"@sandtable":"account","name":"first1","access":"open","properties":"` + mark + `"}` + "\n" +
			`{"@sandtable":"table","name":"` + table + `","policies":"` + mark + `"}` + "\n" + end(1, 1, 0)
	}
	for keep, want := range map[bool][]string{true: {"own", "own", "strange"}, false: {"strange", "strange", "strange"}} {
		db := openMemory(t)
		for _, text := range []string{of("own", "Some"), of("strange", "Some"), of("strange", "Other")} {
			_, err := archive.Load(strings.NewReader(text), db, archive.LoadOptions{KeepSettings: keep})
			must(t, err)
		}
		must(t, db.View(func(tx *engine.Tx) error {
			account, err := tx.Account("first1")
			if err != nil || account.Properties != want[0] {
				t.Errorf("keep %v: the account has %q, %v", keep, account.Properties, err)
			}
			for i, name := range []string{"Some", "Other"} {
				table, err := tx.Table("first1", name)
				if err != nil || table.Policies() != want[i+1] {
					t.Errorf("keep %v: table %s has %q, %v", keep, name, table.Policies(), err)
				}
			}
			return nil
		}))
	}
}

var errNotGood = errors.New("not good")

func readsGood(document string) error {
	if document != "good" {
		return errNotGood
	}
	return nil
}

func TestLoadUnderAnotherName(t *testing.T) {
	db := openMemory(t)
	_, err := archive.Load(strings.NewReader(head+account+table+row+end(1, 1, 1)), db, archive.LoadOptions{Account: "copy2"})
	must(t, err)
	want := head + strings.Replace(account, "first1", "copy2", 1) + table + row + end(1, 1, 1) + "\n"
	if got := withoutTimestamps(dump(t, db, archive.DumpOptions{})); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
	_, err = archive.Load(strings.NewReader(head+account+account+end(2, 0, 0)), db, archive.LoadOptions{Account: "copy2"})
	if !errors.Is(err, archive.ErrManyAccounts) {
		t.Errorf("two accounts: %v", err)
	}
}

func TestLoadKeys(t *testing.T) {
	given := func(string) [2][]byte { return [2][]byte{[]byte("given")} }
	withKey := strings.Replace(account, `"access"`, `"secondaryKey":"Zmlyc3Q=","access"`, 1)
	for _, c := range []struct {
		name string
		text string
		keys func(string) [2][]byte
		want func([2][]byte) bool
	}{
		{"random", account, nil, func(k [2][]byte) bool { return len(k[0]) == 64 && len(k[1]) == 64 && !bytes.Equal(k[0], k[1]) }},
		{"given", account, given, func(k [2][]byte) bool { return string(k[0]) == "given" && k[1] == nil }},
		{"no keys", account, func(string) (none [2][]byte) { return none }, func(k [2][]byte) bool { return len(k[0]) == 64 }},
		{"in the archive", withKey, given, func(k [2][]byte) bool { return k[0] == nil && string(k[1]) == "first" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t)
			_, err := archive.Load(strings.NewReader(head+c.text+end(1, 0, 0)), db, archive.LoadOptions{Keys: c.keys})
			must(t, err)
			must(t, db.View(func(tx *engine.Tx) error {
				a, err := tx.Account("first1")
				if !c.want(a.Keys) {
					t.Errorf("keys %q", a.Keys)
				}
				return err
			}))
		})
	}
}

// refusing is a storage whose WAL accepts a number of records.
type refusing struct {
	engine.MemoryStorage
	records int
}

func (r *refusing) Append(seq uint64, record []byte) error {
	if r.records--; r.records < 0 {
		return errFull
	}
	return r.MemoryStorage.Append(seq, record)
}

// TestLoadFails: if the store fails, Load reports what was stored, and updates
// have their intended size.
func TestLoadFails(t *testing.T) {
	var text strings.Builder
	text.WriteString(head + account + table)
	for i := range 2500 {
		fmt.Fprintf(&text, `{"PartitionKey":"p","RowKey":"%d"}`+"\n", i)
	}
	text.WriteString(end(1, 1, 2500))
	for _, c := range []struct {
		records, entities int
		contains          string
	}{{3, 1000, "1000 entities starting at line 1004"}, {4, 2000, "500 entities starting at line 2004"}} {
		db, err := engine.Open(&refusing{records: c.records}, engine.Options{})
		must(t, err)
		var last archive.Progress
		report, err := archive.Load(strings.NewReader(text.String()), db, archive.LoadOptions{Progress: func(p archive.Progress) { last = p }})
		if !errors.Is(err, engine.ErrStorage) || !errors.Is(err, errFull) || !strings.Contains(err.Error(), c.contains) {
			t.Errorf("error %v, want one that contains %q", err, c.contains)
		}
		if report.Entities != c.entities || last.Counts != report.Counts || last.Table != "Some" {
			t.Errorf("report %+v, progress %+v, want %d entities", report, last, c.entities)
		}
		must(t, db.Close())
	}
}

// TestLoadOfAFailingReader: the error is returned, and everything before it is
// loaded.
func TestLoadOfAFailingReader(t *testing.T) {
	db := openMemory(t)
	r := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(head)))
	if _, err := archive.Load(r, db, archive.LoadOptions{}); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v", err)
	}
}
