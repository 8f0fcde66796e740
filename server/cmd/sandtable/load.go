//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server"
)

// stdin is load's input without -i.
var stdin io.Reader = os.Stdin

// runLoad loads an archive into a store.
func runLoad(ctx context.Context, args []string, _, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var data storeFlags
	data.register(flags, "the `folder` of the data, created if missing")
	data.options.OnCorruption = func(c engine.Corruption) { fmt.Fprintln(stderr, "corruption:", oneLine(c.String())) }
	var options archive.LoadOptions
	flags.StringVar(&options.Account, "account", "", "the `name` under which to load an archive of one account (default its own name)")
	settings := flags.Bool("settings", false, "also replace the service properties (CORS rules, logging and metrics) of accounts and the access policies of tables that exist")
	input := flags.String("i", "", "the `file` to read (default standard input)")
	if err := parse(flags, args); err != nil {
		return err
	}
	if data.folder == "" {
		return errNoFolder
	}
	// Check the archive first: a wrong file must not leave an empty store behind.
	source := stdin
	if *input != "" {
		file, err := os.Open(*input)
		if err != nil {
			return err
		}
		defer file.Close()
		source = file
	}
	stoppable := readUntilDone(ctx, source)
	defer stoppable.Close()
	source, err := archive.CheckHeader(stoppable)
	if err != nil {
		return err
	}
	db, err := data.open(flags)
	if err != nil {
		return err
	}
	reportCorruption(stderr, db)
	options.KeepSettings = !*settings
	err = loadFrom(db, source, options, stderr)
	if err == nil && len(db.Corruption()) > 0 {
		err = fmt.Errorf("the archive is loaded, but %w", recoveryAdvice(data.folder))
	}
	return errors.Join(err, db.Close())
}

func loadFrom(db *engine.DB, r io.Reader, options archive.LoadOptions, stderr io.Writer) error {
	progress := newProgress(stderr, "loaded")
	options.Progress = progress.show
	if options.Keys == nil {
		options.Keys = wellKnownKeys
	}
	checks := server.DocumentChecks()
	options.Policies, options.Properties = checks.Policies, checks.Properties
	report, err := archive.Load(r, db, options)
	progress.end(err)
	if report.Unchanged > 0 {
		fmt.Fprintf(stderr, "%d of the entities were already in the store.\n", report.Unchanged)
	}
	if err == nil && report.Corruption > 0 {
		err = fmt.Errorf("the archive lacks data that was %w when it was made (blocks and WAL records: %d); everything else is loaded", engine.ErrCorrupt, report.Corruption)
	}
	return err
}

// wellKnownKeys returns the keys that serve gives to the well-known account.
func wellKnownKeys(account string) (none [2][]byte) {
	if account != server.WellKnownAccount {
		return none
	}
	return server.WellKnown(engine.StrictAccess).Keys
}

// readUntilDone returns a reader that fails once the context is done, even while r waits
// for a terminal: the waiting goroutine is abandoned. Otherwise that ends with r, or
// when the reader is closed.
func readUntilDone(ctx context.Context, r io.Reader) io.ReadCloser {
	read, write := io.Pipe()
	stop := context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(write, r)
		write.CloseWithError(err)
	}()
	return read
}
