package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/entity"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// The page's arguments in the address.
const (
	filterArg = "filter" // $filter as the user wrote it
	selectArg = "select" // $select as the user wrote it
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "entities", Title: "Entities", Icon: ui.IconTable, Scopes: page.Table,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// Page queries a table and shows its entities.
type Page struct {
	app.Compo
	page.Props

	ctx     app.Context
	shown   page.Route // whose query was run last
	query   query
	results results
	panel   panel
	release []func()
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
	p.results.active = -1
	p.query.show(p.Route)
}

// OnMount runs the query.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Keys(p.onKey))
	p.runQuery()
}

// OnDismount removes what the page has registered.
func (p *Page) OnDismount() {
	for _, release := range p.release {
		release()
	}
}

// OnUpdate runs the query of an address that has changed.
func (p *Page) OnUpdate(app.Context) {
	if p.Route == p.shown {
		return
	}
	p.query.show(p.Route)
	p.runQuery()
}

func (p *Page) client() *client.Client { return p.Session.Client(p.Route.Account) }

// onKey runs the query on F5, which would otherwise reload the page, and on
// Ctrl+Enter where no form takes it.
func (p *Page) onKey(key page.Key) func() {
	if key.Name == "F5" && !key.Ctrl && !key.Shift || key.Name == "Enter" && key.Ctrl && !key.Within(".panel") {
		return p.submitQuery
	}
	return nil
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return app.Div().Class("page").Body(
		p.Session.Head(
			ui.IconButton(ui.Square, ui.IconRefresh, "Run the query again (F5)", p.onRun),
			ui.IconButton(ui.Square, ui.IconTrash, "Delete the table "+p.Route.Table, p.onDeleteTable).DataSet("testid", "delete-table"),
			ui.AddButton(ui.Primary, "Entity", p.onNewEntity).DataSet("testid", "new-entity")),
		p.drawQuery(), p.drawExplain(),
		app.Div().Class("split").Body(p.drawResults(), p.drawPanel()),
		p.drawStatus())
}

func (p *Page) drawPanel() app.UI {
	if !p.panel.open {
		return app.Aside().Hidden(true)
	}
	return &entity.Panel{Session: p.Session, Route: p.Route, Owner: p, Serial: p.panel.serial, Key: p.panel.key, Start: p.panel.start}
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
	browser.FocusInPlace(p.ctx, ui.GridID)
}

// EntityRead implements [entity.Owner].
func (p *Page) EntityRead(e client.Entity) {
	if _, found := p.results.index(e.Key()); found {
		p.results.put(e)
	}
}

// EntitySaved implements [entity.Owner].
func (p *Page) EntitySaved(e client.Entity) (shown bool) {
	key := e.Key()
	if p.panel.open && p.panel.key == nil {
		p.panel.key = &key
	}
	shown = p.results.put(e)
	if i, found := p.results.index(key); found {
		p.results.active = i
	}
	p.measure()
	return shown
}

// EntityDeleted implements [entity.Owner].
func (p *Page) EntityDeleted(key odata.Key) {
	p.results.take(key)
	p.panel.open = false
	p.measure()
}
