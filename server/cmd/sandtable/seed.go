//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sandtable/engine"
	"sandtable/engine/archive"
)

// seedFlag is an archive to load into a store without tables.
type seedFlag struct{ path string }

func (f *seedFlag) register(flags *flag.FlagSet) {
	flags.StringVar(&f.path, "seed", "", "an archive `file`, as written by dump, to load into a store without tables")
}

// seedMarker is a file in the data folder while a seed is being loaded. If the process
// is killed, the file stays, and the next one loads the whole seed again, which is
// harmless.
const seedMarker = "seeding"

// load loads the seed, if there is one, unless the store has tables.
func (f *seedFlag) load(ctx context.Context, db *engine.DB, folder string, stderr io.Writer) error {
	if f.path == "" {
		return forget(folder)
	}
	marker := filepath.Join(folder, seedMarker)
	begun := false
	if folder != "" {
		_, err := os.Stat(marker)
		if begun = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-seed: %w", err)
		}
	}
	if !begun && hasTables(db) {
		fmt.Fprintln(stderr, "The store has tables: -seed is ignored.")
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("-seed: %w", err)
	}
	defer file.Close()
	if folder != "" && !begun {
		err := os.WriteFile(marker, nil, 0o600)
		if err == nil {
			err = syncFolder(folder)
		}
		if err != nil {
			return fmt.Errorf("-seed: %w", err)
		}
	}
	source := readUntilDone(ctx, file)
	defer source.Close()
	if err := loadFrom(db, source, archive.LoadOptions{}, stderr); err != nil {
		return fmt.Errorf("-seed %s: %w", f.path, err)
	}
	return forget(folder)
}

// forget removes the marker of a seed, also for a start after a power failure: clients may
// write from now on, and a later seed must not replace that.
func forget(folder string) error {
	if folder == "" {
		return nil
	}
	switch err := os.Remove(filepath.Join(folder, seedMarker)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return syncFolder(folder)
}

// hasTables reports whether an account has a table.
func hasTables(db *engine.DB) (has bool) {
	_ = db.View(func(tx *engine.Tx) error { // fails only if the callback fails
		for account := range tx.Accounts() {
			for range tx.Tables(account.Name, "") {
				has = true
				return nil
			}
		}
		return nil
	})
	return has
}
