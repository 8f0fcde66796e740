//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
	"sandtable/server"
)

// errDamaged is a store in which verify found something, each in a line.
var errDamaged = errors.New("the store is damaged")

// runVerify walks a store and says what is not as it should be. Nothing is
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
	case errors.Is(err, engine.ErrDamaged):
		fmt.Fprintln(stdout, oneLine(err.Error()))
		return errDamaged
	case err != nil:
		return cannotLook(err)
	}
	progress := newSlowProgress(stderr)
	options := server.DocumentChecks()
	options.Progress = func(r engine.Report) { progress.show(counted(r)) }
	report, err := db.Verify(ctx, options)
	progress.end()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	for _, f := range report.Findings {
		fmt.Fprintln(stdout, oneLine(f.String()))
	}
	if len(report.Findings) > 0 {
		return errDamaged
	}
	fmt.Fprintln(stdout, "nothing is wrong with", counted(report))
	return nil
}

// counted says in words what was looked at.
func counted(r engine.Report) string {
	return fmt.Sprintf("accounts: %d, tables: %d, entities: %d, in blocks: %d (%.1f MB), records of the log: %d",
		r.Accounts, r.Tables, r.Entities, r.Blocks, float64(r.Bytes)/1e6, r.Records)
}

// cannotLook gives a store that cannot be opened, because it is not there or
// another process has it, the exit code of a wrong command line: nobody knows
// whether anything is wrong with it.
func cannotLook(err error) error {
	if errors.Is(err, boltstorage.ErrInUse) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFolder) {
		return &exitError{2, err}
	}
	return err
}
