package entities

import (
	"context"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
)

func newKept() *kept {
	return &kept{typed: map[page.Route]bar{}, undos: map[page.Route]*undo{}, jobs: page.Jobs{}}
}

// at returns the page that shows the route's table, nil if none does.
func (k *kept) at(r page.Route) *Page {
	if k.page != nil && k.page.Route.SameTable(r) {
		return k.page
	}
	return nil
}

// undo returns what can be undone in the table, nil if nothing can.
func (p *Page) undo() *undo { return p.kept.undos[p.Route.Place()] }

// OfferUndo implements [entity.Owner]: a message offers it for a while, and the
// table's status bar until the next such change, or until the app is left.
func (p *Page) OfferUndo(text, title string, run func()) {
	u := &undo{title: title, run: run}
	p.kept.undos[p.Route.Place()] = u
	u.withdraw = p.Session.Offer(text, "Undo", p.runUndo(u))
}

// runUndo returns a function that undoes a change once.
func (p *Page) runUndo(u *undo) func() {
	return func() {
		run := u.run
		if run == nil {
			return
		}
		u.run = nil
		if p.undo() == u {
			p.forgetUndo()
		}
		run()
	}
}

// forgetUndo takes the offer back, in the message as well.
func (p *Page) forgetUndo() {
	if u := p.undo(); u != nil {
		u.withdraw()
	}
	delete(p.kept.undos, p.Route.Place())
}

func (p *Page) onUndo(app.Context, app.Event) {
	if u := p.undo(); u != nil {
		p.runUndo(u)()
	}
}

// write writes rows that undo a change. It offers to write those that are left if it ends
// early, in the same place.
func (p *Page) write(r page.Route, done, title string, rows []bulk.Row) {
	var report bulk.Report
	j := &page.Job{One: "entity", Many: "entities", Verb: "restored", All: len(rows)}
	p.kept.jobs.Start(p.Session, r, j, func(c context.Context) error {
		report = p.job(r, j, rows).Run(c)
		return nil // the message says why it ended early
	}, func(error) {
		if left := report.Left; len(left) > 0 {
			p.OfferUndo(undoneText(done, report), title, func() { p.write(r, done, title, left) })
		} else {
			p.Session.Notify(undoneText(done, report))
		}
		if shown := p.kept.at(r); shown != nil {
			shown.run() // with the new tags
		}
	})
}

// undoneText says what an undo has done.
func undoneText(done string, r bulk.Report) string {
	text := done + " " + humanize.Count(len(r.Written), "entity", "entities")
	n := 0 // refused because of a change
	var other error
	for _, x := range r.Refused {
		if client.HasCode(x.Err, client.CodeConditionNotMet, client.CodeResourceNotFound, client.CodeEntityAlreadyExists) {
			n++
		} else if other == nil {
			other = x.Err
		}
	}
	if n > 0 {
		text += "; " + humanize.Count(n, "changed again and stays as it is", "changed again and stay as they are")
	}
	if other != nil {
		text += "; " + humanize.Number(len(r.Refused)-n) + " refused: " + other.Error()
	}
	if n := len(r.Left); n > 0 {
		text += "; " + humanize.Number(n) + " not yet"
	}
	switch {
	case errors.Is(r.Err, context.Canceled):
		return "Stopped: " + text
	case r.Err != nil:
		text += ". " + r.Err.Error()
	}
	return text
}
