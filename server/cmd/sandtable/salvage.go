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

// runSalvage opens a store that serve refuses as corrupt, quarantines corrupt files
// and describes the remaining data: even complete files can have corrupt blocks.
func runSalvage(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable salvage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var data storeFlags
	data.registerFolder(flags, "the `folder` of the data")
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := data.mustExist(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	storage, err := filestorage.Open(data.folder, filestorage.Options{Quarantine: true})
	if errors.Is(err, engine.ErrCorrupt) {
		return fmt.Errorf("%w\nNothing can be salvaged, and the folder is unchanged. Start with another folder, from a backup or an older dump if there is one", err)
	}
	if err != nil {
		return err
	}
	lost, kept := storage.Quarantined()
	if err := storage.Close(); err != nil {
		return err
	}
	for _, err := range lost {
		fmt.Fprintln(stdout, "lost:", oneLine(err.Error()))
	}
	if len(lost) == 0 {
		fmt.Fprintf(stdout, "The files in %s are complete.\n", data.folder)
	} else {
		fmt.Fprintf(stdout, "The store in %s now contains what could be read.\n", data.folder)
	}
	for _, path := range kept {
		fmt.Fprintln(stdout, "quarantined:", path)
	}
	report, err := describeStore(ctx, data.folder, stdout, stderr)
	switch {
	case err != nil:
		return err
	case len(report.Problems) > 0:
		return recoveryAdvice(data.folder)
	case len(lost) > 0:
		return fmt.Errorf("the store was %w; the remaining data is sound", engine.ErrCorrupt)
	}
	return nil
}

// describeStore reads a whole store and prints what is missing and what is left. It
// changes nothing.
func describeStore(ctx context.Context, folder string, stdout, stderr io.Writer) (report engine.Report, err error) {
	storage, err := filestorage.Open(folder, filestorage.Options{})
	if err != nil {
		return report, err
	}
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: -1})
	if err != nil {
		return report, errors.Join(fmt.Errorf("open store %s: %w", folder, err), storage.Close())
	}
	var left []string
	report, err = walk(ctx, db, func(account, table string, entities int) {
		left = append(left, fmt.Sprintf("left: %s/%s with %s", account, table, entitiesOf(entities)))
	}, stderr)
	if err := errors.Join(err, db.Close()); err != nil {
		return report, err
	}
	for _, f := range report.Problems {
		if f.Entities > 0 {
			fmt.Fprintf(stdout, "missing: %s, %s\n", entitiesOf(f.Entities), oneLine(f.String()))
		} else {
			fmt.Fprintln(stdout, "corrupt:", oneLine(f.String()))
		}
	}
	for _, line := range left {
		fmt.Fprintln(stdout, line)
	}
	return report, nil
}

// entitiesOf formats a number of entities.
func entitiesOf(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return fmt.Sprintf("%d entities", n)
}
