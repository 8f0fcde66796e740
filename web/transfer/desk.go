package transfer

import (
	"context"
	"slices"
	"sync"
	"time"

	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/tabular"
)

// desk holds the imports that were started, by account, table and page, so that a page
// finds its own again. It is used on go-app's goroutine alone.
type desk map[page.Route]*run

// run is an import that was started.
type run struct {
	name       string // of the file
	table      string
	create     bool // makes the table first
	write      client.Write
	source     *tabular.Source
	waiting    []browser.File    // to be imported after it
	problems   []tabular.Problem // of the dry run
	skipped    int               // rows with such problems
	rows       int
	job        *bulk.Job
	partitions []partition // in the order in which they are written
	cancel     context.CancelFunc
	cancelled  bool
	shown      bool // a page shows it
	report     *bulk.Report
	unsaved    error         // why there is no snapshot of what was there before
	ended      time.Duration // how long it took
	before     *bulk.Report  // of the run whose rest this one writes, nil for none

	mu       sync.Mutex
	progress bulk.Progress
	meter    bulk.Meter
}

// partition is a part of an import.
type partition struct {
	key                string
	rows, transactions int
}

// newRun returns a run that writes these transactions.
func newRun(c *client.Client, table string, transactions [][]bulk.Row) *run {
	r := &run{table: table, cancel: func() {}}
	r.job = &bulk.Job{Client: c, Table: table, Transactions: transactions, Progress: r.note}
	for _, transaction := range r.job.Transactions {
		key := transaction[0].Entity.PartitionKey
		if last := len(r.partitions) - 1; last < 0 || r.partitions[last].key != key {
			r.partitions = append(r.partitions, partition{key: key})
		}
		p := &r.partitions[len(r.partitions)-1]
		p.rows += len(transaction)
		r.rows += len(transaction)
		p.transactions++
	}
	return r
}

// again returns a run that writes the rows that this one has left.
func (r *run) again(c *client.Client) *run {
	next := newRun(c, r.table, bulk.Group(r.report.Left))
	next.name, next.create, next.write, next.source = r.name, r.create, r.write, r.source
	next.waiting, next.problems, next.skipped, next.ended = r.waiting, r.problems, r.skipped, r.ended
	if !client.HasCode(r.report.Err, client.CodeTableNotFound) { // else what was written is gone
		next.before = r.report
	}
	return next
}

// perform writes everything. It waits until that is done.
func (r *run) perform(ctx context.Context) bulk.Report {
	r.mu.Lock()
	r.meter.Note(time.Now(), 0)
	r.mu.Unlock()
	if r.create {
		err := r.job.Client.CreateTable(ctx, r.table)
		if err != nil && !client.HasCode(err, client.CodeTableAlreadyExists) {
			report := bulk.Report{Err: err}
			for _, rows := range r.job.Transactions {
				report.Left = append(report.Left, rows...)
			}
			return report
		}
	}
	return r.job.Run(ctx)
}

// end keeps the report, with that of the run before, and of the rows only those that can
// be saved or written again: a run is kept until the next one of its table.
func (r *run) end(report bulk.Report, took time.Duration) {
	if b := r.before; b != nil {
		report.Written, report.Refused = append(b.Written, report.Written...), append(b.Refused, report.Refused...)
	}
	clear(report.Written) // their number counts
	r.report, r.before, r.ended, r.job, r.partitions = &report, nil, r.ended+took, nil, nil
	if len(r.lines()) == 0 {
		r.source = nil
	}
}

// note is called after each transaction, on any goroutine.
func (r *run) note(p bulk.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = p
	r.meter.Note(time.Now(), p.Written+p.Refused)
}

// state is a copy of what a page draws of a run.
type state struct {
	bulk.Progress
	rate      float64
	rates     []float64
	remaining time.Duration
	elapsed   time.Duration
}

func (r *run) state() state {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.progress.Written + r.progress.Refused
	r.meter.Note(time.Now(), done) // nothing may have been written for a while
	return state{Progress: r.progress, rate: r.meter.Rate(), rates: append([]float64(nil), r.meter.Rates()...),
		remaining: r.meter.Remaining(r.rows - done), elapsed: r.meter.Elapsed(time.Now())}
}

// lines returns the lines of the rows that were not written, in order.
func (r *run) lines() []int {
	var all []int
	for _, p := range r.problems {
		all = append(all, p.Line)
	}
	for _, row := range r.report.Refused {
		all = append(all, row.Line)
	}
	for _, row := range r.report.Left {
		all = append(all, row.Line)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fill returns how much of each partition is written, from 0 to 1, given how
// many transactions are done: they are written in this order.
func fill(partitions []partition, done int) (parts []float64, complete int) {
	for _, p := range partitions {
		part := 0.0
		if p.transactions > 0 {
			part = min(1, float64(max(0, done))/float64(p.transactions))
		}
		if part == 1 {
			complete++
		}
		parts = append(parts, part)
		done -= p.transactions
	}
	return parts, complete
}
