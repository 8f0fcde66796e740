package requests

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
)

// readAll reads what the endpoint has recorded.
func (p *Page) readAll() {
	p.reading++
	p.arrived = nil
	page.Background(p.ctx, func(c context.Context) func() {
		recent, err := p.Session.Control().Recent(c, 0)
		return func() {
			p.reading--
			p.loaded = p.loaded.Answered(struct{}{}, err)
			if err == nil {
				p.list.read(recent)
				p.list.add(p.arrived)
			}
		}
	})
}

// receive takes in requests as they are answered; stale means that others are missing.
func (p *Page) receive(arrived []control.Recorded, stale bool) {
	p.list.hold = p.list.paused || p.scrolled
	p.list.add(arrived)
	if p.reading > 0 {
		p.arrived = append(p.arrived, arrived...)
	}
	if stale {
		p.readAll()
	}
}

// step opens the row below or above the one that is open.
func (p *Page) step(by int) {
	rows := p.rows()
	if len(rows) == 0 {
		return
	}
	at := 0
	for i, r := range rows {
		if r.ID == p.chosen() {
			at = min(max(i+by, 0), len(rows)-1)
		}
	}
	p.limit = max(p.limit, at+1) // the row is drawn
	p.choose(rows[at].ID)
	browser.Focus(p.ctx, rowID(rows[at].ID))
}

// choose opens a request in the panel.
func (p *Page) choose(id uint64) {
	p.Session.Replace(p.Route.With(idArg, strconv.FormatUint(id, 10)))
	p.Route = p.Route.With(idArg, strconv.FormatUint(id, 10))
	p.openDetail()
}

func (p *Page) closePanel() {
	was := p.chosen()
	p.Route = p.Route.With(idArg, "")
	p.Session.Replace(p.Route)
	p.openDetail()
	browser.Focus(p.ctx, rowID(was))
}

func (p *Page) togglePause() {
	p.list.paused = !p.list.paused
	if !p.list.paused {
		p.list.showHeld()
	}
}

func (p *Page) clear() {
	p.list.clear()
	browser.Save(markName(p.Session.Base()), p.list.mark())
}

func (p *Page) onPause(app.Context, app.Event) { p.togglePause() }

func (p *Page) onClear(app.Context, app.Event) { p.clear() }

func (p *Page) onClose(app.Context, app.Event) { p.closePanel() }
