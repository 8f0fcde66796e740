//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"sandtable/engine"
	"sandtable/server"
)

// errCorrupt means that problems were found, each of which was printed.
var errCorrupt = fmt.Errorf("the store is %w", engine.ErrCorrupt)

// recoveryAdvice returns an error that explains how to recover from corruption in a
// store that opens. The store stays corrupt, because corrupt data is kept.
func recoveryAdvice(folder string) error {
	return fmt.Errorf("%w\n\"sandtable dump -keys -data %s | sandtable load -data NEW\" creates a store with the readable data in the folder NEW", errCorrupt, folder)
}

// runVerify checks a whole store and prints one line per problem. It writes nothing: a
// checkpoint would hide problems in the WAL.
func runVerify(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable verify", flag.ContinueOnError)
	flags.SetOutput(stderr)
	data := storeFlags{options: engine.Options{CheckpointAfter: -1}}
	data.registerFolder(flags, "the `folder` of the data")
	if err := parse(flags, args); err != nil {
		return err
	}
	db, err := openExisting(&data, flags)
	switch {
	case errors.Is(err, engine.ErrCorrupt):
		fmt.Fprintln(stdout, oneLine(err.Error()))
		return errCorrupt
	case err != nil:
		return err
	}
	report, err := walk(ctx, db, nil, stderr)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	for _, f := range report.Problems {
		fmt.Fprintln(stdout, oneLine(f.String()))
	}
	if len(report.Problems) > 0 {
		return recoveryAdvice(data.folder)
	}
	fmt.Fprintln(stdout, "no problems found:", counted(report))
	return nil
}

// walk verifies an open store and shows its progress. It calls table for each table,
// see [engine.VerifyOptions].
func walk(ctx context.Context, db *engine.DB, table func(account, table string, entities int), stderr io.Writer) (engine.Report, error) {
	progress := newSlowProgress(stderr)
	defer progress.end()
	options := server.DocumentChecks()
	options.Table = table
	options.Progress = func(r engine.Report) { progress.show(counted(r)) }
	return db.Verify(ctx, options)
}

// counted formats what was verified.
func counted(r engine.Report) string {
	return fmt.Sprintf("accounts: %d, tables: %d, entities: %d, blocks: %d (%.1f MB), WAL records: %d",
		r.Accounts, r.Tables, r.Entities, r.Blocks, float64(r.Bytes)/1e6, r.Records)
}
