//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/odata"
	"sandtable/server"
)

// brokenStore makes a store with a table in its log, and breaks the page of its
// blocks.
func brokenStore(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	withStore(t, folder, func(s *boltstorage.Storage, db *engine.DB) {
		_, err := putAccounts(db, nil, engine.StrictAccess)
		if err == nil {
			err = db.Update(func(tx *engine.Tx) error {
				if err := tx.CreateTable(server.WellKnownAccount, "Kept"); err != nil {
					return err
				}
				table, err := tx.Table(server.WellKnownAccount, "Kept")
				if err == nil {
					_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: "r"}, nil)
				}
				return err
			})
		}
		// The page is one of blocks that nothing refers to.
		block := engine.Block{Data: make([]byte, 10_000)}
		block.ID, block.Table, block.Size = 77, 99, len(block.Data)
		if err := errors.Join(err, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{block}})); err != nil {
			t.Fatal(err)
		}
	})
	path := filepath.Join(folder, boltstorage.FileName)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var at int64
	err = db.View(func(tx *bbolt.Tx) error {
		at = int64(tx.Bucket([]byte("blocks")).RootPage()) * int64(db.Info().PageSize)
		return nil
	})
	file, openErr := os.OpenFile(path, os.O_RDWR, 0)
	if err := errors.Join(err, db.Close(), openErr); err != nil || at == 0 {
		t.Fatalf("the page is at %d, %v", at, err)
	}
	_, err = file.WriteAt(make([]byte, 16), at)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestSalvage(t *testing.T) {
	folder := brokenStore(t)
	dump, _ := runTo(t, 0, "dump", "-data", storeWithTwo(t))
	setStdin(t, strings.NewReader(dump))
	steps := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"served", []string{"serve", "-data", folder, "-addr", "127.0.0.1:0"}, 1, []string{"corrupt: page ", "sandtable salvage -data " + folder}},
		{"salvaged", []string{"salvage", "-data", folder}, 1, []string{
			"lost: corrupt: page ", "made anew", ".damaged-1", "damaged: orphan block (block 77)", "left: devstoreaccount1/Kept with 1 entity\n",
		}},
		{"again", []string{"salvage", "-data", folder}, 1, []string{"is whole; nothing was changed", "damaged: orphan block (block 77)", "sandtable dump "}},
		{"loaded into", []string{"load", "-data", folder}, 1, []string{"corruption: block 77 ", "the archive is loaded, but the store is corrupt", "sandtable dump "}},
		{"compacted", []string{"compact", "-data", folder}, 1, []string{"after: ", "damaged, and kept: block 77 ", "sandtable dump "}},
		{"no store", []string{"salvage", "-data", filepath.Join(folder, "none")}, 2, []string{"sandtable salvage: there is no store in "}},
		{"no folder", []string{"salvage", "-data", ""}, 2, []string{"no data folder: set -data"}},
		{"wrong flag", []string{"salvage", "-dance"}, 2, []string{"-dance"}},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			var out strings.Builder
			if code := run(t.Context(), step.args, &out, &out); code != step.code {
				t.Errorf("exit code %d, want %d", code, step.code)
			}
			for _, want := range step.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("said %q, want %q", out.String(), want)
				}
			}
		})
	}
}

// TestSalvageOfNothing: where nothing can be saved it says what is left to do.
func TestSalvageOfNothing(t *testing.T) {
	folder := largeStore(t)
	if err := os.Truncate(filepath.Join(folder, boltstorage.FileName), 5230); err != nil {
		t.Fatal(err)
	}
	if _, said := runTo(t, 1, "salvage", "-data", folder); !strings.Contains(said, "Begin in another folder") {
		t.Errorf("it said %q", said)
	}
}

// TestUpkeepStopped: salvage and compact end when they are told to, say what to
// do, and leave the store as it was.
func TestUpkeepStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for command, folder := range map[string]string{"salvage": brokenStore(t), "compact": largeStore(t), "verify": largeStore(t)} {
		path := filepath.Join(folder, boltstorage.FileName)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if code := run(ctx, []string{command, "-data", folder}, &out, &out); code != 2 || !strings.Contains(out.String(), "Run it again to finish") {
			t.Errorf("%s: exit code %d, said %q", command, code, &out)
		}
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s has changed the file, %v", command, err)
		}
	}
}

// TestSalvageWithoutLog: a store whose log somebody has removed is not served
// as if nothing were missing.
func TestSalvageWithoutLog(t *testing.T) {
	folder := largeStore(t)
	path := filepath.Join(folder, boltstorage.FileName+".log-1")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, errs := runTo(t, 1, "serve", "-data", folder, "-addr", "127.0.0.1:0")
	if !strings.Contains(errs, "sandtable.db.log-1 is missing") || !strings.Contains(errs, "sandtable salvage -data "+folder) {
		t.Errorf("said %q", errs)
	}
	out, _ := runTo(t, 1, "verify", "-data", folder)
	if !strings.Contains(out, "sandtable.db.log-1 is missing") {
		t.Errorf("verify said %q", out)
	}
	out, errs = runTo(t, 1, "salvage", "-data", folder)
	if !strings.Contains(errs, "the store was corrupt; nothing is wrong with what is left") {
		t.Errorf("said %q", errs)
	}
	for _, want := range []string{"lost: corrupt: sandtable.db.log-1 is missing", "is made anew", "left: second2/Kept with 21 entities"} {
		if !strings.Contains(out, want) || strings.Contains(out, "kept as it was") {
			t.Errorf("said %q, want %q", out, want)
		}
	}
	runTo(t, 0, "verify", "-data", folder)
}

// TestSalvageReadsAll: what is gone is not counted as left, also where the file
// itself has nothing wrong; and the way out that is named leads to a store
// without damage.
func TestSalvageReadsAll(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		says   []string
	}{
		{"a block in a whole file", func(t *testing.T, folder string) {
			inFile(t, folder, inBucket("blocks", 4, func(b *bbolt.Bucket, key, value []byte) error {
				value[len(value)-1] ^= 1
				return b.Put(key, value)
			}))
		}, []string{"is whole; nothing was changed", "bad block (block 5) in second2/Kept: corrupt: checksum mismatch"}},
		{"a page of blocks", breakPage, []string{"lost: corrupt: page ", "is made anew", "missing block (block "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, another := largeStore(t), filepath.Join(t.TempDir(), "new")
			c.damage(t, folder)
			out, errs := runTo(t, 1, "salvage", "-data", folder)
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("said %q, want %q", out, want)
				}
			}
			missing := sumOf(t, out, `missing: (\d+) entit`)
			left := sumOf(t, out, `left: \S+ with (\d+) entit`)
			if missing == 0 || missing+left != 22 {
				t.Errorf("of 22 entities %d are missing and %d left: %s", missing, left, out)
			}
			if want := "sandtable dump -keys -data " + folder + " | sandtable load -data NEW"; !strings.Contains(errs, want) {
				t.Errorf("said %q, want %q", errs, want)
			}
			last := errs[strings.Index(errs, "sandtable salvage: "):] // behind how far it was, where that took long
			if _, said := runTo(t, 1, "verify", "-data", folder); !strings.HasSuffix(said, strings.Replace(last, " salvage: ", " verify: ", 1)) {
				t.Errorf("verify said %q, not %q", said, last)
			}
			dump, _ := runTo(t, 1, "dump", "-keys", "-data", folder)
			setStdin(t, strings.NewReader(dump))
			runTo(t, 1, "load", "-data", another) // it says that the dump lacks something
			if out, _ := runTo(t, 0, "verify", "-data", another); !strings.Contains(out, fmt.Sprintf("accounts: 2, tables: 2, entities: %d,", left)) {
				t.Errorf("the new store: %s", out)
			}
		})
	}
}

// breakPage overwrites the beginning of the first page that goes on in others:
// there are blocks in it.
func breakPage(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, boltstorage.FileName)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	err = db.View(func(tx *bbolt.Tx) error {
		for id := 2; at == 0; id++ {
			page, err := tx.Page(id)
			if err != nil || page == nil {
				return errors.Join(err, errors.New("there is no such page"))
			}
			if page.Type == "leaf" && page.OverflowCount > 0 {
				at = int64(id * db.Info().PageSize)
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(make([]byte, 16), at)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// sumOf adds up the numbers that a pattern finds.
func sumOf(t *testing.T, text, pattern string) (sum int) {
	t.Helper()
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
