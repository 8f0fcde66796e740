package entities

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// undo takes the last deletion or edit of many entities back.
type undo struct {
	title string
	run   func()
}

// OfferUndo implements [entity.Owner]: a message offers it for a while, and the
// status bar until the next such change.
func (p *Page) OfferUndo(text, title string, run func()) {
	p.undo = &undo{title, run}
	p.Session.Offer(text, "Undo", p.runUndo(p.undo))
}

// runUndo returns a function that undoes a change once.
func (p *Page) runUndo(u *undo) func() {
	return func() {
		run := u.run
		if run == nil {
			return // the other button was quicker
		}
		u.run = nil
		if p.undo == u {
			p.undo = nil
		}
		run()
	}
}

func (p *Page) onUndo(app.Context, app.Event) {
	if p.undo != nil {
		p.runUndo(p.undo)()
	}
}
