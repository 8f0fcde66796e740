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
	"sandtable/engine/boltstorage"
)

// runDump writes a store as an archive.
func runDump(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable dump", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var data storeFlags
	data.registerFolder(flags, "the `folder` of the data")
	var options archive.DumpOptions
	flags.StringVar(&options.Account, "account", "", "the `name` of the only account to dump (default all)")
	flags.BoolVar(&options.Keys, "keys", false, "dump the accounts' keys too: whoever has them can sign requests")
	output := flags.String("o", "", "the `file` to write, which is there when it is complete (default standard output)")
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

// errMissing is a dump that lacks what is damaged: better than none, but no
// success.
var errMissing = fmt.Errorf("what is %w is not in the dump, all else is", engine.ErrCorrupt)

// errNoFolder is a command that needs a store, and was told of none.
var errNoFolder = errors.New("say with -data where the data are")

// openExisting opens a store, and makes none.
func openExisting(data *storeFlags, flags *flag.FlagSet) (*engine.DB, error) {
	if err := data.mustExist(); err != nil {
		return nil, err
	}
	return data.open(flags)
}

// mustExist refuses a folder without a store.
func (f *storeFlags) mustExist() error {
	if f.folder == "" {
		return errNoFolder
	}
	if _, err := os.Stat(filepath.Join(f.folder, boltstorage.FileName)); err != nil {
		return fmt.Errorf("there is no store in %s: %w", f.folder, err)
	}
	return nil
}

func dumpTo(ctx context.Context, db *engine.DB, path string, options archive.DumpOptions, stdout, stderr io.Writer) error {
	progress := newProgress(stderr, "dumped")
	options.Progress = progress.show
	write := func(w io.Writer) error {
		missing, err := archive.Dump(untilDone{ctx, w}, db, options)
		progress.end(err)
		for _, d := range missing {
			fmt.Fprintln(stderr, "damaged:", oneLine(d.String()))
		}
		if err == nil && len(missing) > 0 {
			err = errMissing
		}
		return err
	}
	if path == "" {
		return write(stdout)
	}
	return replaceFile(path, write)
}

// replaceFile has write make a file. What was there before stays until the new
// one is complete and on the disk: one from which something is missing gets
// another name beside it. It is for its owner alone, as a store is.
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
	if errors.Is(err, errMissing) {
		// The temporary name's number keeps it from the place of another such one,
		// which may have what this one lacks.
		path += ".damaged" + file.Name()[strings.LastIndexByte(file.Name(), '-'):]
		missing, err = fmt.Errorf("%w: it is in %s", errMissing, path), nil
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
	return missing
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
