package shell

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// sidebar is the state of the list of accounts and tables.
type sidebar struct {
	open bool   // as a drawer, on narrow screens
	find string // shows only names that contain it
	form *nameForm
}

// tablesWith returns the tables whose names contain a text, ignoring case.
func tablesWith(tables []client.Table, text string) []client.Table {
	text = strings.ToLower(strings.TrimSpace(text))
	var found []client.Table
	for _, table := range tables {
		if strings.Contains(strings.ToLower(table.Name), text) {
			found = append(found, table)
		}
	}
	return found
}

// sideID is the id of the list of tables.
const sideID = "side"

func (s *Shell) side() app.UI {
	list := []app.UI{app.H2().Body(
		app.Text("This browser"), app.Span().Class("grow"),
		ui.IconButton(ui.Tiny, ui.IconPlus, "New account", s.onNewAccount).DataSet("testid", "new-account").Disabled(!s.ready()),
	)}
	if s.sidebar.form != nil && s.sidebar.form.account == "" {
		list = append(list, s.drawNameForm())
	}
	accounts, held := s.catalog.Accounts.Data()
	switch {
	case s.catalog.Accounts.State() == remote.Failed:
		list = append(list, ui.Retry(s.catalog.Accounts.Err(), s.onReloadCatalog))
	case !held && s.status.State() != remote.Failed:
		list = append(list, ui.Bones(4))
	}
	for _, account := range accounts {
		if s.place().Account == account.Name || !page.ThrowAway(account.Name) {
			list = append(list, s.drawAccount(account)...)
		}
	}
	list = append(list, s.drawRemotes()...)
	return app.Nav().ID(sideID).Class("side").TabIndex(-1).Aria("label", "Accounts and tables").Body(
		ui.Div("find", app.Input().Class("input").Type("search").Placeholder("Filter tables").
			Aria("label", "Filter tables").AutoComplete(false).Spellcheck(false).Value(s.sidebar.find).OnInput(s.onFind)),
		ui.Div("list", list...),
		s.drawEntries(),
	)
}

func (s *Shell) drawAccount(account control.Account) []app.UI {
	link := drawAccountItem(account).DataSet("testid", "account-item")
	if place := s.place(); place.Account == account.Name && place.Table == "" {
		link = link.Aria("current", "page")
	}
	rows := []app.UI{ui.Div("account-row", link,
		ui.IconButton(ui.Tiny, ui.IconPlus, "New table in "+account.Name, s.onNewTable).
			DataSet("account", account.Name).DataSet("testid", "new-table"))}
	if s.sidebar.form != nil && s.sidebar.form.account == account.Name {
		rows = append(rows, s.drawNameForm())
	}
	return append(rows, s.drawTables(account.Name)...)
}

// drawAccountItem draws the name of an account, with a dot while its requests fail
// on purpose.
func drawAccountItem(account control.Account) app.HTMLA {
	there := page.Route{Account: account.Name}
	if !account.Faults {
		return item(there, ui.IconAccount, account.Name, "").Title(account.Name)
	}
	return app.A().Class("item").Href(there.Href()).Title(account.Name).Body(ui.Icon(ui.IconAccount), ui.Span("name", account.Name),
		app.Span().Class("dot").Title("Faults are on"), ui.Span("sr-only", "faults are on"))
}

// item draws a line of the sidebar with a figure at its end.
func item(to page.Route, icon ui.IconName, name, figure string) app.HTMLA {
	body := []app.UI{ui.Icon(icon), ui.Span("name", name)}
	if figure != "" {
		body = append(body, ui.Span("figure", figure))
	}
	return app.A().Class("item").Href(to.Href()).Body(body...)
}

// tableList is the tables of an account. It is a component so that they are drawn again
// only when they change: there can be hundreds.
type tableList struct {
	app.Compo
	Account string
	Tables  []client.Table
	Current string // the one whose page is shown, "" for none
}

// Render draws the list.
func (l *tableList) Render() app.UI {
	var items []app.UI
	for _, table := range l.Tables {
		link := item(page.Route{Account: l.Account, Table: table.Name}, ui.IconTable, table.Name, table.Count()).
			Class("table").Title(table.Name).DataSet("testid", "table-item").DataSet("table", table.Name)
		if table.Name == l.Current {
			link = link.Aria("current", "page")
		}
		items = append(items, app.Li().Body(link))
	}
	return app.Ul().Aria("label", "Tables of "+l.Account).Body(items...)
}

// maxListed is how many tables of an account are drawn, apart from the current one;
// nobody scrolls further.
const maxListed = 300

func (s *Shell) drawTables(account string) []app.UI {
	tables := s.catalog.Tables[account]
	all, held := tables.Data()
	switch {
	case tables.State() == remote.Failed:
		return []app.UI{ui.Retry(tables.Err(), s.onReloadCatalog)}
	case !held:
		return []app.UI{ui.Bones(3)}
	case len(all) == 0:
		return []app.UI{app.Div().Class("quiet-line").Text("No tables yet")}
	}
	found := tablesWith(all, s.sidebar.find)
	if len(found) == 0 {
		return []app.UI{app.Div().Class("quiet-line").Text("No such table")}
	}
	listed := found[:min(len(found), maxListed)]
	for _, table := range found[len(listed):] {
		if s.route.SameTable(page.Route{Account: account, Table: table.Name}) {
			listed = append(slices.Clip(listed), table)
		}
	}
	current := ""
	for _, table := range listed {
		if s.route.SameTable(page.Route{Account: account, Table: table.Name}) {
			current = table.Name
		}
	}
	list := []app.UI{&tableList{Account: account, Tables: listed, Current: current}}
	if more := len(found) - len(listed); more > 0 {
		list = append(list, app.Div().Class("quiet-line").Text(humanize.Number(more)+" more: filter to see them"))
	}
	return list
}

// showCurrent scrolls to the current account or table. A drawer stays as it is.
func (s *Shell) showCurrent() { s.scrollTo(".side .list [aria-current]") }

// scrollTo scrolls to what matches a selector once it is drawn, if it is visible then.
func (s *Shell) scrollTo(selector string) {
	s.ctx.Defer(func(app.Context) {
		if !app.IsClient {
			return
		}
		item := app.Window().Get("document").Call("querySelector", selector)
		if item.Truthy() && app.Window().Call("getComputedStyle", item).Get("visibility").String() == "visible" {
			item.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// drawEntries draws the entries of the pages that belong to the store.
func (s *Shell) drawEntries() app.UI {
	var entries []app.UI
	current, _ := s.shown()
	for _, d := range s.pages {
		if d.Hidden || !d.Has(page.Store) {
			continue
		}
		figure := ""
		if d.Figure != nil {
			figure = d.Figure()
		}
		link := item(page.Route{Page: d.Name}, d.Icon, d.Title, figure).DataSet("testid", "entry-"+d.Name)
		if current.Name == d.Name {
			link = link.Aria("current", "page")
		}
		entries = append(entries, link)
	}
	return app.Div().Class("entries").Hidden(len(entries) == 0).Body(entries...)
}

func (s *Shell) onFind(_ app.Context, event app.Event) { s.sidebar.find = ui.Text(event) }
