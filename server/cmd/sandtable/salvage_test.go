//go:build !js

package main

import (
	"errors"
	"os"
	"path/filepath"
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
		_, err := putAccounts(db, nil, engine.Strict)
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
	steps := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"served", []string{"serve", "-data", folder, "-addr", "nowhere:nothing"}, 1, []string{"damaged: page ", "sandtable salvage -data " + folder}},
		{"salvaged", []string{"salvage", "-data", folder}, 0, []string{
			"lost: damaged: page ", "made anew", ".damaged-1", "missing: block 77 ", "left: devstoreaccount1/Kept with 1 entities",
		}},
		{"again", []string{"salvage", "-data", folder}, 0, []string{"is whole; nothing was changed"}},
		{"no store", []string{"salvage", "-data", filepath.Join(folder, "none")}, 1, []string{"sandtable salvage: salvage store "}},
		{"no folder", []string{"salvage", "-data", ""}, 1, []string{"say with -data"}},
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

// TestSalvageWithoutLog: a store whose log somebody has removed is not served
// as if nothing were missing.
func TestSalvageWithoutLog(t *testing.T) {
	folder := largeStore(t)
	path := filepath.Join(folder, boltstorage.FileName+".log-1")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, errs := runTo(t, 1, "serve", "-data", folder, "-addr", "nowhere:nothing")
	if !strings.Contains(errs, "sandtable.db.log-1 is missing") || !strings.Contains(errs, "sandtable salvage -data "+folder) {
		t.Errorf("said %q", errs)
	}
	out, _ := runTo(t, 1, "verify", "-data", folder)
	if !strings.Contains(out, "sandtable.db.log-1 is missing") {
		t.Errorf("verify said %q", out)
	}
	out, _ = runTo(t, 0, "salvage", "-data", folder)
	for _, want := range []string{"lost: damaged: sandtable.db.log-1 is missing", "is made anew", "left: second2/Kept with 21 entities"} {
		if !strings.Contains(out, want) || strings.Contains(out, "kept as it was") {
			t.Errorf("said %q, want %q", out, want)
		}
	}
	runTo(t, 0, "verify", "-data", folder)
}
