package transfer

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
)

// promotion copies tables of an account to one of another endpoint. Its two steps
// are the dry run, which reads both sides and writes nothing, and the copy, which can be
// continued after a failure.
type promotion struct {
	target
	from, to *client.Client
	cancel   context.CancelFunc
	pause    func(context.Context, time.Duration) // before a repeated request

	mu      sync.Mutex
	now     promotionState // state fills in the rates and the remaining time
	started time.Time
	meter   bulk.Meter
}

// promotionState is how far a promotion is.
type promotionState struct {
	tables         []promoted
	at             int // the table being read or copied
	checked, ended bool
	err            error // why it ended early
	took           time.Duration
	expected       int // entities, from the dry run
	rate           float64
	rates          []float64
	remaining      time.Duration
}

// promoted is a table.
type promoted struct {
	name     string
	read     int // by the dry run
	exists   bool
	replaced int // entities that the target has under the same keys
	written  int
	refused  []bulk.Refused
	next     *client.Continuation // of the first page that is not written
	begun    bool
	done     bool
}

func newPromotion(from, to *client.Client, there target, names []string) *promotion {
	p := &promotion{target: there, from: from, to: to, cancel: func() {}, pause: sleep}
	for _, name := range names {
		p.now.tables = append(p.now.tables, promoted{name: name})
	}
	return p
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// state returns a copy of what is drawn.
func (p *promotion) state() promotionState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.now
	s.tables, s.rate, s.rates = slices.Clone(s.tables), p.meter.Rate(), slices.Clone(p.meter.Rates())
	if !s.ended {
		s.took = time.Since(p.started)
	}
	s.remaining = p.meter.Remaining(max(0, s.expected-s.done()))
	return s
}

// done returns how many entities the step has dealt with.
func (s *promotionState) done() int {
	read, written, refused := s.totals()
	if s.checked {
		return written + refused
	}
	return read
}

func (s *promotionState) totals() (read, written, refused int) {
	for _, t := range s.tables {
		read += t.read
		written += t.written
		refused += len(t.refused)
	}
	return read, written, refused
}

// replaced returns how many entities of the target are replaced.
func (s *promotionState) replaced() (n int) {
	for _, t := range s.tables {
		n += t.replaced
	}
	return n
}

// change changes a table's entry, and measures the rate.
func (p *promotion) change(i int, f func(*promoted)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.at = i
	f(&p.now.tables[i])
	p.meter.Note(time.Now(), p.now.done())
}

// begin begins a step.
func (p *promotion) begin(checked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.checked, p.now.ended, p.now.err = checked, false, nil
	p.started, p.meter = time.Now(), bulk.Meter{}
	p.meter.Note(p.started, 0)
}

// end ends a step.
func (p *promotion) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.ended, p.now.err, p.now.took = true, err, time.Since(p.started)
	if !p.now.checked && err == nil {
		p.now.expected, _, _ = p.now.totals()
	}
}

// check is the dry run.
func (p *promotion) check(ctx context.Context) {
	p.begin(false)
	p.end(p.checkAll(ctx))
}

func (p *promotion) checkAll(ctx context.Context) error {
	there := map[string]bool{}
	if p.only != "" {
		there[strings.ToLower(p.only)] = true
	} else {
		names, err := p.to.Tables(ctx)
		if err != nil {
			return err
		}
		for _, name := range names {
			there[strings.ToLower(name)] = true
		}
	}
	for i := range p.now.tables {
		name := p.now.tables[i].name
		p.change(i, func(t *promoted) { t.read, t.replaced, t.exists = 0, 0, there[strings.ToLower(name)] })
		if err := p.compare(ctx, i, there[strings.ToLower(name)]); err != nil {
			return err
		}
	}
	return nil
}

// compare counts the entities of a table, and those that the target has under the
// same keys. Both sides are in the order of their keys.
func (p *promotion) compare(ctx context.Context, i int, exists bool) error {
	name := p.now.tables[i].name
	target := noKeys
	if exists {
		target = keysOf(ctx, p.to, name)
	}
	next, stop := iter.Pull2(target)
	defer stop()
	there, err, more := next()
	read, same := 0, 0
	for key, failed := range keysOf(ctx, p.from, name) {
		if failed != nil {
			return failed
		}
		for more && err == nil && there.Compare(key) < 0 {
			there, err, more = next()
		}
		if err != nil {
			return err
		}
		if read++; more && there == key {
			same++
		}
		if read%odata.MaxPageSize == 0 {
			p.change(i, func(t *promoted) { t.read, t.replaced = read, same })
		}
	}
	p.change(i, func(t *promoted) { t.read, t.replaced = read, same })
	return nil
}

func noKeys(func(odata.Key, error) bool) {}

// keysOf returns the keys of a table, page by page.
func keysOf(ctx context.Context, c *client.Client, table string) iter.Seq2[odata.Key, error] {
	return func(yield func(odata.Key, error) bool) {
		stopped := errors.New("stopped")
		err := bulk.Each(ctx, c, table, client.Query{Select: "PartitionKey,RowKey"}, func(all []client.Entity) error {
			for _, e := range all {
				if !yield(e.Key(), nil) {
					return stopped
				}
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(odata.Key{}, err)
		}
	}
}

// copy writes what is not written yet.
func (p *promotion) copy(ctx context.Context) {
	p.begin(true)
	p.end(p.copyAll(ctx))
}

func (p *promotion) copyAll(ctx context.Context) error {
	for i := range p.now.tables {
		if p.now.tables[i].done {
			continue
		}
		if err := p.copyTable(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (p *promotion) copyTable(ctx context.Context, i int) error {
	t := p.now.tables[i] // this goroutine alone changes it
	if !t.begun && p.only == "" {
		err := p.to.CreateTable(ctx, t.name)
		if err != nil && !client.HasCode(err, client.CodeTableAlreadyExists) {
			return err
		}
	}
	p.change(i, func(t *promoted) { t.begun = true })
	for next := t.next; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, err := p.from.Query(ctx, t.name, client.Query{From: next})
		if err != nil {
			return err
		}
		report, err := p.write(ctx, t.name, page.Entities)
		if err != nil {
			return err
		}
		next = page.Next
		p.change(i, func(t *promoted) {
			t.written += len(report.Written)
			t.refused = append(t.refused, report.Refused...)
			t.next, t.done = next, next == nil
		})
		if next == nil {
			return nil
		}
	}
}

// Busy endpoints are asked again, for about a minute in all.
const (
	firstRetry = time.Second
	lastRetry  = 32 * time.Second
)

// write writes a page of entities. It repeats transactions that an endpoint was too
// busy for.
func (p *promotion) write(ctx context.Context, table string, entities []client.Entity) (all bulk.Report, err error) {
	rows := make([]bulk.Row, len(entities))
	for i, e := range entities {
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Replace, Entity: e.Entity}}
	}
	for pause := firstRetry; ; pause *= 2 {
		job := bulk.Job{Client: p.to, Table: table, Transactions: bulk.Group(rows)}
		report := job.Run(ctx)
		all.Written = append(all.Written, report.Written...)
		all.Refused = append(all.Refused, report.Refused...)
		if report.Err == nil || !bulk.IsBusy(report.Err) || pause > lastRetry || ctx.Err() != nil {
			return all, report.Err
		}
		rows = report.Left
		p.pause(ctx, pause)
	}
}
