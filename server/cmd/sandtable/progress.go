//go:build !js

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"sandtable/engine/archive"
)

// progressEvery is how often a terminal is told how far a command has come.
const progressEvery = 200 * time.Millisecond

// progress tells how far a dump or a load has come: a terminal now and then, in
// one line, and anything else at the end.
type progress struct {
	w        io.Writer
	verb     string
	terminal bool
	told     time.Time
	last     archive.Progress
}

func newProgress(w io.Writer, verb string) *progress {
	p := &progress{w: w, verb: verb}
	if file, ok := w.(*os.File); ok {
		info, err := file.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *progress) show(now archive.Progress) {
	p.last = now
	if p.terminal && time.Since(p.told) >= progressEvery {
		p.told = time.Now()
		fmt.Fprintf(p.w, "\r\x1b[K%s, in %s/%s", p, now.Account, now.Table)
	}
}

// end writes the summary.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	fmt.Fprintln(p.w, p)
}

// String returns the counts in words.
func (p *progress) String() string {
	return fmt.Sprintf("%s accounts: %d, tables: %d, entities: %d (%.1f MB)",
		p.verb, p.last.Accounts, p.last.Tables, p.last.Entities, float64(p.last.Bytes)/1e6)
}
