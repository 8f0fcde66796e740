//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"sandtable/engine"
	"sandtable/odata/filter"
	"sandtable/server"
	"sandtable/server/transfer"
)

const copyUsage = `usage: sandtable copy [flags] FROM TO

FROM and TO are each one of
  a connection string             UseDevelopmentStorage=true, AccountName=…;AccountKey=…, …
  an address with a SAS           https://ACCOUNT.table.core.windows.net/?sv=…&sig=…
  a PostgreSQL database           postgres://user@host/name, as of "sandtable serve -store"
  a data folder                   as of "sandtable serve -data"
  an archive                      FILE.jsonl, as dump writes it
  a file of one table's entities  FILE.csv or FILE.ndjson; FILE.jsonl with -table
`

// errDifferent means that a verification found differences.
var errDifferent = errors.New("the target differs from the source")

// errCopyIncomplete means that a copy lacks what its source has lost.
var errCopyIncomplete = fmt.Errorf("the copy lacks data that is %w; everything else is copied", engine.ErrCorrupt)

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
	case f.resume != "" && isArchive(pair[1]) && !isTableFile(pair[1], f.table):
		return "", "", usageError{errors.New("-resume cannot write an archive, which is written as a whole in the end")}
	case f.concurrency < 1:
		return "", "", usageError{errors.New("-concurrency must be at least 1")}
	case f.retryFor < 0:
		return "", "", usageError{errors.New("-retry-for must not be negative")}
	}
	if _, err := filter.Parse(f.filter); f.filter != "" && err != nil {
		return "", "", usageError{fmt.Errorf("-filter: %w", err)}
	}
	for _, pattern := range f.patterns() {
		if _, err := path.Match(pattern, ""); err != nil {
			return "", "", usageError{fmt.Errorf("-tables: %q: %w", pattern, err)}
		}
	}
	return pair[0], pair[1], nil
}

// runCopy copies tables between two endpoints, stores or files.
func runCopy(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f := copyFlags{FlagSet: flag.NewFlagSet("sandtable copy", flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.register()
	fromText, toText, err := f.parsePair(args)
	if err != nil {
		return err
	}
	if isSameFile(fromText, toText) { // of which only one can be opened
		return errSame
	}
	from, err := openSource(ctx, fromText, f.fromAccount, f.table, stderr)
	if err != nil {
		return placeError("FROM", "-from-account", err)
	}
	defer func() { err = errors.Join(err, from.close()) }()
	f.retry(from, stderr)
	if err := f.checkTables(ctx, from, toText); err != nil {
		return err
	}
	to, err := openTarget(ctx, toText, f.toAccount, f.table, f.dryRun, stderr)
	if err != nil {
		return placeError("TO", "-to-account", err)
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := f.checkPlaces(from, to); err != nil {
		return err
	}
	var bad *badRows
	if from.file != nil {
		bad = &badRows{path: from.name, w: stderr}
		from.file.Bad = bad.add
	}
	err = f.copy(ctx, from, to, stdout, stderr)
	if err != nil && !errors.Is(err, engine.ErrCorrupt) { // what is not corrupt is copied
		return err
	}
	if f.verify && !f.dryRun {
		err = errors.Join(err, f.compare(ctx, from, to, stdout, stderr))
	}
	return errors.Join(err, bad.err())
}

var errSame = errors.New("FROM and TO are the same")

// isSameFile reports whether two places are one existing file or folder, under any names.
func isSameFile(from, to string) bool {
	if !isPath(from) || !isPath(to) {
		return false
	}
	one, err1 := os.Stat(from)
	other, err2 := os.Stat(to)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// placeError says which place an error is about, and which flag names its account.
func placeError(place, flag string, err error) error {
	if errors.Is(err, errSeveralAccounts) {
		return fmt.Errorf("%s: %w: name one with %s", place, err, flag)
	}
	return fmt.Errorf("%s: %w", place, err)
}

// checkPlaces refuses what the two places do not allow together.
func (f *copyFlags) checkPlaces(from, to *place) error {
	switch {
	case from.String() == to.String():
		return errSame
	case f.table != "" && from.file == nil && to.file == nil:
		return usageError{errors.New("-table names the table of a CSV or JSON Lines file: select tables with -tables")}
	case (f.policies || f.properties) && (from.client == nil || to.client == nil):
		return usageError{errors.New("a CSV or JSON Lines file has no access policies and no service properties")}
	case from.file != nil && to.file != nil:
		to.file.Table = from.file.Table
	}
	return nil
}

func (f *copyFlags) options(from, to *place, shown *slowProgress, verb string) transfer.Options {
	expected := 0
	if f.filter == "" {
		expected = from.expected(f.takesPart(to))
	}
	return transfer.Options{
		Tables: f.takesPart(to), Filter: f.filter, DryRun: f.dryRun, Concurrency: f.concurrency,
		Progress: func(p transfer.Progress) {
			shown.show(describeCopy(verb, p) + ", in " + p.Table + remaining(p, from, expected))
		},
	}
}

func describeCopy(verb string, p transfer.Progress) string {
	return fmt.Sprintf("%s tables: %d, entities: %d (%.0f/s)", verb, p.Tables, p.Entities, float64(p.Entities)/max(p.Elapsed.Seconds(), 0.001))
}

// remaining returns the estimated time that is left, if the size of the source is
// known.
func remaining(p transfer.Progress, from *place, expected int) string {
	done := float64(p.Entities) / float64(max(expected, 1))
	if from.file != nil {
		done = from.file.Fraction()
	} else if expected == 0 {
		return ""
	}
	if done <= 0 || done > 1 {
		return ""
	}
	left := time.Duration(float64(p.Elapsed) * (1 - done) / done)
	return fmt.Sprintf(", %.0f %%, about %v left", 100*done, left.Round(time.Second))
}

// errNoTable means that the source lacks the table of a file.
var errNoTable = errors.New("the source has no such table")

func (f *copyFlags) copy(ctx context.Context, from, to *place, stdout, stderr io.Writer) error {
	verb := "copied"
	if f.dryRun {
		verb = "would copy"
	}
	shown := newSlowProgress(stderr)
	options := f.options(from, to, shown, verb)
	f.retry(to, stderr)
	if f.resume != "" && !f.dryRun {
		state, err := transfer.OpenState(f.resume, from.String()+from.version, to.String(), f.filter)
		if err != nil {
			return fmt.Errorf("-resume: %w", err)
		}
		options.State = state
		show := options.Progress
		options.Progress = func(p transfer.Progress) {
			show(p)
			if len(from.corruption(options.Tables)) > 0 {
				state.SetLacks()
			}
		}
	}
	did, err := transfer.Copy(ctx, from.source, to.target, options)
	shown.end()
	fmt.Fprintln(stdout, describeCopy(verb, did))
	if err == nil && to.file != nil && did.Tables == 0 && !options.State.HasTable(to.file.Table) {
		err = fmt.Errorf("%s: %w", to.file.Table, errNoTable)
	}
	if err == nil {
		err = f.copySettings(ctx, from, to, options, stdout)
	}
	found := from.corruption(options.Tables)
	for _, c := range found {
		fmt.Fprintln(stderr, "corruption:", oneLine(c.String()))
	}
	missing := len(found)
	if options.State.Lacks() { // it may have been found by an earlier process
		missing = max(missing, 1)
	}
	if err == nil && !f.dryRun {
		err = to.finish(ctx, missing, stderr)
	}
	if err != nil {
		return err
	}
	if err := options.State.Remove(); err != nil || missing == 0 {
		return err
	}
	return errCopyIncomplete
}

// copySettings copies what is no entity.
func (f *copyFlags) copySettings(ctx context.Context, from, to *place, options transfer.Options, stdout io.Writer) error {
	if f.policies {
		n, err := transfer.CopyPolicies(ctx, from.client, to.client, options)
		fmt.Fprintf(stdout, "tables with access policies: %d\n", n)
		if err != nil {
			return err
		}
	}
	if !f.properties {
		return nil
	}
	return transfer.CopyProperties(ctx, from.client, to.client, options)
}

// retry sets how a place's requests are repeated.
func (f *copyFlags) retry(p *place, stderr io.Writer) {
	if p.client == nil {
		return
	}
	p.client.RetryFor = f.retryFor
	p.client.Waiting = func(pause time.Duration, err error) {
		if pause >= time.Second {
			fmt.Fprintf(stderr, "waiting %v: %v\n", pause.Round(100*time.Millisecond), oneLine(err.Error()))
		}
	}
}

// maxDifferences limits the printed differences.
const maxDifferences = 20

func (f *copyFlags) compare(ctx context.Context, from, to *place, stdout, stderr io.Writer) error {
	found := 0
	shown := newSlowProgress(stderr)
	options := f.options(from, to, shown, "compared")
	report := func(d transfer.Difference) bool {
		if found++; found <= maxDifferences {
			fmt.Fprintln(stdout, oneLine(d.String()))
		}
		return true
	}
	did, err := compareWith(ctx, from, to, options, report)
	shown.end()
	fmt.Fprintf(stdout, "%s, differences: %d\n", describeCopy("compared", did), found)
	if err == nil && found > 0 {
		err = errDifferent
	}
	return err
}

// compareWith compares as the places allow: the rows of a file have any order.
func compareWith(ctx context.Context, from, to *place, options transfer.Options, report func(transfer.Difference) bool) (transfer.Progress, error) {
	if from.file == nil && to.file == nil {
		return transfer.Compare(ctx, from.source, to.client, options, report)
	}
	if from.file != nil {
		from.file.Bad = nil // they are reported
	}
	if to.file == nil {
		return transfer.CompareRows(ctx, from.file, to.client, options, report)
	}
	written := &transfer.File{Path: to.file.Path, Table: to.file.Table, Format: to.file.Format}
	defer written.Close()
	if from.file == nil {
		return transfer.Compare(ctx, from.source, written, options, report)
	}
	return transfer.CompareFiles(ctx, from.file, written, options, report)
}

// corruptions collects the corruption that a database finds during a copy.
type corruptions struct {
	mu    sync.Mutex
	found []engine.Corruption
}

func (c *corruptions) add(found engine.Corruption) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, found)
}

func (c *corruptions) list() []engine.Corruption {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.found)
}

// reasons prints why a database refuses requests, which their responses do not say. The
// same reason is printed once.
type reasons struct {
	w    io.Writer
	mu   sync.Mutex
	last string
}

// Finished implements [server.Observer].
func (r *reasons) Finished(record *server.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if record.Reason == "" || record.Reason == r.last || record.Status == http.StatusNotFound {
		return
	}
	r.last = record.Reason
	fmt.Fprintln(r.w, oneLine(record.Reason))
}
