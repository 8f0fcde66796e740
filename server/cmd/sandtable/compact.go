//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// runCompact makes a store and its files as small as possible.
func runCompact(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable compact", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var data storeFlags
	data.registerFolder(flags, "the `folder` of the data")
	if err := parse(flags, args); err != nil {
		return err
	}
	db, err := openExisting(&data, flags)
	if err != nil {
		return err
	}
	progress := newSlowProgress(stderr)
	before, after, err := db.Compact(ctx, func(u engine.Usage) { progress.show(u.String()) })
	progress.end()
	corruption := db.Corruption()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	sizeBefore, sizeAfter, err := filestorage.Compact(data.folder, filestorage.Options{}, progress.copied(ctx))
	progress.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "before: %v, in files of %.1f MB\nafter: %v, in files of %.1f MB\n",
		before, float64(sizeBefore)/1e6, after, float64(sizeAfter)/1e6)
	for _, d := range corruption {
		fmt.Fprintln(stderr, "corrupt, kept:", oneLine(d.String()))
	}
	if len(corruption) > 0 {
		return recoveryAdvice(data.folder)
	}
	return nil
}
