package tables

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/sample"
	"sandtable/web/ui"
)

// job is tables being written: a clone, or a data set.
type job struct {
	success string // what the message about its end says, such as "Cloned A to B"
	failure string // the same of a job that ended early
	sample  bool
	written atomic.Int64
	all     int   // 0 if it is not known
	err     error // why it ended early; a job that succeeds is forgotten
	stop    context.CancelFunc
	page    *Page // that shows it; nil without one
}

// words say how far the job is.
func (j *job) words() string {
	return humanize.Number(int(j.written.Load())) + " of " + humanize.Count(j.all, "entity", "entities") + " written"
}

// part is a table to be written, as it is read or made.
type part struct {
	table string
	read  func(context.Context, func([]*odata.Entity) error) error // calls f with some entities at a time
}

// run writes parts and goes to a route when all is written. Without the page it goes on.
func (p *Page) run(j *job, parts []part, then page.Route) {
	c, stop := context.WithCancel(context.Background())
	j.stop, j.page = stop, p
	account := p.Route.Account
	p.jobs[account] = j
	at, stay := p.Session.Client(account), browser.AskToStay()
	p.Session.Background(func(context.Context) func() {
		err := writeAll(c, at, parts, func(n int) { j.written.Add(int64(n)) })
		if err != nil && c.Err() != nil {
			err = c.Err() // whatever the cancelled request says
		}
		return func() {
			stop()
			stay()
			j.err = err
			p.Session.WroteTo(account)
			switch {
			case err == nil:
				delete(p.jobs, account)
				p.Session.Notify(j.success + ": " + humanize.Count(int(j.written.Load()), "entity", "entities"))
				if j.page != nil {
					p.Session.Navigate(then)
				}
			case j.page == nil:
				p.Session.Notify(j.failure + ": " + j.words() + ", and kept.")
			}
		}
	})
	page.Follow(p.ctx, p.running)
}

// running reports whether a job of the account is running.
func (p *Page) running() bool { j := p.job(); return j != nil && j.err == nil }

func (p *Page) job() *job { return p.jobs[p.Route.Account] }

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
		return bulk.Each(c, from, table, client.Query{}, func(page []client.Entity) error {
			some := make([]*odata.Entity, len(page))
			for i, e := range page {
				some[i] = e.Entity
			}
			return f(some)
		})
	}
}

func (p *Page) onClone(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.clone()
}

// clone copies the selected table under another name.
func (p *Page) clone() {
	names, entities := p.chosen()
	if len(names) != 1 || p.copyName == "" || p.running() {
		return
	}
	name := p.copyName
	p.asking = false
	clear(p.selected)
	p.run(&job{success: "Cloned " + names[0] + " to " + name, failure: names[0] + " was not cloned completely", all: entities},
		[]part{{name, read(p.Session.Client(p.Route.Account), names[0])}}, page.Route{Account: p.Route.Account, Table: name})
}

// load writes the data set that is chosen.
func (p *Page) load() {
	if p.running() {
		return
	}
	set := sample.Sets()[p.set]
	var parts []part
	for _, t := range set.Tables {
		parts = append(parts, part{t.Name, generated(t.Each)})
	}
	p.run(&job{success: "Loaded " + set.Name, failure: set.Name + " was not loaded completely", sample: true, all: set.Entities()}, parts,
		page.Route{Account: p.Route.Account, Table: set.Tables[0].Name})
}

// drawJob draws how far the job is, or why it ended.
func (p *Page) drawJob() app.UI {
	j := p.job()
	if j == nil {
		return app.Div().Hidden(true)
	}
	if j.err == context.Canceled {
		return app.Div().Class("selection").Role("status").DataSet("testid", "job-stopped").Body(
			app.Span().Text("Stopped: "+j.words()+", and kept."), app.Span().Class("grow"), ui.Button(ui.Quiet, "Close", p.onCloseJob))
	}
	if j.err != nil {
		return ui.Failure(j.err, app.Span().Text(j.words()+", and kept."), ui.Button(ui.Plain, "Close", p.onCloseJob)).DataSet("testid", "job-error")
	}
	return app.Div().Class("selection").Role("status").DataSet("testid", "job").Body(
		app.Span().Text(j.words()), app.Progress().Max(j.all).Value(int(j.written.Load())).Aria("label", j.words()),
		app.Span().Class("grow"), ui.Button(ui.Quiet, "Cancel", p.onCancelJob).DataSet("testid", "cancel-job"))
}

func (p *Page) onCancelJob(app.Context, app.Event) {
	if p.running() {
		p.job().stop()
	}
}

func (p *Page) onCloseJob(app.Context, app.Event) { delete(p.jobs, p.Route.Account) }
