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

// progress shows the progress of a dump or a load, as slowProgress does, and a summary
// at the end.
type progress struct {
	*slowProgress
	verb string
	last archive.Progress
}

func newProgress(w io.Writer, verb string) *progress {
	return &progress{slowProgress: newSlowProgress(w), verb: verb}
}

func (p *progress) show(now archive.Progress) {
	p.last = now
	p.slowProgress.show(fmt.Sprintf("%s, in %s/%s", p, now.Account, now.Table))
}

// end writes the summary, unless the command failed before it did anything.
func (p *progress) end(err error) {
	p.slowProgress.end()
	if err == nil || p.last.Counts != (archive.Counts{}) {
		fmt.Fprintln(p.w, p)
	}
}

// String returns the counts.
func (p *progress) String() string {
	return fmt.Sprintf("%s accounts: %d, tables: %d, entities: %d (%.1f MB)",
		p.verb, p.last.Accounts, p.last.Tables, p.last.Entities, float64(p.last.Bytes)/1e6)
}

// slowEvery is the delay before the first line of slowProgress and between lines;
// terminalEvery is the delay between updates of a terminal's line.
const (
	slowEvery     = time.Second
	terminalEvery = 200 * time.Millisecond
)

// slowProgress shows the progress of a command that takes longer than a second, on a
// terminal in one line, otherwise in one line per second.
type slowProgress struct {
	w        io.Writer
	terminal bool
	reported time.Time // last, or the start
	shown    bool
}

func newSlowProgress(w io.Writer) *slowProgress {
	return &slowProgress{w: w, terminal: isTerminal(w), reported: time.Now()}
}

func (p *slowProgress) show(text string) {
	every := slowEvery
	if p.terminal && p.shown {
		every = terminalEvery
	}
	if time.Since(p.reported) < every {
		return
	}
	p.reported, p.shown = time.Now(), true
	text = oneLine(text) // an endpoint chooses the names of its tables
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	} else {
		fmt.Fprintln(p.w, text)
	}
}

// copied returns the progress callback for [filestorage.Compact], which fails once
// the context is done.
func (p *slowProgress) copied(ctx context.Context) func(int64) error {
	return func(bytes int64) error {
		p.show(fmt.Sprintf("copied: %.1f MB", float64(bytes)/1e6))
		return ctx.Err()
	}
}

// end clears the terminal's line.
func (p *slowProgress) end() {
	if p.terminal && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
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
