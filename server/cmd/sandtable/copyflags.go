//go:build !js

package main

import (
	"flag"
	"time"
)

// copyFlags are the flags of copy.
type copyFlags struct {
	*flag.FlagSet
	fromAccount, toAccount string
	tables, table          string
	listed                 []string // the tables of FROM, if -tables selects some
	filter                 string
	dryRun, verify         bool
	policies, properties   bool
	resume                 string
	concurrency            int
	retryFor               time.Duration
}

func (f *copyFlags) register() {
	f.StringVar(&f.fromAccount, "from-account", "", "the `name` of the account in FROM, if that is a store with several")
	f.StringVar(&f.toAccount, "to-account", "", "the `name` of the account in TO, which is created if it is a store without it")
	f.StringVar(&f.tables, "tables", "", "copy only these tables: `names`, or patterns such as Orders*, with commas between them")
	f.StringVar(&f.table, "table", "", "the `name` of the table in a CSV or JSON Lines file (default the name of the file)")
	f.StringVar(&f.filter, "filter", "", "copy only entities that match this `$filter`")
	f.BoolVar(&f.dryRun, "dry-run", false, "read everything, write nothing")
	f.BoolVar(&f.verify, "verify", false, "compare both sides afterwards, entity by entity; the exit code is 1 if they differ")
	f.BoolVar(&f.policies, "policies", false, "also copy the stored access policies of the tables")
	f.BoolVar(&f.properties, "properties", false, "also copy the service properties: CORS rules, logging and metrics")
	f.StringVar(&f.resume, "resume", "", "record progress in this `file`, and resume from it if it exists; a complete copy removes it")
	f.IntVar(&f.concurrency, "concurrency", 8, "number of `transactions` to write at once")
	f.DurationVar(&f.retryFor, "retry-for", 5*time.Minute, "how long to retry a request that is refused as busy or gets no response")
}
