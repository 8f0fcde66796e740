package entities

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// pageSize is how many entities are read at once.
const pageSize = 100

// query is the state of the query's fields.
type query struct {
	filter     string
	selects    string
	showSelect bool
	epoch      int // changes when the program sets the texts, so that the fields are drawn again
}

// show takes the texts of a route.
func (q *query) show(r page.Route) {
	filter, selects := r.Arg(filterArg), r.Arg(selectArg)
	if q.filter != filter || q.selects != selects {
		q.epoch++
	}
	q.filter, q.selects = filter, selects
	q.showSelect = q.showSelect || selects != ""
}

// submitQuery goes to the route of the fields, and runs the query even if that
// is the present route.
func (p *Page) submitQuery() {
	r := p.Route.With(filterArg, strings.TrimSpace(p.query.filter)).With(selectArg, strings.TrimSpace(p.query.selects))
	if r == p.Route {
		p.runQuery()
		return
	}
	p.Session.Navigate(r)
}

// runQuery reads the first page of the route.
func (p *Page) runQuery() {
	p.shown = p.Route
	p.results.more = false
	p.results.active = -1
	p.scrollTo(0)
	p.requestPage(nil)
}

// loadMore reads the page after the last one.
func (p *Page) loadMore() {
	if p.results.next == nil || p.results.state == remote.Loading {
		return
	}
	p.results.more = true
	p.requestPage(p.results.next)
}

// requestPage reads one page.
func (p *Page) requestPage(from *client.Continuation) {
	p.results.run++
	p.results.state, p.results.err = remote.Loading, nil
	run, route := p.results.run, p.Route
	page.Background(p.ctx, func(c context.Context) func() {
		answer, err := p.client().Query(c, route.Table, client.Query{Filter: route.Arg(filterArg), Select: withKeys(route.Arg(selectArg)), Top: pageSize, From: from})
		return func() {
			switch {
			case run != p.results.run:
			case err != nil:
				p.results.fail(err)
			default:
				p.results.answered(route, answer)
				p.measure()
			}
		}
	})
}

// withKeys adds the keys to a $select: without them no row can be opened.
func withKeys(selects string) string {
	if strings.TrimSpace(selects) == "" || strings.TrimSpace(selects) == "*" {
		return selects
	}
	names := strings.Split(selects, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	for _, key := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	return strings.Join(names, ",")
}

func (p *Page) drawQuery() app.UI {
	q := p.query
	failed := p.results.state == remote.Failed && !p.results.more
	field := p.queryField("filter-input", "$filter", q.filter, "PartitionKey eq 'a' and Age ge 21    (empty: all entities)", failed, p.onFilter,
		app.Kbd().Body(app.Text("F5")), ui.SubmitButton("Run", false).DataSet("testid", "run-filter"))
	columns := ui.Button(ui.Quiet, "Columns", p.onShowSelect).Aria("expanded", q.showSelect).DataSet("testid", "columns")
	body := []app.UI{app.Div().Class("row").Body(field, columns)}
	if q.showSelect {
		body = append(body, p.queryField("select-input", "$select", q.selects, "Name,Age    (empty: all properties)", false, p.onSelect))
	}
	if failed {
		body = append(body, ui.Failure(p.results.err).DataSet("testid", "filter-error"))
	}
	return app.Form().Class("query").Role("search").Aria("label", "Query").OnSubmit(p.onSubmit).Body(body...)
}

func (p *Page) queryField(id, label, text, placeholder string, invalid bool, h app.EventHandler, after ...app.UI) app.UI {
	class := "editor"
	if invalid {
		class += " invalid"
	}
	input := &ui.Keyed{Key: fmt.Sprint(id, p.query.epoch), Draw: func() app.UI {
		return app.Input().ID(id).Type("text").DataSet("testid", id).Placeholder(placeholder).AutoComplete(false).
			Spellcheck(false).Attr("autocapitalize", "off").Attr("enterkeyhint", "go").Aria("invalid", invalid).Value(text).OnInput(h)
	}}
	return app.Div().Class(class).Body(append([]app.UI{app.Label().For(id).Body(app.Text(label)), input}, after...)...)
}

func (p *Page) onFilter(_ app.Context, event app.Event) { p.query.filter = ui.Text(event) }

func (p *Page) onSelect(_ app.Context, event app.Event) { p.query.selects = ui.Text(event) }

func (p *Page) onSubmit(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.submitQuery()
}

func (p *Page) onRun(app.Context, app.Event) { p.submitQuery() }

func (p *Page) onShowSelect(app.Context, app.Event) {
	p.query.showSelect = !p.query.showSelect
	if !p.query.showSelect && p.query.selects != "" {
		p.query.selects = ""
		p.submitQuery()
		return
	}
	browser.Focus(p.ctx, "select-input")
}

func (p *Page) onMore(app.Context, app.Event) { p.loadMore() }
