package entities

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/ui"
)

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
				p.results.fail(err)
				return
			}
			p.Session.Notify("Table " + r.Table + " deleted")
			p.Session.Wrote()
			p.Session.Navigate(page.Route{Account: r.Account})
		}
	})
}
