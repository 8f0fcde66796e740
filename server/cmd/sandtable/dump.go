//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/engine/filestorage"
)

// runDump writes a store as an archive. It makes no checkpoint, as runVerify makes none.
func runDump(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable dump", flag.ContinueOnError)
	flags.SetOutput(stderr)
	data := storeFlags{options: engine.Options{CheckpointAfter: -1}}
	data.registerFolder(flags, "the `folder` of the data")
	var options archive.DumpOptions
	flags.StringVar(&options.Account, "account", "", "the `name` of the only account to dump (default all)")
	flags.BoolVar(&options.Keys, "keys", false, "also dump the accounts' keys, with which anybody can sign requests")
	output := flags.String("o", "", "the `file` to write; it appears once it is complete (default standard output)")
	if err := parse(flags, args); err != nil {
		return err
	}
	db, err := openExisting(&data, flags)
	if err != nil {
		return err
	}
	err = dumpTo(ctx, db, *output, options, stdout, stderr)
	return errors.Join(err, db.Close())
}

// errIncomplete means that a dump lacks corrupt data: better than no dump, but not a
// success.
var errIncomplete = fmt.Errorf("the dump lacks data that is %w; everything else is in it", engine.ErrCorrupt)

// errNoFolder means that a command needs a store.
var errNoFolder = errors.New("no data folder: set -data")

// errNotFolder means that -data names a database, whose URL may have a password.
var errNotFolder = errors.New("-data is a folder: a database is served with -store, and read and written by \"sandtable copy\"")

// openExisting opens a store, but does not create one.
func openExisting(data *storeFlags, flags *flag.FlagSet) (*engine.DB, error) {
	if err := data.mustExist(); err != nil {
		return nil, err
	}
	return data.open(flags)
}

// mustExist returns an error if the folder has no store.
func (f *storeFlags) mustExist() error {
	if f.folder == "" {
		return errNoFolder
	}
	if isDatabase(f.folder) {
		return errNotFolder
	}
	switch exists, err := filestorage.Exists(f.folder); {
	case err != nil:
		return fmt.Errorf("look for a store in %s: %w", f.folder, err)
	case !exists:
		return fmt.Errorf("there is no store in %s", f.folder)
	}
	return nil
}

func dumpTo(ctx context.Context, db *engine.DB, path string, options archive.DumpOptions, stdout, stderr io.Writer) error {
	progress := newProgress(stderr, "dumped")
	options.Progress = progress.show
	write := func(w io.Writer) error {
		missing, err := archive.Dump(untilDone{ctx, w}, db, options)
		progress.end(err)
		for _, c := range missing {
			fmt.Fprintln(stderr, "corruption:", oneLine(c.String()))
		}
		if err == nil && len(missing)+options.Missing > 0 {
			err = errIncomplete
		}
		return err
	}
	if path == "" {
		return write(stdout)
	}
	return replaceFile(path, write)
}

// syncFolder makes a file's name survive a power failure. Tests replace it.
var syncFolder = filestorage.SyncFolder

// replaceFile writes a file and replaces the old one once the new one is complete and
// synced. An incomplete dump never replaces it but gets another name. Only the owner
// may read the file, as with a store.
func replaceFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return err
	}
	err = write(file)
	var missing error
	if errors.Is(err, errIncomplete) {
		// Numbered, so that it does not replace another incomplete dump, which may
		// contain what this one lacks.
		path += ".incomplete" + file.Name()[strings.LastIndexByte(file.Name(), '-'):]
		missing, err = fmt.Errorf("%w: see %s", errIncomplete, path), nil
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return errors.Join(missing, syncFolder(filepath.Dir(path)))
}

// untilDone is a writer that fails once its context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

// Write writes, or returns the context's error.
func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
