package playground

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/grid"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) onReread(app.Context, app.Event) { p.readResults() }

func (p *Page) drawRequests() app.UI {
	list, read := p.requests.Data()
	switch {
	case p.requests.State() == remote.Failed:
		return ui.Retry(p.requests.Err(), p.onReread)
	case p.requests.State() == remote.Loading && !read:
		return ui.Bones(4)
	case len(list) == 0:
		return ui.Empty(ui.IconPulse, "No requests", "Each request of the program is listed here, with what it read.")
	}
	shown := list[max(0, len(list)-shownRequests):]
	var items []app.UI
	for _, r := range shown {
		items = append(items, drawRequest(r))
	}
	all := p.requestCount(list)
	return app.Div().Body(
		app.P().Class("hint").Hidden(len(shown) == all).Text(fmt.Sprintf("%s of %s requests, the last ones.", humanize.Number(len(shown)), humanize.Number(all))),
		app.Ol().Class("playground-requests").Body(items...))
}

// shownRequests is how many requests of a run are drawn.
const shownRequests = 200

// requestCount returns how many requests the run has sent, of which the list may lack some.
func (p *Page) requestCount(list []control.Recorded) int {
	if end := p.console.end; end != nil && !p.kept().whole {
		return max(len(list), end.Requests)
	}
	return len(list)
}

// drawRequest draws a request and how it was answered: a filled square for what
// was read, an empty one for what was written.
func drawRequest(r control.Recorded) app.UI {
	answer := "fine"
	if r.Failed() {
		answer = "refused"
	}
	return app.Li().Body(append([]app.UI{
		ui.Div("row",
			ui.Verb(r.Method),
			app.A().Class("grow").Href(page.RequestRoute(r.ID).Href()).Text(inspect.Resource(r)),
			app.Span().Class("answer", answer).Text(strconv.Itoa(r.Status)),
			app.Span().Class("ms").Title("milliseconds in the engine").Text(strconv.FormatFloat(r.Milliseconds, 'f', 1, 64)))},
		drawPlan(r)...)...)
}

// drawPlan draws what a request read or wrote, and how to read less.
func drawPlan(r control.Recorded) []app.UI {
	what, mark := inspect.What(r), "write"
	if r.Method == "GET" {
		mark = "read"
	}
	if s := r.Statistics; s != nil {
		what += fmt.Sprintf(" · %s returned of %s examined", humanize.Number(s.Returned), humanize.Number(s.Examined))
	}
	plan := []app.UI{app.Div().Class("plan", mark).Text(what)}
	if r.Statistics != nil && r.Scanned() {
		plan = append(plan, app.Small().Text(inspect.PlanAdvice(r.Statistics.Kind)))
	}
	return plan
}

func (p *Page) drawTables() app.UI {
	list, read := p.tables.Data()
	switch {
	case p.tables.State() == remote.Failed:
		return ui.Retry(p.tables.Err(), p.onReread)
	case p.tables.State() == remote.Loading && !read:
		return ui.Bones(4)
	case len(list) == 0:
		return ui.Empty(ui.IconTable, "No tables", "What the programs store stays here until you reset it, or reload or close the page.")
	}
	var all []app.UI
	for _, t := range list {
		all = append(all, p.drawTable(t))
	}
	return ui.Div("playground-tables", all...)
}

func (p *Page) drawTable(t contents) app.UI {
	columns := t.columns()
	var rows []app.UI
	for _, e := range t.first {
		var cells []app.UI
		for _, name := range columns {
			cell := grid.CellOf(e.Entity, name, grid.Format{})
			cells = append(cells, app.Td().Class(cell.Class).Text(cell.Text))
		}
		rows = append(rows, app.Tr().Body(cells...))
	}
	amount := humanize.Count(len(t.first), "entity", "entities")
	if t.Entities > len(t.first) {
		amount = "the first " + humanize.Number(len(t.first)) + " of " + humanize.Number(t.Entities) + " entities"
	}
	return app.Section().Aria("label", t.Name).Body(
		app.H2().Body(
			app.A().Href(page.Route{Account: p.account, Table: t.Name}.Href()).Text(t.Name), app.Small().Text(amount)),
		app.Div().Class("scroller").Hidden(len(rows) == 0).Body(
			app.Table().Class("playground-table").DataSet("testid", "table-"+t.Name).Body(ui.Heads(columns...), app.TBody().Body(rows...))))
}
