package entities

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/ui"
)

// queriesOfTable are the queries of this table that are kept, by their place in
// the history: those with a name first.
func (p *Page) queriesOfTable() (named, recent []int) {
	for i, s := range p.history() {
		switch {
		case s.Account != p.Route.Account || s.Table != p.Route.Table:
		case s.Name != "":
			named = append(named, i)
		default:
			recent = append(recent, i)
		}
	}
	return named, recent
}

// drawSaved draws the menu of named and recent queries.
func (p *Page) drawSaved() app.UI {
	h := p.history()
	named, recent := p.queriesOfTable()
	body := []app.UI{app.Div().Class("row").OnKeyDown(p.onNameEnter).Body(
		app.Input().ID("popup-first").Class("input").Type("text").Placeholder("Name of this query").Aria("label", "Name of this query").
			AutoComplete(false).DataSet("testid", "query-name").OnInput(p.onQueryName),
		ui.Button(ui.Plain, "Save", p.onSaveQuery).DataSet("testid", "save-query").Disabled(p.bar.name == ""))}
	list := func(title string, all []int) {
		if len(all) == 0 {
			return
		}
		var items []app.UI
		for _, i := range all {
			items = append(items, app.Li().Body(p.savedItem(h[i], i)...))
		}
		body = append(body, app.H3().Text(title), app.Ul().Body(items...))
	}
	list("Saved", named)
	list("Recent", recent[:min(len(recent), 12)])
	if len(named)+len(recent) == 0 {
		body = append(body, ui.P("hint", "Queries with a filter are listed here after they have run."))
	}
	return app.Div().Class("popup saved").Role("dialog").Aria("label", "Saved queries").Body(body...)
}

func (p *Page) savedItem(s query.Saved, i int) []app.UI {
	words := []app.UI{highlight(s.Filter, nil)}
	if post := query.ParsePostFilter((page.Route{Args: s.Args}).Arg(containsArg)); post.Text != "" {
		words = append(words, ui.Span("hint", " contains "+post.Text))
	}
	if s.Name != "" {
		words = append([]app.UI{app.B().Text(s.Name + " ")}, words...)
	}
	return []app.UI{
		app.A().Class("item").Href(page.Route{Account: s.Account, Table: s.Table, Args: s.Args}.Href()).DataSet("testid", "saved-query").
			OnClick(p.onCloseMenu).Body(app.Span().Class("name").Body(words...)),
		ui.IconButton(ui.Tiny, ui.IconClose, "Forget this query", p.onForget).DataSet("saved", strconv.Itoa(i)),
	}
}

func (p *Page) onQueryName(_ app.Context, event app.Event) { p.bar.name = ui.Text(event) }

func (p *Page) onNameEnter(_ app.Context, event app.Event) {
	if event.Get("key").String() == "Enter" {
		event.PreventDefault()
		p.saveQuery()
	}
}

func (p *Page) onSaveQuery(app.Context, app.Event) { p.saveQuery() }

func (p *Page) saveQuery() {
	if p.bar.name == "" {
		return
	}
	p.keep(query.Saved{Name: p.bar.name})
	p.Session.Notify("Saved the query " + p.bar.name)
	p.bar.name, p.menu = "", noMenu
}

func (p *Page) onForget(_ app.Context, event app.Event) {
	h := p.history()
	if i, err := strconv.Atoi(ui.Data(event, "saved")); err == nil && i < len(h) {
		browser.Save(query.StorageName(p.Session.Base()), h.Remove(h[i]))
	}
}
