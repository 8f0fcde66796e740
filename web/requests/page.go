package requests

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// The page's arguments in the address.
const (
	searchArg = "find" // words that a request must contain
	showArg   = "show" // "failed", "scans" or "faults"; "" for all
	onlyArg   = "only" // an account
	idArg     = "id"   // of the request in the panel
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "requests", Title: "Requests", Icon: ui.IconPulse, Scopes: page.Store,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// Page is the list of requests and the panel next to it.
type Page struct {
	app.Compo
	page.Props

	ctx      app.Context
	loaded   remote.Value[struct{}] // of the first list
	list     list
	scrolled bool // the list is not at its top, so nothing may move in it
	limit    int  // how many rows are drawn
	searches int  // counts the fields of the search: a new one shows what the program changed
	detail   detail
	release  []func()
}

// rowsAtOnce is how many rows are drawn, and how many more on demand.
const rowsAtOnce = 200

// OnInit prepares the list.
func (p *Page) OnInit() { p.limit = rowsAtOnce }

// OnMount reads the list and follows it.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release,
		p.Session.Keys(p.onKey), p.Session.Commands(p.commands),
		p.Session.Control().Watch(func(events []control.Event) { ctx.Dispatch(func(app.Context) { p.receive(requestsOf(events)) }) }))
	if m, kept := browser.Load(markName(p.Session.Base()), func(m mark) bool { return m.Instance != "" }); kept {
		p.list.restore(m)
	}
	p.loaded = p.loaded.Asked()
	p.readAll()
	p.openDetail()
}

// OnDismount stops following the list.
func (p *Page) OnDismount() { page.Release(p.release) }

// OnUpdate shows the request that the address names.
func (p *Page) OnUpdate(app.Context) {
	if p.detail.id != p.chosen() {
		p.openDetail()
	}
}

// chosen is the number of the request in the panel, 0 for none.
func (p *Page) chosen() uint64 {
	id, _ := strconv.ParseUint(p.Route.Arg(idArg), 10, 64)
	return id
}

// readAll reads what the endpoint has recorded.
func (p *Page) readAll() {
	page.Background(p.ctx, func(c context.Context) func() {
		recent, err := p.Session.Control().Recent(c, 0)
		return func() {
			p.loaded = p.loaded.Answered(struct{}{}, err)
			if err == nil {
				p.list.read(recent)
			}
		}
	})
}

// receive takes in requests as they are answered; lost means that some are missing.
func (p *Page) receive(arrived []control.Recorded, lost bool) {
	p.list.hold = p.list.paused || p.scrolled
	p.list.add(arrived)
	if lost {
		p.readAll()
	}
}

// onKey moves through the list with the arrow keys and closes what is open.
func (p *Page) onKey(key page.Key) func() {
	switch {
	case key.Name == "Escape" && p.detail.menu:
		return page.Dispatch(p.ctx, func() { p.detail.menu = false })
	case key.Name == "Escape" && p.chosen() != 0:
		return page.Dispatch(p.ctx, p.closePanel)
	case key.Within == nil || !key.Within(".request-list"):
		return nil
	case key.Name == "ArrowDown":
		return page.Dispatch(p.ctx, func() { p.step(1) })
	case key.Name == "ArrowUp":
		return page.Dispatch(p.ctx, func() { p.step(-1) })
	}
	return nil
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

func (p *Page) commands() []page.Command {
	return []page.Command{
		{Icon: ui.IconPulse, Title: map[bool]string{true: "Resume the list of requests", false: "Pause the list of requests"}[p.list.paused], Run: page.Dispatch(p.ctx, p.togglePause)},
		{Icon: ui.IconTrash, Title: "Clear the list of requests", Run: page.Dispatch(p.ctx, p.clear)},
	}
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

// Render draws the page.
func (p *Page) Render() app.UI {
	return ui.Div("page",
		p.drawHead(), p.drawFilter(),
		ui.Div("split requests", p.drawList(), p.drawPanel()),
		p.drawStatus())
}
