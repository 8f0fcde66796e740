package tables

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "tables", Title: "Tables", Icon: ui.IconTable, Scopes: page.Account,
		New: func(p page.Props) app.Composer { return &Page{Props: p} },
	}
}

// Page lists the tables of an account.
type Page struct {
	app.Compo
	page.Props
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return app.Div().Class("page").Body(
		p.Session.Head(
			app.A().Class(string(ui.Plain)).Href(p.Route.At("import").Href()).DataSet("testid", "import").Body(app.Text("Import")),
			ui.AddButton(ui.Primary, "Table", p.onNewTable).DataSet("testid", "new-table-here")),
		p.list())
}

func (p *Page) list() app.UI {
	account := p.Route.Account
	tables := p.Session.Catalog().Tables[account]
	all, held := tables.Data()
	switch {
	case tables.State() == remote.Failed:
		return app.Div().Class("boot").Body(ui.Failure(tables.Err()))
	case !held:
		return ui.Bones(6)
	case len(all) == 0:
		return ui.Empty(ui.IconTable, "No tables in "+account,
			"A table holds entities, found by a PartitionKey and a RowKey. Create the first one here, or connect an SDK and let your program do it.",
			ui.AddButton(ui.Primary, "New table", p.onNewTable),
			app.A().Class("btn").Href(p.Route.At("connect").Href()).Body(app.Text("Connect")))
	}
	return ui.Empty(ui.IconTable, account, ui.Count(len(all), "table", "tables")+". Choose one to see its entities.")
}

func (p *Page) onNewTable(app.Context, app.Event) { p.Session.NewTable(p.Route.Account) }
