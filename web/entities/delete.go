package entities

import (
	"context"
	"maps"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
)

// manyRows is how many rows are deleted at once without a question: the undo ends
// when the app is left.
const manyRows = 100

// deleteSelected deletes the selected rows: it can be undone. Rows of which the
// query returned a part, or that are in memory no longer, are read as a whole first.
func (p *Page) deleteSelected() {
	rows, keys := p.chosen(), maps.Clone(p.selected)
	for _, e := range rows {
		keys[e.Key()] = true
	}
	switch {
	case len(keys) == 0:
		return
	case len(rows) == len(keys) && !p.results.partial:
		p.askToDelete(rows)
		return
	}
	table, filter := p.Route.Table, filterFrom(p.results.asked)
	page.Background(p.ctx, func(c context.Context) func() {
		whole, err := bulk.Find(c, p.client(), table, filter, keys)
		return func() {
			if err != nil {
				p.Session.Notify("Not deleted: " + err.Error())
				return
			}
			if n := len(keys) - len(whole); n > 0 {
				p.notDeleted(n)
			}
			if len(whole) > 0 {
				p.askToDelete(whole)
			}
		}
	})
}

// askToDelete deletes rows, many only after a question.
func (p *Page) askToDelete(rows []client.Entity) {
	if len(rows) <= manyRows {
		p.delete(rows, false)
		return
	}
	page.AskToDeleteEntities(p.Session, p.Route, len(rows), func(snapshot bool) { p.delete(rows, snapshot) })
}

// delete deletes rows that have not changed since they were read.
func (p *Page) delete(all []client.Entity, snapshot bool) {
	r := p.Route
	rows := make([]bulk.Row, len(all))
	for i, e := range all {
		p.results.expect(e.Key())
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Delete, Entity: e.Entity, IfMatch: e.Tag}}
	}
	stay := browser.AskToStay()
	p.Session.Background(func(c context.Context) func() {
		defer stay()
		if snapshot {
			if err := page.SnapshotBefore(c, p.Session, r.Account, "deleting "+humanize.Count(len(all), "entity", "entities")+" of "+r.Table); err != nil {
				return func() { p.Session.Notify("Not deleted: " + err.Error()) }
			}
		}
		report := p.job(r, rows).Run(c)
		return func() { p.deleted(r, report) }
	})
}

// deleted removes the rows that are gone, and marks those that changed elsewhere.
func (p *Page) deleted(r page.Route, report bulk.Report) {
	done, changed := written(report), 0
	for _, e := range done {
		p.drop(e.Key())
	}
	report.Refused = slices.DeleteFunc(report.Refused, func(x bulk.Refused) bool {
		key := x.Entity.Key()
		switch {
		case client.HasCode(x.Err, client.CodeResourceNotFound):
			p.drop(key) // it was deleted elsewhere
		case client.HasCode(x.Err, client.CodeConditionNotMet):
			changed++
			p.results.marked[key] = true
		default:
			return false
		}
		return true
	})
	p.Session.Wrote()
	p.measure()
	p.proceed()
	if len(done) > 0 {
		p.OfferUndo("Deleted "+humanize.Count(len(done), "entity", "entities"), "Undo the deletion", func() { p.restore(r, done) })
	}
	if changed > 0 {
		p.notDeleted(changed)
	}
	if left, err := failed(report); err != nil {
		p.Session.Notify("Not deleted: " + humanize.Count(len(left), "entity", "entities") + ". " + err.Error())
	}
}

// notDeleted says that entities are not as the user has seen them.
func (p *Page) notDeleted(n int) {
	p.Session.Notify("Not deleted: " + humanize.Count(n, "entity", "entities") + ", changed elsewhere in the meantime. Run the query again to see the current values.")
}

// restore inserts deleted entities again.
func (p *Page) restore(r page.Route, all []*odata.Entity) {
	rows := make([]bulk.Row, len(all))
	for i, e := range all {
		rows[i] = bulk.Row{Operation: client.Operation{Write: client.Insert, Entity: e}}
	}
	p.Session.Background(func(c context.Context) func() {
		report := p.job(r, rows).Run(c)
		return func() {
			p.Session.Wrote()
			if left, err := failed(report); err != nil {
				p.Session.Offer("Not restored: "+humanize.Count(len(left), "entity", "entities")+". "+err.Error(), "Try again", func() { p.restore(r, left) })
			} else {
				p.Session.Notify("Restored " + humanize.Count(len(report.Written), "entity", "entities"))
			}
			p.kept.runAgain(r) // with the new tags
		}
	})
}

// job writes rows, partition by partition.
func (p *Page) job(r page.Route, rows []bulk.Row) *bulk.Job {
	return &bulk.Job{Client: p.Session.Client(r.Account), Table: r.Table, Transactions: bulk.Group(rows)}
}

func written(r bulk.Report) (all []*odata.Entity) {
	for _, row := range r.Written {
		all = append(all, row.Entity)
	}
	return all
}

// failed returns what was not written, and why.
func failed(r bulk.Report) (left []*odata.Entity, err error) {
	err = r.Err
	for _, row := range r.Refused {
		left, err = append(left, row.Entity), row.Err
	}
	for _, row := range r.Left {
		left = append(left, row.Entity)
	}
	return left, err
}

// onDeleteTable asks before it deletes.
func (p *Page) onDeleteTable(app.Context, app.Event) {
	r, entities := p.Route, client.Unknown
	all, _ := p.Session.Catalog().Tables[r.Account].Data()
	for _, t := range all {
		if t.Name == r.Table {
			entities = t.Entities
		}
	}
	page.AskToDelete(p.Session, r.Account, []string{r.Table}, entities, p.deleteTable)
}

func (p *Page) deleteTable(snapshot bool) {
	r := p.Route
	page.Background(p.ctx, func(c context.Context) func() {
		_, err := page.DeleteTables(c, p.Session, r.Account, []string{r.Table}, snapshot)
		return func() {
			if err != nil {
				p.Session.Notify("Not deleted: " + err.Error())
				return
			}
			p.Session.Notify("Table " + r.Table + " deleted")
			p.Session.Wrote()
			p.Session.Navigate(page.Route{Account: r.Account})
		}
	})
}
