package requests

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "requests", Title: "Requests", Icon: ui.IconPulse, Scopes: page.Store,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

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
		p.Session.Control().Watch(func(events []control.Event) {
			ctx.Dispatch(func(app.Context) { p.receive(control.RequestsOf(events), control.Stale(events)) })
		}))
	if m, kept := browser.Load(markName(p.Session.Base()), func(m mark) bool { return m.Instance != "" }); kept {
		p.list.restore(m)
	}
	p.loaded = p.loaded.Asked()
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

// onKey moves through the list with the arrow keys and closes what is open.
func (p *Page) onKey(key page.Key) func() {
	switch {
	case key.Name == "Escape" && p.detail.menu:
		return func() { p.detail.menu = false }
	case key.Name == "Escape" && p.chosen() != 0:
		return p.closePanel
	case key.Within == nil || !key.Within(".request-list"):
		return nil
	case key.Name == "ArrowDown":
		return func() { p.step(1) }
	case key.Name == "ArrowUp":
		return func() { p.step(-1) }
	}
	return nil
}

func (p *Page) commands() []page.Command {
	return []page.Command{
		{Icon: ui.IconPulse, Title: map[bool]string{true: "Resume the list of requests", false: "Pause the list of requests"}[p.list.paused], Run: p.togglePause},
		{Icon: ui.IconTrash, Title: "Clear the list of requests", Run: p.clear},
	}
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return ui.Div("page",
		p.drawHead(), p.drawFilter(),
		ui.Div("split requests", p.drawList(), p.drawPanel()),
		p.drawStatus())
}
