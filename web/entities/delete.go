package entities

import (
	"context"
	"net/http"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
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
	for _, e := range rows {
		p.results.expect(e.Key())
	}
	p.Session.Background(func(c context.Context) func() {
		done, err := transact(c, p.client(), r.Table, rows, http.MethodDelete)
		return func() {
			for _, e := range done {
				p.drop(e.Key())
			}
			p.Session.Wrote()
			p.measure()
			if len(done) > 0 {
				p.Session.Offer("Deleted "+ui.Count(len(done), "entity", "entities"), "Undo", func() { p.restore(r, done) })
			}
			if err != nil {
				p.Session.Notify("Not deleted: " + ui.Count(len(rows)-len(done), "entity", "entities") + ". " + err.Error())
			}
		}
	})
}

// restore inserts deleted entities again.
func (p *Page) restore(r page.Route, rows []client.Entity) {
	p.Session.Background(func(c context.Context) func() {
		done, err := transact(c, p.Session.Client(r.Account), r.Table, rows, http.MethodPost)
		return func() {
			p.Session.Wrote()
			if err != nil {
				left := missing(rows, done)
				p.Session.Offer("Not restored: "+ui.Count(len(left), "entity", "entities")+". "+err.Error(), "Try again", func() { p.restore(r, left) })
			} else {
				p.Session.Notify("Restored " + ui.Count(len(done), "entity", "entities"))
			}
			if p.Mounted() && p.Route.SameTable(r) {
				p.run() // with the new tags
			}
		}
	})
}

// transact inserts or deletes entities in transactions, and returns those of
// the transactions that were committed. It stops at the first that was refused.
func transact(c context.Context, at *client.Client, table string, rows []client.Entity, method string) (done []client.Entity, err error) {
	keys := make([]odata.Key, len(rows))
	for i, e := range rows {
		keys[i] = e.Key()
	}
	for _, group := range client.Group(keys) {
		operations := make([]client.Operation, len(group))
		for i, row := range group {
			operations[i] = client.Operation{Method: method, Entity: rows[row].Entity}
			if method == http.MethodDelete {
				operations[i].IfMatch = "*"
			}
		}
		if _, err := at.Transact(c, table, operations); err != nil {
			return done, err
		}
		for _, row := range group {
			done = append(done, rows[row])
		}
	}
	return done, nil
}

// onDeleteTable asks before it deletes: there is no undo.
func (p *Page) onDeleteTable(app.Context, app.Event) {
	r := p.Route
	p.Session.Ask(ui.Question{
		Title:   "Delete the table " + r.Table + "?",
		Text:    "All entities of " + r.Table + " in " + r.Account + " are deleted with it. This cannot be undone.",
		Confirm: "Delete " + r.Table,
	}, p.deleteTable)
}

func (p *Page) deleteTable() {
	r := p.Route
	page.Background(p.ctx, func(c context.Context) func() {
		err := p.client().DeleteTable(c, r.Table)
		return func() {
			if err != nil && !client.HasCode(err, client.CodeResourceNotFound) {
				p.Session.Notify("Not deleted. " + err.Error())
				return
			}
			p.Session.Notify("Table " + r.Table + " deleted")
			p.Session.Wrote()
			p.Session.Navigate(page.Route{Account: r.Account})
		}
	})
}

// missing returns the rows that are not among those done.
func missing(rows, done []client.Entity) (left []client.Entity) {
	is := map[odata.Key]bool{}
	for _, e := range done {
		is[e.Key()] = true
	}
	for _, e := range rows {
		if !is[e.Key()] {
			left = append(left, e)
		}
	}
	return left
}
