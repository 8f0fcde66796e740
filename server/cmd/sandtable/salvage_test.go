//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
	"sandtable/server"
)

// brokenStore creates a store with a table in its WAL and removes its block file.
func brokenStore(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	withStore(t, folder, func(s *filestorage.Storage, db *engine.DB) {
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
		// Its only block is an orphan.
		block := engine.Block{Data: make([]byte, 10_000)}
		block.ID, block.Table, block.Size = 77, 99, len(block.Data)
		if err := errors.Join(err, s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{block}})); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.Remove(storeFile(t, folder, "blocks")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestSalvage(t *testing.T) {
	folder := brokenStore(t)
	dump, _ := runTo(t, 0, "dump", "-data", storeWithTwo(t))
	setStdin(t, strings.NewReader(dump))
	steps := []struct {
		name     string
		args     []string
		code     int
		contains []string
	}{
		{"served", []string{"serve", "-data", folder, "-addr", "127.0.0.1:0"}, 1, []string{"corrupt: blocks-", "sandtable salvage -data " + folder}},
		{"salvaged", []string{"salvage", "-data", folder}, 1, []string{
			"lost: corrupt: blocks-", " is missing", "contains what could be read", "corrupt: orphan block (block 77)", "left: devstoreaccount1/Kept with 1 entity\n",
		}},
		{"again", []string{"salvage", "-data", folder}, 1, []string{"are complete", "corrupt: orphan block (block 77)", "sandtable dump "}},
		{"load", []string{"load", "-data", folder}, 1, []string{"corruption: block 77 ", "the archive is loaded, but the store is corrupt", "sandtable dump "}},
		{"compacted", []string{"compact", "-data", folder}, 1, []string{"after: ", "corrupt, kept: block 77 ", "sandtable dump "}},
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
			for _, want := range step.contains {
				if !strings.Contains(out.String(), want) {
					t.Errorf("printed %q, want %q", out.String(), want)
				}
			}
		})
	}
}

// TestSalvageOfNothing: if nothing can be salvaged, the error names the alternatives.
func TestSalvageOfNothing(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "wal-1-1"), make([]byte, 5230), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, printed := runTo(t, 1, "salvage", "-data", folder); !strings.Contains(printed, "Start with another folder") {
		t.Errorf("it printed %q", printed)
	}
}

// TestMaintenanceStopped: interrupted commands print what to do and leave the blocks
// unchanged.
func TestMaintenanceStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for command, folder := range map[string]string{"salvage": brokenStore(t), "compact": largeStore(t), "verify": largeStore(t)} {
		before, _ := filepath.Glob(filepath.Join(folder, "blocks-*"))
		var out strings.Builder
		if code := run(ctx, []string{command, "-data", folder}, &out, &out); code != 2 || !strings.Contains(out.String(), "Run it again to finish") {
			t.Errorf("%s: exit code %d, printed %q", command, code, &out)
		}
		if after, _ := filepath.Glob(filepath.Join(folder, "blocks-*")); !slices.Equal(before, after) {
			t.Errorf("%s left %q, want %q", command, after, before)
		}
	}
}

// TestSalvageReadsAll: lost entities are not counted as left, even if the files are
// complete, and the recommended commands create a sound store.
func TestSalvageReadsAll(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(t *testing.T, folder string)
		contains []string
		lost     bool // whether entities are known to be lost
	}{
		{"a block in a complete file", func(t *testing.T, folder string) { changeStore(t, folder, flipBlock(5)) },
			[]string{"are complete", "bad block (block 5) in second2/Kept: corrupt: checksum mismatch"}, true},
		{"no WAL", func(t *testing.T, folder string) {
			if err := os.Remove(storeFile(t, folder, "wal")); err != nil {
				t.Fatal(err)
			}
		}, []string{"lost: corrupt: the WAL is missing", "contains what could be read", "bad meta: ", "the newest writes may be missing"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder, another := largeStore(t), filepath.Join(t.TempDir(), "new")
			c.change(t, folder)
			out, errs := runTo(t, 1, "salvage", "-data", folder)
			for _, want := range c.contains {
				if !strings.Contains(out, want) {
					t.Errorf("printed %q, want %q", out, want)
				}
			}
			missing := sumOf(t, out, `missing: (\d+) entit`)
			left := sumOf(t, out, `left: \S+ with (\d+) entit`)
			if (missing > 0) != c.lost || missing+left != 22 {
				t.Errorf("%d entities missing and %d left, want 22 together: %s", missing, left, out)
			}
			if want := "sandtable dump -keys -data " + folder + " | sandtable load -data NEW"; !strings.Contains(errs, want) {
				t.Errorf("printed %q, want %q", errs, want)
			}
			last := errs[strings.Index(errs, "sandtable salvage: "):] // follows progress, if there was time for any
			if _, printed := runTo(t, 1, "verify", "-data", folder); !strings.HasSuffix(printed, strings.Replace(last, " salvage: ", " verify: ", 1)) {
				t.Errorf("verify printed %q, want %q", printed, last)
			}
			// Both report data that is missing or may be.
			dump, _ := runTo(t, 1, "dump", "-keys", "-data", folder)
			setStdin(t, strings.NewReader(dump))
			runTo(t, 1, "load", "-data", another)
			if out, _ := runTo(t, 0, "verify", "-data", another); !strings.Contains(out, fmt.Sprintf("accounts: 2, tables: 2, entities: %d,", left)) {
				t.Errorf("the new store: %s", out)
			}
		})
	}
}

// sumOf adds the numbers that a pattern matches.
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
