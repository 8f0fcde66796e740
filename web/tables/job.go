package tables

import (
	"context"
	"iter"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/sample"
)

// sampleJob is the kind of a job that loads a data set.
const sampleJob = "sample"

// part is a table to be written, as it is read or made.
type part struct {
	table string
	read  func(context.Context, func([]*odata.Entity) error) error // calls f with some entities at a time
}

// write writes parts, and goes to a route when all is written. Without the page it goes
// on. done and failed are what the messages about its end begin with.
func (p *Page) write(j *page.Job, parts []part, done, failed string, then page.Route) {
	j.One, j.Many, j.Verb, j.Rest = "entity", "entities", "written", ", and kept."
	at := p.Session.Client(p.Route.Account)
	p.begin(j, failed, func(c context.Context) error {
		return writeAll(c, at, parts, func(n int) { j.Add(n) })
	}, func(shown bool) {
		p.Session.Notify(done + ": " + humanize.Count(j.Done(), "entity", "entities"))
		if shown {
			p.Session.Navigate(then)
		}
	})
}

// begin starts a job. It calls done at the end, or else says that it failed unless a
// page shows that.
func (p *Page) begin(j *page.Job, failed string, work func(context.Context) error, done func(shown bool)) {
	account := p.Route.Account
	p.kept.jobs.Start(p.Session, p.Route, j, work, func(err error) {
		shown := p.kept.page != nil && p.kept.page.Route.Account == account
		switch {
		case err == nil:
			done(shown)
		case !shown:
			p.Session.Notify(failed + ": " + j.Words() + j.Rest)
		}
	})
}

// running reports whether a job of the account is running.
func (p *Page) running() bool { return p.kept.jobs.Running(p.Route, "") }

func writeAll(c context.Context, at *client.Client, parts []part, report func(int)) error {
	for _, part := range parts {
		if err := at.CreateTable(c, part.table); err != nil {
			return err
		}
		err := part.read(c, func(some []*odata.Entity) error { return insert(c, at, part.table, some, report) })
		if err != nil {
			return err
		}
	}
	return nil
}

// insert inserts entities in transactions.
func insert(c context.Context, at *client.Client, table string, some []*odata.Entity, report func(int)) error {
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
	p.write(&page.Job{All: entities}, []part{{name, read(p.Session.Client(p.Route.Account), names[0])}},
		"Cloned "+names[0]+" to "+name, names[0]+" was not cloned completely", page.Route{Account: p.Route.Account, Table: name})
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
	p.write(&page.Job{Kind: sampleJob, All: set.Entities()}, parts, "Loaded "+set.Name, set.Name+" was not loaded completely",
		page.Route{Account: p.Route.Account, Table: set.Tables[0].Name})
}

// onDelete asks before it deletes.
func (p *Page) onDelete(app.Context, app.Event) {
	names, entities := p.chosen()
	page.AskToDelete(p.Session, p.Route.Account, names, entities, func(snapshot bool) { p.remove(names, snapshot) })
}

// remove deletes tables. It continues without the page.
func (p *Page) remove(names []string, snapshot bool) {
	session, account := p.Session, p.Route.Account
	j := &page.Job{One: "table", Many: "tables", Verb: "deleted", Rest: ".", All: len(names)}
	p.begin(j, "Not all were deleted", func(c context.Context) error {
		return page.DeleteTables(c, session, account, names, snapshot, func(more int) { j.Add(more) })
	}, func(bool) {
		for _, name := range names {
			delete(p.selected, name) // also from one that is created again
		}
		session.Notify("Deleted " + humanize.Count(len(names), "table", "tables"))
	})
}
