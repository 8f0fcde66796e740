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

// errDamaged is a store in which something was found, each in a line.
var errDamaged = fmt.Errorf("the store is %w", engine.ErrCorrupt)

// wayOut says what is to be done about a store that can be opened and is
// damaged: it stays so, since what is damaged is kept.
func wayOut(folder string) error {
	return fmt.Errorf("%w\n\"sandtable dump -keys -data %s | sandtable load -data NEW\" makes a store of what can be read, in the folder NEW", errDamaged, folder)
}

// runVerify checks a whole store and prints one line per problem. Nothing is
// written: a checkpoint would hide what the log has.
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
		return errDamaged
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
		return wayOut(data.folder)
	}
	fmt.Fprintln(stdout, "nothing is wrong with", counted(report))
	return nil
}

// walk verifies a store that is open, and says meanwhile how far it is. Table is
// told of each table, see [engine.VerifyOptions].
func walk(ctx context.Context, db *engine.DB, table func(account, table string, entities int), stderr io.Writer) (engine.Report, error) {
	progress := newSlowProgress(stderr)
	defer progress.end()
	options := server.DocumentChecks()
	options.Table = table
	options.Progress = func(r engine.Report) { progress.show(counted(r)) }
	return db.Verify(ctx, options)
}

// counted says in words what was looked at.
func counted(r engine.Report) string {
	return fmt.Sprintf("accounts: %d, tables: %d, entities: %d, in blocks: %d (%.1f MB), records of the log: %d",
		r.Accounts, r.Tables, r.Entities, r.Blocks, float64(r.Bytes)/1e6, r.Records)
}
