//go:build !js

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"sandtable/engine/archive"
)

// progressEvery is how often a terminal is told how far a dump or a load has
// come.
const progressEvery = 200 * time.Millisecond

// progress tells how far a dump or a load has come: a terminal in one line,
// anything else in a line a second, and both at the end.
type progress struct {
	w        io.Writer
	verb     string
	terminal bool
	told     time.Time // or when it began
	last     archive.Progress
}

func newProgress(w io.Writer, verb string) *progress {
	return &progress{w: w, verb: verb, terminal: isTerminal(w), told: time.Now()}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	nowhere, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, nowhere)
}

func (p *progress) show(now archive.Progress) {
	p.last = now
	switch since := time.Since(p.told); {
	case p.terminal && since >= progressEvery:
		fmt.Fprintf(p.w, "\r\x1b[K%s, in %s/%s", p, now.Account, now.Table)
	case !p.terminal && since >= slowEvery:
		fmt.Fprintf(p.w, "%s, in %s/%s\n", p, now.Account, now.Table)
	default:
		return
	}
	p.told = time.Now()
}

// end writes the summary, unless there is nothing but an error to be told.
func (p *progress) end(err error) {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if err == nil || p.last.Counts != (archive.Counts{}) {
		fmt.Fprintln(p.w, p)
	}
}

// String returns the counts in words.
func (p *progress) String() string {
	return fmt.Sprintf("%s accounts: %d, tables: %d, entities: %d (%.1f MB)",
		p.verb, p.last.Accounts, p.last.Tables, p.last.Entities, float64(p.last.Bytes)/1e6)
}

// slowEvery is after how long, and how often, slowProgress says something.
const slowEvery = time.Second

// slowProgress tells how far a command has come that takes longer than a
// second: a terminal in one line, and anything else a line a second.
type slowProgress struct {
	w        io.Writer
	terminal bool
	told     time.Time // or when it began
	shown    bool
}

func newSlowProgress(w io.Writer) *slowProgress {
	return &slowProgress{w: w, terminal: isTerminal(w), told: time.Now()}
}

func (p *slowProgress) show(text string) {
	if time.Since(p.told) < slowEvery {
		return
	}
	p.told, p.shown = time.Now(), true
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	} else {
		fmt.Fprintln(p.w, text)
	}
}

// copied returns what boltstorage tells how much it has copied: until ctx is
// done.
func (p *slowProgress) copied(ctx context.Context) func(int64) error {
	return func(bytes int64) error {
		p.show(fmt.Sprintf("copied: %.1f MB", float64(bytes)/1e6))
		return ctx.Err()
	}
}

// end leaves a terminal's line empty.
func (p *slowProgress) end() {
	if p.terminal && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
