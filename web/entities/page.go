package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/draft"
	"sandtable/web/entity"
	"sandtable/web/grid"
	"sandtable/web/listing"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// The page's arguments in the address.
const (
	filterArg   = "filter"   // $filter as the user wrote it
	selectArg   = "select"   // $select as the user wrote it
	containsArg = "contains" // shows only rows with a value that contains it
	fromArg     = "from"     // PartitionKey at which the rows begin
	fromRowArg  = "fromRow"  // RowKey at which the rows begin
	entityArg   = "entity"   // the entity in the panel: its keys with a slash between them
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

// Page queries a table and shows its entities.
type Page struct {
	app.Compo
	page.Props

	ctx        app.Context
	shown      page.Route // whose query was run last, without the entity
	bar        bar
	kept       *kept // the same for each page
	results    results
	schema     grid.Schema // of all rows seen in this table
	settings   grid.Settings
	sheet      sheet
	selected   map[odata.Key]bool
	menu       menu
	sorting    sorting // what the sort menu asks about
	learned    bool    // a sample of the table was read
	partitions remote.Value[control.Partitions]
	address    address
	panel      panel
	editing    editing
	release    []func()
}

// panel is which entity the panel shows.
type panel struct {
	serial int // counts panels that were opened
	open   bool
	key    *odata.Key // nil for a new entity
	start  draft.Draft
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
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx, p.kept.page = ctx, p
	p.settings, _ = browser.Load(p.settingsName(), grid.Settings.Valid)
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

func (p *Page) client() *client.Client { return p.Session.Client(p.Route.Account) }

func (p *Page) listing() *listing.Listing { return &p.results.rows }

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
		p.drawQuery(), p.drawExplain(),
		ui.Div("split", p.drawResults(), p.drawPanel()),
		p.drawStatus(), p.drawEdit())
}

// The pages that the links lead to.
const (
	importPage = "import"
	exportPage = "export"
)

// link leads to another page of this table, with the query in the address.
func (p *Page) link(title, name string) app.HTMLA {
	r := p.query()
	r.Page = name
	return app.A().Class(string(ui.Plain)).Href(r.Href()).DataSet("testid", name).Text(title)
}

func (p *Page) drawPanel() app.UI {
	if !p.panel.open {
		return app.Aside().Hidden(true)
	}
	return &entity.Panel{Session: p.Session, Route: p.Route, Owner: p, Serial: p.panel.serial, Key: p.panel.key, Start: p.panel.start, Known: p.offered()}
}

// offered are the properties of the rows that were seen so far.
func (p *Page) offered() []draft.Known {
	var all []draft.Known
	for _, name := range p.schema.Names() {
		stat, _ := p.schema.Property(name)
		all = append(all, draft.Known{Name: name, Type: stat.Type})
	}
	return all
}

// openEntity shows an entity in the panel.
func (p *Page) openEntity(key odata.Key, focus bool) {
	if p.panel.open && p.panel.key != nil && *p.panel.key == key {
		if focus {
			entity.FocusTitle(p.ctx)
		}
		return
	}
	p.Session.Leave(func() {
		p.openPanel(panel{key: &key})
		if focus {
			entity.FocusTitle(p.ctx)
		}
	})
}

func (p *Page) openPanel(next panel) {
	next.serial, next.open = p.panel.serial+1, true
	p.panel = next
	p.measure()
	p.nameEntity()
}

func (p *Page) onNewEntity(app.Context, app.Event) {
	p.Session.Leave(func() { p.OpenNew(draft.New("")) })
}

// OpenNew implements [entity.Owner].
func (p *Page) OpenNew(start draft.Draft) {
	p.openPanel(panel{start: start})
	entity.FocusKeys(p.ctx)
}

// ClosePanel implements [entity.Owner].
func (p *Page) ClosePanel() {
	p.panel.open = false
	p.measure()
	p.nameEntity()
	browser.FocusInPlace(p.ctx, ui.GridID)
}

// EntityRead implements [entity.Owner].
func (p *Page) EntityRead(e client.Entity) {
	p.listing().Put(e, false)
	delete(p.results.marked, e.Key())
}

// EntityChanged implements [entity.Owner].
func (p *Page) EntityChanged(key odata.Key) {
	if _, shown := p.listing().Index(key); shown {
		p.results.marked[key] = true
	}
}

// EntitySaved implements [entity.Owner].
func (p *Page) EntitySaved(e client.Entity) (shown bool) {
	key := e.Key()
	if p.panel.open && p.panel.key == nil {
		p.panel.key = &key
	}
	p.nameEntity()
	p.results.expect(key)
	delete(p.results.marked, key)
	p.schema.Add(e.Entity)
	p.sheet.columns = nil
	shown = p.listing().Put(e, p.results.accepts(e.Entity))
	if i, found := p.listing().Index(key); found {
		p.sheet.active = i
	}
	p.measure()
	return shown
}

// EntityDeleted implements [entity.Owner].
func (p *Page) EntityDeleted(key odata.Key) {
	p.results.expect(key)
	p.drop(key)
	p.panel.open = false
	p.measure()
	p.proceed()
	p.nameEntity()
}

// EntityMoved implements [entity.Owner].
func (p *Page) EntityMoved(from odata.Key, to client.Entity) {
	p.EntityGone(from)
	key := to.Key()
	p.panel.key = &key
	p.EntitySaved(to)
}

// EntityGone implements [entity.Owner].
func (p *Page) EntityGone(key odata.Key) {
	p.results.expect(key)
	p.drop(key)
	p.measure()
}

// drop removes a row.
func (p *Page) drop(key odata.Key) {
	p.listing().Take(key)
	delete(p.selected, key)
	p.sheet.active = min(p.sheet.active, p.listing().Len()-1)
}
