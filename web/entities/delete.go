package entities

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// deleteSelected deletes the selected rows at once: it can be undone.
func (p *Page) deleteSelected() {
	rows := p.chosen()
	if len(rows) == 0 {
		return
	}
	r := p.Route
	all := make([]*odata.Entity, len(rows))
	for i, e := range rows {
		p.results.expect(e.Key())
		all[i] = e.Entity
	}
	p.Session.Background(func(c context.Context) func() {
		report := write(c, p.client(), r.Table, all, client.Delete)
		return func() {
			done := written(report)
			for _, e := range done {
				p.drop(e.Key())
			}
			p.Session.Wrote()
			p.measure()
			p.proceed()
			if len(done) > 0 {
				p.OfferUndo("Deleted "+ui.Count(len(done), "entity", "entities"), "Undo the deletion", func() { p.restore(r, done) })
			}
			if left, err := failed(report); err != nil {
				p.Session.Notify("Not deleted: " + ui.Count(len(left), "entity", "entities") + ". " + err.Error())
			}
		}
	})
}

// restore inserts deleted entities again.
func (p *Page) restore(r page.Route, all []*odata.Entity) {
	p.Session.Background(func(c context.Context) func() {
		report := write(c, p.Session.Client(r.Account), r.Table, all, client.Insert)
		return func() {
			p.Session.Wrote()
			if left, err := failed(report); err != nil {
				p.Session.Offer("Not restored: "+ui.Count(len(left), "entity", "entities")+". "+err.Error(), "Try again", func() { p.restore(r, left) })
			} else {
				p.Session.Notify("Restored " + ui.Count(len(report.Written), "entity", "entities"))
			}
			if p.Mounted() && p.Route.SameTable(r) {
				p.run() // with the new tags
			}
		}
	})
}

// write deletes or inserts entities, partition by partition.
func write(c context.Context, at *client.Client, table string, all []*odata.Entity, how client.Write) bulk.Report {
	rows := make([]bulk.Row, len(all))
	for i, e := range all {
		rows[i] = bulk.Row{Operation: client.Operation{Write: how, Entity: e, IfMatch: "*"}}
	}
	job := &bulk.Job{Client: at, Table: table, Transactions: bulk.Group(rows)}
	return job.Run(c)
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
