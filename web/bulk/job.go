package bulk

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"sandtable/odata"
	"sandtable/web/client"
)

// Row is one write of a job.
type Row struct {
	client.Operation
	Line int // where the row comes from, for reports; 0 if from no file
}

// Job is a list of transactions for one table.
type Job struct {
	Client *client.Client
	Table  string
	// Transactions are groups of rows of one partition each, at most 100 rows
	// and 4 MiB. Each is written as a whole.
	Transactions [][]Row
	Parallel     int // 0 is that of [Several]
	// Whole says that a row that is refused keeps its whole transaction from being
	// written. Its other rows are refused with [ErrWithOthers].
	Whole bool
	// Progress, if set, is called after each transaction, one call at a time.
	Progress func(Progress)
}

// ErrWithOthers means that a row was not written because another row of its
// transaction was refused.
var ErrWithOthers = errors.New("another entity of its transaction was refused")

// Progress is how far a job is.
type Progress struct {
	Written      int // rows that are durable
	Refused      int
	Transactions int // that are done
	Partition    string
}

// Refused is a row that the service did not accept.
type Refused struct {
	Row
	Err error
}

// Report accounts for every row of a job.
type Report struct {
	Written []Written
	Refused []Refused
	// Left are rows that were not tried, because the job was cancelled or failed.
	Left []Row
	// Err is why the job ended early: the context's error, or that of a request
	// that no other row could have avoided. Rows of that request are in Left,
	// although they may have been written if there was no answer.
	Err error
}

// Written is a row that was written, and its new ETag; "" for a deletion.
type Written struct {
	Row
	Tag string
}

// Run writes all transactions and returns when none is under way. A row that is
// refused does not keep the others of its transaction from being written, unless
// the job is to write them as a whole. Once
// ctx is done, the transactions under way are finished and no other begins.
func (j *Job) Run(ctx context.Context) Report {
	r := run{job: j, ctx: ctx}
	begun := several(ctx, len(j.Transactions), cmp.Or(j.Parallel, parallel), func(i int) bool {
		return r.done(r.write(j.Transactions[i]))
	})
	for _, rows := range j.Transactions[begun:] {
		r.report.Left = append(r.report.Left, rows...)
	}
	if r.report.Err == nil && begun < len(j.Transactions) {
		r.report.Err = ctx.Err()
	}
	return r.report
}

type run struct {
	job *Job
	ctx context.Context

	mu       sync.Mutex // guards what follows
	progress Progress
	report   Report
}

// write writes a transaction, leaving out one refused row after another, or all
// of them.
func (r *run) write(rows []Row) Report {
	var report Report
	rows = slices.Clone(rows)
	for len(rows) > 0 {
		operations := make([]client.Operation, len(rows))
		for i := range rows {
			operations[i] = rows[i].Operation
		}
		// What was sent is to be answered: only then the report is certain.
		tags, err := r.job.Client.Transact(context.WithoutCancel(r.ctx), r.job.Table, operations)
		var failed *client.OperationError
		switch {
		case err == nil:
			for i, row := range rows {
				report.Written = append(report.Written, Written{row, tags[i]})
			}
			return report
		case IsBusy(err), !errors.As(err, &failed), client.HasCode(err, client.CodeTableNotFound):
			report.Left, report.Err = rows, err
			return report
		}
		report.Refused = append(report.Refused, Refused{rows[failed.Index], failed.Err})
		if r.job.Whole {
			for i, row := range rows {
				if i != failed.Index {
					report.Refused = append(report.Refused, Refused{row, ErrWithOthers})
				}
			}
			return report
		}
		rows = slices.Delete(rows, failed.Index, failed.Index+1)
	}
	return report
}

// IsBusy reports whether a request that failed may succeed later.
func IsBusy(err error) bool {
	var refused *client.ServiceError
	return errors.As(err, &refused) && (refused.Status >= 500 || refused.Status == 429)
}

// done adds to the report, and reports whether the job goes on.
func (r *run) done(part Report) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Written = append(r.report.Written, part.Written...)
	r.report.Refused = append(r.report.Refused, part.Refused...)
	r.report.Left = append(r.report.Left, part.Left...)
	if r.report.Err == nil {
		r.report.Err = part.Err
	}
	r.progress.Written += len(part.Written)
	r.progress.Refused += len(part.Refused)
	r.progress.Transactions++
	if len(part.Written) > 0 {
		r.progress.Partition = part.Written[0].Entity.PartitionKey
	}
	if r.job.Progress != nil {
		r.job.Progress(r.progress)
	}
	return r.report.Err == nil
}

// Group cuts rows into transactions: by partition, in the order in which the
// partitions first appear, and at most 100 rows and some 3 MiB each.
func Group(rows []Row) [][]Row {
	var order []string
	byPartition := map[string][]Row{}
	for _, row := range rows {
		key := row.Entity.PartitionKey
		if _, known := byPartition[key]; !known {
			order = append(order, key)
		}
		byPartition[key] = append(byPartition[key], row)
	}
	var all [][]Row
	for _, key := range order {
		for rows := byPartition[key]; len(rows) > 0; {
			n := Cut(len(rows), func(i int) *odata.Entity { return rows[i].Entity })
			all = append(all, rows[:n])
			rows = rows[n:]
		}
	}
	return all
}

// Cut returns how many of n entities, which are ordered by partition, make the first
// transaction.
func Cut(n int, entity func(int) *odata.Entity) int {
	const most, mostBytes = 100, 3 << 20
	size := 0
	for i := range min(n, most) {
		e := entity(i)
		size += 2 * e.Size() // as JSON, with escapes
		if i > 0 && (size > mostBytes || e.PartitionKey != entity(0).PartitionKey) {
			return i
		}
	}
	return min(n, most)
}
