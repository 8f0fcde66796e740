//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/server/transfer"
)

const copyUsage = `usage: sandtable copy [flags] FROM TO

FROM and TO are each one of
  a connection string             UseDevelopmentStorage=true, AccountName=…;AccountKey=…, …
  an address with a SAS           https://ACCOUNT.table.core.windows.net/?sv=…&sig=…
  a PostgreSQL database           postgres://user@host/name, as of "sandtable serve -store"
  a data folder                   as of "sandtable serve -data"
  an archive                      FILE.jsonl, as dump writes it
`

// errDifferent is the result of a verification that found differences.
var errDifferent = fmt.Errorf("the target is %w: it differs from the source", engine.ErrCorrupt)

// copyFlags are the flags of copy.
type copyFlags struct {
	*flag.FlagSet
	fromAccount, toAccount string
	tables                 string
	filter                 string
	dryRun, verify         bool
	resume                 string
	concurrency            int
	retryFor               time.Duration
}

func (f *copyFlags) register() {
	f.StringVar(&f.fromAccount, "from-account", "", "the `name` of the account in FROM, if that is a store with several")
	f.StringVar(&f.toAccount, "to-account", "", "the `name` of the account in TO, which is created if it is a store without it")
	f.StringVar(&f.tables, "tables", "", "copy only these tables: `names`, or patterns such as Orders*, with commas between them")
	f.StringVar(&f.filter, "filter", "", "copy only entities that match this `$filter`")
	f.BoolVar(&f.dryRun, "dry-run", false, "read everything, write nothing")
	f.BoolVar(&f.verify, "verify", false, "compare both sides afterwards, entity by entity; the exit code is 1 if they differ")
	f.StringVar(&f.resume, "resume", "", "record progress in this `file`, and resume from it if it exists; a complete copy removes it")
	f.IntVar(&f.concurrency, "concurrency", 8, "number of `transactions` to write at once")
	f.DurationVar(&f.retryFor, "retry-for", 5*time.Minute, "how long to retry a request that is refused as busy or gets no response")
}

// parsePair parses the flags, which may be before, between and after FROM and TO.
func (f *copyFlags) parsePair(args []string) (from, to string, err error) {
	var pair []string
	output := f.Output()
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	for len(args) > 0 && err == nil {
		if err = f.Parse(args); err == nil && f.NArg() > 0 {
			pair = append(pair, f.Arg(0))
			args = f.Args()[1:]
		} else {
			args = nil
		}
	}
	f.SetOutput(output)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(output, copyUsage)
		f.PrintDefaults()
		fmt.Fprintln(output, exitCodes)
		return "", "", err
	case err != nil:
		return "", "", usageError{err}
	case len(pair) != 2:
		return "", "", usageError{errors.New("want FROM and TO")}
	case f.resume != "" && isArchive(pair[1]):
		return "", "", usageError{errors.New("-resume cannot write an archive, which is written as a whole in the end")}
	case f.concurrency < 1:
		return "", "", usageError{errors.New("-concurrency must be at least 1")}
	}
	for pattern := range strings.SplitSeq(f.tables, ",") {
		if _, err := path.Match(pattern, ""); err != nil {
			return "", "", usageError{fmt.Errorf("-tables: %q: %w", pattern, err)}
		}
	}
	return pair[0], pair[1], nil
}

// selected reports whether -tables names a table, ignoring case.
func (f *copyFlags) selected(name string) bool {
	if f.tables == "" {
		return true
	}
	for pattern := range strings.SplitSeq(strings.ToLower(f.tables), ",") {
		if ok, _ := path.Match(strings.TrimSpace(pattern), strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}

// runCopy copies tables between two endpoints or stores.
func runCopy(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f := copyFlags{FlagSet: flag.NewFlagSet("sandtable copy", flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.register()
	fromText, toText, err := f.parsePair(args)
	if err != nil {
		return err
	}
	from, err := openSource(ctx, fromText, f.fromAccount, stderr)
	if err != nil {
		return fmt.Errorf("FROM: %w", err)
	}
	defer func() { err = errors.Join(err, from.close()) }()
	to, err := openTarget(ctx, toText, f.toAccount, f.dryRun, stderr)
	if err != nil {
		return fmt.Errorf("TO: %w", err)
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if from.String() == to.String() {
		return errors.New("FROM and TO are the same")
	}
	if err := f.copy(ctx, from, to, stdout, stderr); err != nil {
		return err
	}
	if err := to.finish(ctx, stderr); err != nil || !f.verify || f.dryRun {
		return err
	}
	return f.compare(ctx, from.client, to.client, stdout, stderr)
}

func (f *copyFlags) options(w io.Writer, verb string) transfer.Options {
	shown := newSlowProgress(w)
	return transfer.Options{
		Tables: f.selected, Filter: f.filter, DryRun: f.dryRun, Concurrency: f.concurrency,
		Progress: func(p transfer.Progress) { shown.show(describeCopy(verb, p) + ", in " + p.Table) },
	}
}

func describeCopy(verb string, p transfer.Progress) string {
	return fmt.Sprintf("%s tables: %d, entities: %d (%.0f/s)", verb, p.Tables, p.Entities, float64(p.Entities)/max(p.Elapsed.Seconds(), 0.001))
}

func (f *copyFlags) copy(ctx context.Context, from, to *place, stdout, stderr io.Writer) error {
	verb := "copied"
	if f.dryRun {
		verb = "would copy"
	}
	options := f.options(stderr, verb)
	for _, c := range []*transfer.Client{from.client, to.client} {
		c.RetryFor = f.retryFor
		c.Waiting = func(pause time.Duration, err error) {
			if pause >= time.Second {
				fmt.Fprintf(stderr, "waiting %v: %v\n", pause.Round(100*time.Millisecond), oneLine(err.Error()))
			}
		}
	}
	if f.resume != "" && !f.dryRun {
		state, err := transfer.OpenState(f.resume, from.String(), to.String(), f.filter)
		if err != nil {
			return fmt.Errorf("-resume: %w", err)
		}
		options.State = state
	}
	did, err := transfer.Copy(ctx, from.client, to.client, options)
	fmt.Fprintln(stdout, describeCopy(verb, did))
	if err != nil {
		return err
	}
	return options.State.Remove()
}

// maxDifferences limits the printed differences.
const maxDifferences = 20

func (f *copyFlags) compare(ctx context.Context, from, to *transfer.Client, stdout, stderr io.Writer) error {
	found := 0
	did, err := transfer.Compare(ctx, from, to, f.options(stderr, "compared"), func(d transfer.Difference) bool {
		if found++; found <= maxDifferences {
			fmt.Fprintln(stdout, oneLine(d.String()))
		}
		return true
	})
	fmt.Fprintf(stdout, "%s, differences: %d\n", describeCopy("compared", did), found)
	if err == nil && found > 0 {
		err = errDifferent
	}
	return err
}
