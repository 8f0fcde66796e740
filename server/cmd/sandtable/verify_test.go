//go:build !js

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/engine/filestorage"
	"sandtable/odata"
)

// largeStore creates a store with at least three blocks.
func largeStore(t *testing.T) (folder string) {
	t.Helper()
	folder = storeWithTwo(t)
	withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
		err := db.Update(func(tx *engine.Tx) error {
			table, err := tx.Table("second2", "Kept")
			text := []odata.Property{{Name: "Text", Value: odata.StringValue(strings.Repeat("x", 30_000))}}
			for i := 0; i < 20 && err == nil; i++ {
				_, err = table.Insert(odata.Key{PartitionKey: "large", RowKey: fmt.Sprintf("%02d", i)}, text)
			}
			return err
		})
		if err == nil {
			_, _, err = db.Compact(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return folder
}

// changeStore changes a closed store behind the engine's back.
func changeStore(t *testing.T, folder string, change func(s *filestorage.Storage, d engine.Directory) error) {
	t.Helper()
	s, err := filestorage.Open(folder, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Load()
	if err == nil {
		err = change(s, d)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// flipBlock flips a bit in a block.
func flipBlock(id engine.BlockID) func(*filestorage.Storage, engine.Directory) error {
	return func(s *filestorage.Storage, d engine.Directory) error {
		i := slices.IndexFunc(d.Blocks, func(b engine.BlockInfo) bool { return b.ID == id })
		data, err := s.ReadBlocks([]engine.BlockID{id})
		if err != nil {
			return err
		}
		data[0][len(data[0])-1] ^= 1
		return s.Checkpoint(engine.Checkpoint{Puts: []engine.Block{{BlockInfo: d.Blocks[i], Data: data[0]}}, Meta: d.Meta})
	}
}

// storeFile returns the path of the only file of a kind.
func storeFile(t *testing.T, folder, kind string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, kind+"-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("found %q, %v", found, err)
	}
	return found[0]
}

func TestVerify(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(s *filestorage.Storage, d engine.Directory) error // nil for none
		code     int
		contains []string // one line each
	}{
		{"nothing", nil, 0, []string{"no problems found: accounts: 2, tables: 2, entities: 22, "}},
		{"a block", flipBlock(5), 1, []string{"bad block (block 5) in second2/Kept: corrupt: checksum mismatch"}},
		{"the checkpoint's metadata", func(s *filestorage.Storage, d engine.Directory) error {
			d.Meta[len(d.Meta)-1] ^= 1
			return s.Checkpoint(engine.Checkpoint{Meta: d.Meta})
		}, 1, []string{"bad meta: corrupt: checksum mismatch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := largeStore(t)
			if c.change != nil {
				changeStore(t, folder, c.change)
			}
			out, errs := runTo(t, c.code, "verify", "-data", folder)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			for i, line := range lines {
				if i >= len(c.contains) || !strings.HasPrefix(line, c.contains[i]) {
					t.Errorf("printed %q, want %q", line, c.contains)
				}
			}
			if len(lines) != len(c.contains) || (errs == "") != (c.code == 0) {
				t.Errorf("printed %q, and %q", out, errs)
			}
		})
	}
}

func TestVerifyCannotLook(t *testing.T) {
	folder := storeWithTwo(t)
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"verify", "compact", "salvage", "dump"} {
		_, errs := runTo(t, 2, command, "-data", empty)
		if !strings.Contains(errs, "no store in "+empty) {
			t.Errorf("%s of an empty folder printed %q", command, errs)
		}
		runTo(t, 2, command, "-data", "")
		runTo(t, 2, command, "-data", file)
		runTo(t, 2, command, "-dance")
		if _, errs := runTo(t, 0, command, "-h"); !strings.Contains(errs, "exit codes: 0 ") {
			t.Errorf("%s -h printed %q", command, errs)
		}
		withStore(t, folder, func(*filestorage.Storage, *engine.DB) {
			if _, errs := runTo(t, 2, command, "-data", folder); !strings.Contains(errs, "in use") || !strings.Contains(errs, "Stop that process") {
				t.Errorf("%s of a store in use printed %q", command, errs)
			}
		})
		// A store that needs salvage.
		if _, errs := runTo(t, 1, command, "-data", brokenStore(t)); errs == "" {
			t.Errorf("%s of a corrupt file printed nothing", command)
		}
	}
}

func TestCompactCommand(t *testing.T) {
	folder := largeStore(t)
	withStore(t, folder, func(_ *filestorage.Storage, db *engine.DB) {
		if err := db.Update(func(tx *engine.Tx) error { return tx.DeleteTable("second2", "Kept") }); err != nil {
			t.Fatal(err)
		}
	})
	want, _ := runTo(t, 0, "dump", "-data", folder)
	out, _ := runTo(t, 0, "compact", "-data", folder)
	var blocksBefore, blocksAfter, recordsBefore, recordsAfter int
	var bytesBefore, bytesAfter, before, after float64
	_, err := fmt.Sscanf(out, "before: %d blocks and %d WAL records (%f MB), in files of %f MB\nafter: %d blocks and %d WAL records (%f MB), in files of %f MB\n",
		&blocksBefore, &recordsBefore, &bytesBefore, &before, &blocksAfter, &recordsAfter, &bytesAfter, &after)
	if err != nil || blocksAfter != 2 || recordsAfter != 0 || after >= before {
		t.Errorf("printed %q, %v", out, err)
	}
	if got, _ := runTo(t, 0, "dump", "-data", folder); got != want {
		t.Errorf("dumped %q, want %q", got, want)
	}
	runTo(t, 0, "verify", "-data", folder)
}

// TestSlowProgress: a fast command shows no progress.
func TestSlowProgress(t *testing.T) {
	var out strings.Builder
	p := newSlowProgress(&out)
	p.show("one")
	p.reported = time.Now().Add(-2 * slowEvery)
	p.show("two")
	p.show("three")
	p.end()
	if out.String() != "two\n" {
		t.Errorf("printed %q", out.String())
	}
}

// TestProgress: a log gets one line per second and a summary.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, "loaded")
	at := archive.Progress{Counts: archive.Counts{Accounts: 1, Tables: 1, Entities: 7}, Account: "first1", Table: "Some"}
	p.show(at)
	p.reported = time.Now().Add(-2 * slowEvery)
	p.show(at)
	at.Entities = 8
	p.show(at)
	p.end(nil)
	want := "loaded accounts: 1, tables: 1, entities: 7 (0.0 MB), in first1/Some\nloaded accounts: 1, tables: 1, entities: 8 (0.0 MB)\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	out.Reset()
	newProgress(&out, "dumped").end(errors.New("nothing"))
	if out.Len() > 0 {
		t.Errorf("printed %q in addition to the error", out.String())
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	if isTerminal(nowhere) {
		t.Errorf("%s counts as a terminal", os.DevNull)
	}
}
