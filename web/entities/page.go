package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	kept := newKept()
	return page.Definition{
		Name: "entities", Title: "Entities", Icon: ui.IconTable, Scopes: page.Table,
		New:      func(p page.Props) app.Composer { return &Page{Props: p, kept: kept} },
		Exhibits: exhibits,
	}
}

// OnInit takes the query from the address.
func (p *Page) OnInit() {
	p.sheet.active, p.sheet.anchor = -1, -1
	p.selected = map[odata.Key]bool{}
	p.bar.show(p.Route)
	if p.kept == nil {
		p.kept = newKept()
	}
	if typed, left := p.kept.typed[p.query()]; left {
		p.bar = typed
	}
}

// OnMount runs the query.
func (p *Page) OnMount(ctx app.Context) {
	p.start(ctx)
	p.release = append(p.release, browser.Listen(app.Window(), "online", func(app.Value) { ctx.Dispatch(func(app.Context) { p.outage.Online() }) }))
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx, p.kept.page = ctx, p
	p.loadSettings()
	p.release = append(p.release, p.Session.Keys(p.onKey), p.Session.Watch(p.onChanges), p.Session.Commands(p.commands))
	p.run()
	p.openFromRoute()
}

// OnDismount removes what the page has registered, and ends what it reads. It keeps a
// query that was typed and not run.
func (p *Page) OnDismount() {
	delete(p.kept.typed, p.query())
	if p.route().With(entityArg, "") != p.query() {
		p.bar.suggestions = nil
		p.kept.typed[p.query()] = p.bar
	}
	if p.kept.page == p {
		p.kept.page = nil
	}
	p.results.cancel()
	p.outage.Ended()
	page.Release(p.release)
}

// OnUpdate runs the query of an address that has changed.
func (p *Page) OnUpdate(app.Context) {
	p.openFromRoute()
	if p.query() == p.shown {
		return
	}
	p.bar.show(p.Route)
	p.run()
}

// onKey runs the query on F5, which would otherwise reload the page, and on
// Ctrl+Enter where no form takes it.
func (p *Page) onKey(key page.Key) func() {
	switch {
	case key.Name == "F5" && !key.Ctrl && !key.Shift, key.Name == "Enter" && key.Ctrl && !key.Within(".panel"):
		return p.submitQuery
	case key.Name == "Escape" && p.menu != noMenu:
		return func() { p.openMenu(noMenu) }
	}
	return nil
}

// commands are the page's entries in the command palette.
func (p *Page) commands() []page.Command {
	all := []page.Command{
		{Icon: ui.IconPlus, Title: "Add an entity to " + p.Route.Table, Run: func() { p.onNewEntity(p.ctx, app.Event{}) }},
		{Icon: ui.IconRefresh, Title: "Run the query again", Hint: "F5", Run: p.submitQuery},
		{Icon: ui.IconTable, Title: "Choose columns", Run: func() { p.openMenu(columnsMenu) }},
		{Icon: ui.IconTable, Title: "Jump to a key", Run: func() { p.openMenu(jumpMenu) }},
		{Icon: ui.IconTrash, Title: "Delete the table " + p.Route.Table + "…", Run: func() { p.onDeleteTable(p.ctx, app.Event{}) }},
	}
	if len(p.selected) > 0 {
		all = append(all, page.Command{Icon: ui.IconTable, Title: "Edit a property of the selected entities", Hint: "E", Run: p.openEdit})
	}
	if u := p.undo(); u != nil {
		all = append(all, page.Command{Icon: ui.IconHistory, Title: u.title, Run: p.runUndo(u)})
	}
	if !p.results.refused && !p.listing().Ended() {
		all = append(all, page.Command{Icon: ui.IconTable, Title: "Load all rows", Run: p.loadAll})
	}
	return all
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return ui.Div("page",
		p.Session.Head(
			ui.IconButton(ui.Square, ui.IconTrash, "Delete the table "+p.Route.Table, p.onDeleteTable).DataSet("testid", "delete-table"),
			p.link("Import", importPage), p.link("Export", exportPage).OnClick(func(app.Context, app.Event) { p.handOver() }),
			ui.AddButton(ui.Primary, "Entity", p.onNewEntity).DataSet("testid", "new-entity")),
		p.kept.jobs.Draw(p.Route), p.drawQuery(), p.drawExplain(),
		ui.Div("split", p.drawResults(), p.drawPanel()),
		p.drawStatus(), p.drawEdit())
}

// link leads to another page of this table, with the query in the address.
func (p *Page) link(title, name string) app.HTMLA {
	r := p.query()
	r.Page = name
	return app.A().Class(string(ui.Plain)).Href(r.Href()).DataSet("testid", name).Text(title)
}
