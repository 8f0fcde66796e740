package tables

import (
	"context"
	"iter"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/sample"
	"sandtable/web/ui"
)

// job is tables being written: a clone, or a data set.
type job struct {
	title   string
	sample  bool
	written int
	all     int // 0 if it is not known
	err     error
	done    bool
	stop    context.CancelFunc
}

func (j *job) running() bool { return j != nil && !j.done }

func (j *job) cancel() {
	if j.running() {
		j.stop()
	}
}

// part is a table to be written, as it is read or made.
type part struct {
	table string
	read  func(context.Context, func([]*odata.Entity) error) error // calls f with some entities at a time
}

// run writes parts and goes to a route when all is written.
func (p *Page) run(j *job, parts []part, then page.Route) {
	c, stop := context.WithCancel(p.ctx)
	j.stop = stop
	p.job = j
	at := p.Session.Client(p.Route.Account)
	report := func(n int) { p.ctx.Dispatch(func(app.Context) { j.written += n }) }
	page.Background(p.ctx, func(context.Context) func() {
		err := writeAll(c, at, parts, report)
		return func() {
			j.done, j.err = true, err
			p.Session.Wrote()
			if err == nil {
				p.job = nil
				p.Session.Notify(j.title + ": " + ui.Count(j.written, "entity", "entities"))
				p.Session.Navigate(then)
			}
		}
	})
}

func writeAll(c context.Context, at *client.Client, parts []part, report func(int)) error {
	for _, part := range parts {
		if err := at.CreateTable(c, part.table); err != nil {
			return err
		}
		err := part.read(c, func(some []*odata.Entity) error { return write(c, at, part.table, some, report) })
		if err != nil {
			return err
		}
	}
	return nil
}

// write inserts entities in transactions.
func write(c context.Context, at *client.Client, table string, some []*odata.Entity, report func(int)) error {
	rows := make([]bulk.Row, len(some))
	for i, e := range some {
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Insert, Entity: e}}
	}
	last := 0
	work := &bulk.Job{Client: at, Table: table, Transactions: bulk.Group(rows), Progress: func(now bulk.Progress) {
		report(now.Written - last)
		last = now.Written
	}}
	result := work.Run(c)
	if len(result.Refused) > 0 {
		return result.Refused[0].Err
	}
	return result.Err
}

// atOnce is how many entities are made at a time.
const atOnce = 2000

func generated(all iter.Seq[*odata.Entity]) func(context.Context, func([]*odata.Entity) error) error {
	return func(_ context.Context, f func([]*odata.Entity) error) error {
		var some []*odata.Entity
		for e := range all {
			if some = append(some, e); len(some) == atOnce {
				if err := f(some); err != nil {
					return err
				}
				some = nil
			}
		}
		return f(some)
	}
}

func read(from *client.Client, table string) func(context.Context, func([]*odata.Entity) error) error {
	return func(c context.Context, f func([]*odata.Entity) error) error {
		for next, first := (*client.Continuation)(nil), true; first || next != nil; first = false {
			answer, err := from.Query(c, table, client.Query{From: next})
			if err != nil {
				return err
			}
			some := make([]*odata.Entity, len(answer.Entities))
			for i, e := range answer.Entities {
				some[i] = e.Entity
			}
			if err := f(some); err != nil {
				return err
			}
			next = answer.Next
		}
		return nil
	}
}

func (p *Page) onClone(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.clone()
}

// clone copies the selected table under another name.
func (p *Page) clone() {
	names, entities := p.chosen()
	if len(names) != 1 || p.copyName == "" || p.job.running() {
		return
	}
	name := p.copyName
	p.asking = false
	clear(p.selected)
	p.run(&job{title: "Cloned " + names[0] + " to " + name, all: entities},
		[]part{{name, read(p.Session.Client(p.Route.Account), names[0])}}, page.Route{Account: p.Route.Account, Table: name})
}

// load writes the data set that is chosen.
func (p *Page) load() {
	if p.job.running() {
		return
	}
	set := sample.Sets()[p.set]
	var parts []part
	for _, t := range set.Tables {
		parts = append(parts, part{t.Name, generated(t.Each)})
	}
	p.run(&job{title: "Loaded " + set.Name, sample: true, all: set.Entities()}, parts,
		page.Route{Account: p.Route.Account, Table: set.Tables[0].Name})
}

// drawJob draws how far the job is, or why it ended.
func (p *Page) drawJob() app.UI {
	j := p.job
	if j == nil {
		return app.Div().Hidden(true)
	}
	words := ui.Number(j.written) + " of " + ui.Count(j.all, "entity", "entities") + " written"
	if j.err != nil {
		return ui.Failure(j.err, app.Span().Text(words+", and kept."), ui.Button(ui.Plain, "Close", p.onCloseJob)).DataSet("testid", "job-error")
	}
	return app.Div().Class("selection").Role("status").DataSet("testid", "job").Body(
		app.Span().Text(words), app.Progress().Max(j.all).Value(j.written).Aria("label", words),
		app.Span().Class("grow"), ui.Button(ui.Quiet, "Cancel", p.onCancelJob).DataSet("testid", "cancel-job"))
}

func (p *Page) onCancelJob(app.Context, app.Event) { p.job.cancel() }

func (p *Page) onCloseJob(app.Context, app.Event) { p.job = nil }
