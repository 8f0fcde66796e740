package entities

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
)

func newKept() *kept { return &kept{typed: map[page.Route]bar{}, undos: map[page.Route]*undo{}} }

// runAgain runs the query of the page again if it shows the route's table.
func (k *kept) runAgain(r page.Route) {
	if k.page != nil && k.page.Route.SameTable(r) {
		k.page.run()
	}
}

// table is the route's table alone. Table names ignore case.
func (p *Page) table() page.Route {
	return page.Route{Account: p.Route.Account, Table: strings.ToLower(p.Route.Table)}
}

// undo returns what can be undone in the table, nil if nothing can.
func (p *Page) undo() *undo { return p.kept.undos[p.table()] }

// OfferUndo implements [entity.Owner]: a message offers it for a while, and the
// table's status bar until the next such change, or until the app is left.
func (p *Page) OfferUndo(text, title string, run func()) {
	u := &undo{title, run}
	p.kept.undos[p.table()] = u
	p.Session.Offer(text, "Undo", p.runUndo(u))
}

// runUndo returns a function that undoes a change once.
func (p *Page) runUndo(u *undo) func() {
	return func() {
		run := u.run
		if run == nil {
			return // the other button was quicker
		}
		u.run = nil
		if p.undo() == u {
			p.forgetUndo()
		}
		run()
	}
}

func (p *Page) forgetUndo() { delete(p.kept.undos, p.table()) }

func (p *Page) onUndo(app.Context, app.Event) {
	if u := p.undo(); u != nil {
		p.runUndo(u)()
	}
}
