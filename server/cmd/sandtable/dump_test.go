//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
	"sandtable/server"
)

// storeWithTwo creates a store with two accounts, each with one table and entity.
func storeWithTwo(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
		err := db.Update(func(tx *engine.Tx) error {
			for _, name := range []string{server.WellKnownAccount, "second2"} {
				err := errors.Join(tx.PutAccount(engine.Account{Name: name, Keys: [2][]byte{[]byte("secret")}}), tx.CreateTable(name, "Kept"))
				if err != nil {
					return err
				}
				table, err := tx.Table(name, "Kept")
				if err != nil {
					return err
				}
				_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: name}, []odata.Property{{Name: "N", Value: odata.Int64Value(7)}})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return folder
}

// runTo runs a command and returns its standard output and error.
func runTo(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	if got := run(t.Context(), args, &out, &errs); got != code {
		t.Errorf("%q: exit code %d, want %d; printed %s", args, got, code, errs.String())
	}
	return out.String(), errs.String()
}

var archivedTimestamp = regexp.MustCompile(`,"Timestamp":"[^"]*"`)

func timeless(dump string) string { return archivedTimestamp.ReplaceAllString(dump, "") }

// setStdin replaces load's standard input until the test ends.
func setStdin(t *testing.T, r io.Reader) {
	t.Helper()
	before := stdin
	stdin = r
	t.Cleanup(func() { stdin = before })
}

func TestDumpAndLoad(t *testing.T) {
	from, to := storeWithTwo(t), filepath.Join(t.TempDir(), "new")
	want, printed := runTo(t, 0, "dump", "-data", from)
	if !strings.HasPrefix(printed, "dumped accounts: 2, tables: 2, entities: 2 (") || strings.Contains(want, "Key\":\"c2") {
		t.Errorf("dumped\n%sprinted %q", want, printed)
	}
	path := filepath.Join(t.TempDir(), "dump.jsonl")
	if out, _ := runTo(t, 0, "dump", "-data", from, "-o", path); out != "" {
		t.Errorf("printed %q in addition to the file", out)
	}
	if file, err := os.ReadFile(path); err != nil || string(file) != want {
		t.Errorf("the file has\n%s%v\nwant\n%s", file, err, want)
	}
	if _, printed := runTo(t, 0, "load", "-data", to, "-i", path); !strings.HasPrefix(printed, "loaded accounts: 2, tables: 2, entities: 2 (") {
		t.Errorf("load printed %q", printed)
	}
	setStdin(t, strings.NewReader(want))
	if _, printed := runTo(t, 0, "load", "-data", to); !strings.Contains(printed, "\n2 of the entities were already in the store.\n") {
		t.Errorf("loaded again, printed %q", printed)
	}
	if got, _ := runTo(t, 0, "dump", "-data", to); timeless(got) != timeless(want) {
		t.Errorf("loaded\n%s\nwant\n%s", got, want)
	}
	withStore(t, to, func(_ *filestorage.Storage, db *engine.DB) {
		err := db.View(func(tx *engine.Tx) error {
			a, err := tx.Account(server.WellKnownAccount)
			if base64.StdEncoding.EncodeToString(a.Keys[0]) != server.WellKnownKey {
				t.Errorf("%s does not have its well-known key", a.Name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestFilesAreDurable: once a dump or a copy has succeeded, the name of its file survives a
// power failure, too.
func TestFilesAreDurable(t *testing.T) {
	from, folder := storeWithTwo(t), t.TempDir()
	var synced []string // what had its name when the folder was synced
	syncFolder = func(path string) error {
		names, err := filepath.Glob(filepath.Join(path, "*"))
		synced = names
		return err
	}
	t.Cleanup(func() { syncFolder = filestorage.SyncFolder })
	for name, args := range map[string][]string{
		"dump.jsonl":  {"dump", "-data", from, "-o"},
		"copy.jsonl":  {"copy", "-from-account", "second2", from},
		"Kept.csv":    {"copy", "-from-account", "second2", from},
		"Kept.ndjson": {"copy", "-from-account", "second2", from},
	} {
		path := filepath.Join(folder, name)
		if runTo(t, exitSuccess, append(args, path)...); !slices.Contains(synced, path) {
			t.Errorf("%s: its folder was not synced after it got its name", name)
		}
	}
}

func TestDumpOfOneAccount(t *testing.T) {
	from, to := storeWithTwo(t), t.TempDir()
	dump, _ := runTo(t, 0, "dump", "-data", from, "-account", "second2", "-keys")
	if strings.Contains(dump, server.WellKnownAccount) || !strings.Contains(dump, `"primaryKey":"c2VjcmV0"`) {
		t.Errorf("dumped\n%s", dump)
	}
	setStdin(t, strings.NewReader(dump))
	runTo(t, 0, "load", "-data", to, "-account", "third3", "-durability", "relaxed")
	if got, _ := runTo(t, 0, "dump", "-data", to, "-keys"); timeless(got) != timeless(strings.Replace(dump, `"name":"second2"`, `"name":"third3"`, 1)) {
		t.Errorf("loaded\n%s\nwant, under another name,\n%s", got, dump)
	}
}

func TestDumpAndLoadRefuse(t *testing.T) {
	from, none := storeWithTwo(t), filepath.Join(t.TempDir(), "none")
	used := storeWithTwo(t)
	s, err := filestorage.Open(used, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	whole, _ := runTo(t, 0, "dump", "-data", from)
	path := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(path, []byte(whole[:len(whole)-20]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		args     []string
		code     int
		contains string
	}{
		{"dump of a database", []string{"dump", "-data", "postgres://me:secret@host/name"}, 2, "sandtable dump: -data is a folder: a database is served with -store, and read and written by \"sandtable copy\"\n"},
		{"dump of a missing store", []string{"dump", "-data", none}, 2, "there is no store in " + none},
		{"dump without a folder", []string{"dump", "-data", ""}, 2, "no data folder: set -data"},
		{"dump of a store in use", []string{"dump", "-data", used}, 2, filestorage.ErrInUse.Error()},
		{"dump of a missing account", []string{"dump", "-data", from, "-account", "nobody"}, 2, `dump account "nobody": account not found`},
		{"dump over a folder", []string{"dump", "-data", from, "-o", t.TempDir()}, 2, "is not a regular file"},
		{"dump into a missing folder", []string{"dump", "-data", from, "-o", filepath.Join(none, "file")}, 2, "none"},
		{"dump with an argument", []string{"dump", "file"}, 2, "unexpected argument \"file\""},
		{"load without a folder", []string{"load", "-data", "", "-i", path}, 2, "no data folder: set -data"},
		{"load into a store in use", []string{"load", "-data", used, "-i", path}, 2, filestorage.ErrInUse.Error()},
		{"load of a file that is not an archive", []string{"load", "-data", none, "-i", os.DevNull}, 2, "not a Sandtable archive"},
		{"load of a missing file", []string{"load", "-data", none, "-i", path + "x"}, 2, path + "x"},
		{"load of a truncated file", []string{"load", "-data", t.TempDir(), "-i", path}, 2, "loaded accounts: 2, tables: 2, entities: 2 ("},
		{"load of two under one name", []string{"load", "-data", t.TempDir(), "-account", "one1", "-i", path}, 2, "line 5: archive has more than one account"},
		{"load with a wrong flag", []string{"load", "-dance"}, 2, "-dance"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, printed := runTo(t, c.code, c.args...); !strings.Contains(printed, c.contains) {
				t.Errorf("printed %q, want %q", printed, c.contains)
			}
		})
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("the refused commands made %s", none)
	}
	if _, help := runTo(t, 0, "load", "-h"); strings.Contains(help, "in memory") {
		t.Errorf("it refuses to keep data in memory, but its help has %q", help)
	}
}

// storeWithBlocks is storeWithTwo with its entities in blocks.
func storeWithBlocks(t *testing.T) (folder string) {
	t.Helper()
	folder = storeWithTwo(t)
	// Every write makes a checkpoint due, and Close waits for it.
	s, err := filestorage.Open(folder, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(s, engine.Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *engine.Tx) error {
		return errors.Join(tx.CreateTable("second2", "Another"), tx.CreateTable(server.WellKnownAccount, "Another"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestDumpOfACorruptStore: readable data is dumped, corrupt data reported, and the
// last good dump kept.
func TestDumpOfACorruptStore(t *testing.T) {
	from, folder := storeWithBlocks(t), t.TempDir()
	path := filepath.Join(folder, "dump.jsonl")
	runTo(t, 0, "dump", "-data", from, "-o", path)
	before, err := os.ReadFile(path)
	if err != nil || bytes.Count(before, []byte("PartitionKey")) != 2 {
		t.Fatalf("dumped, %v,\n%s", err, before)
	}
	breakBlock(t, from)
	for n := 1; n <= 2; n++ { // incomplete dumps do not replace each other
		_, printed := runTo(t, 1, "dump", "-data", from, "-o", path)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("the last dump is now, %v,\n%s", err, after)
		}
		kept, _ := filepath.Glob(path + ".incomplete-*")
		if len(kept) != n || !strings.Contains(printed, "corruption: block ") || !strings.Contains(printed, "the dump lacks data that is corrupt; everything else is in it: see "+path+".incomplete-") {
			t.Fatalf("incomplete dumps %q, printed %q", kept, printed)
		}
		dump, err := os.ReadFile(kept[0])
		if err != nil || bytes.Count(dump, []byte("PartitionKey")) != 1 || !bytes.HasSuffix(dump, []byte(`"entities":1,"corruption":1}`+"\n")) {
			t.Errorf("dumped, %v,\n%s", err, dump)
		}
		if n == 1 {
			continue
		}
		_, printed = runTo(t, 1, "load", "-data", filepath.Join(folder, "new"), "-i", kept[0])
		if !strings.Contains(printed, "loaded accounts: 2, tables: 4, entities: 1 (") || !strings.Contains(printed, "the archive lacks data that was corrupt when it was made (blocks and WAL records: 1)") {
			t.Errorf("load printed %q", printed)
		}
	}
	if left, _ := filepath.Glob(path + ".part-*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	// A dump of the other account lacks nothing.
	dump, _ := runTo(t, 1, "dump", "-data", from)
	sound := "second2"
	if !strings.Contains(dump, `"RowKey":"second2"`) {
		sound = server.WellKnownAccount
	}
	if dump, printed := runTo(t, 0, "dump", "-data", from, "-account", sound); strings.Contains(dump, "corrupt") || strings.Contains(printed, "corrupt") {
		t.Errorf("dumped\n%sprinted %q", dump, printed)
	}
}

// breakBlock corrupts a block of a table's entities.
func breakBlock(t *testing.T, folder string) {
	t.Helper()
	changeStore(t, folder, func(s *filestorage.Storage, d engine.Directory) error {
		for _, b := range d.Blocks {
			if b.Table != 0 { // not the catalog
				return flipBlock(b.ID)(s, d)
			}
		}
		return errors.New("there is no such block")
	})
}

// TestDumpKeepsTheFile: a failed dump leaves the previous file unchanged and creates
// no other.
func TestDumpKeepsTheFile(t *testing.T) {
	from, folder := storeWithTwo(t), t.TempDir()
	path := filepath.Join(folder, "dump.jsonl")
	runTo(t, 0, "dump", "-data", from, "-o", path)
	before, _ := os.ReadFile(path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if code := run(ctx, []string{"dump", "-data", from, "-o", path}, &out, &out); code != 2 {
		t.Errorf("exit code %d", code)
	}
	after, err := os.ReadFile(path)
	if err != nil || len(before) == 0 || !bytes.Equal(before, after) {
		t.Errorf("the file is %q, %v, want %q", after, err, before)
	}
	if entries, err := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestLoadRefusesDocuments: load refuses documents that verify would report.
func TestLoadRefusesDocuments(t *testing.T) {
	to := filepath.Join(t.TempDir(), "new")
	for _, lines := range []string{
		`{"@sandtable":"account","name":"first1","access":"strict","properties":"doc"}`,
		`{"@sandtable":"account","name":"first1","access":"strict"}` + "\n" + `{"@sandtable":"table","name":"Some","policies":"p"}`,
	} {
		setStdin(t, strings.NewReader(`{"@sandtable":"archive","version":1}`+"\n"+lines+"\n"))
		if _, printed := runTo(t, 2, "load", "-data", to); !strings.Contains(printed, "archive is malformed: p") {
			t.Errorf("load printed %q", printed)
		}
		runTo(t, 0, "verify", "-data", to)
	}
}

// TestLoadInterrupted: load ends on cancellation while it waits for input.
func TestLoadInterrupted(t *testing.T) {
	read, write := io.Pipe()
	defer write.Close()
	setStdin(t, read)
	_, stop, printed := start(t, "load", "-data", t.TempDir())
	// It is reading: it consumes what is written.
	if _, err := io.WriteString(write, "{\"@sandtable\":\"archive\",\"version\":1}\n"); err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() { code <- stop() }()
	select {
	case got := <-code:
		if got != 2 || !strings.Contains(printed.String(), context.Canceled.Error()) {
			t.Errorf("exit code %d, printed %q", got, printed)
		}
	case <-time.After(30 * time.Second):
		t.Error("it is still waiting")
	}
}

// TestReadUntilDoneEnds: a load that stops early leaves no goroutine behind.
func TestReadUntilDoneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := readUntilDone(context.Background(), strings.NewReader("unread"))
		synctest.Wait()
		r.Close()
	})
}
