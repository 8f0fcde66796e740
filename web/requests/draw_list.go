package requests

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) drawHead() app.UI {
	found := p.found(p.list.rows)
	count := func(tab string) int {
		n := 0
		for _, r := range found {
			if shows(tab, r) {
				n++
			}
		}
		return n
	}
	pause := ui.Button(ui.Plain, "Pause", p.onPause)
	if p.list.paused {
		pause = ui.Button(ui.Plain, "Resume", p.onPause)
	}
	tabs := []app.UI{p.tab("", "All", count("")), p.tab(showFailed, "Failed", count(showFailed)), p.tab(showScans, "Scans", count(showScans))}
	if n := count(showFaults); n > 0 || p.Route.Arg(showArg) == showFaults {
		tabs = append(tabs, p.tab(showFaults, "Faults", n))
	}
	return ui.Div("head",
		app.Nav().Class("tabs").Aria("label", "Which requests").Body(tabs...),
		app.Span().Class("grow"),
		pause.Aria("pressed", p.list.paused).DataSet("testid", "pause"),
		ui.Button(ui.Plain, "Clear", p.onClear).DataSet("testid", "clear"))
}

func (p *Page) tab(name, label string, n int) app.UI {
	tab := app.A().Class("tab").Href(p.Route.With(showArg, name).Href()).DataSet("testid", "show-"+label).
		Body(app.Text(label), ui.Span("amount", humanize.Number(n)))
	if p.Route.Arg(showArg) == name {
		tab = tab.Aria("current", "page")
	}
	return tab
}

func (p *Page) drawFilter() app.UI {
	accounts := []app.UI{app.Option().Value("").Text("All accounts")}
	only := p.Route.Arg(onlyArg)
	for _, name := range p.accounts() {
		accounts = append(accounts, app.Option().Value(name).Selected(name == only).Text(name))
	}
	return ui.Div("query request-filter",
		&ui.Keyed{Key: strconv.Itoa(p.searches), Draw: func() app.UI {
			return app.Input().Class("input code").Type("search").Placeholder("Filter: text, table:Orders, status:4, method:POST").
				Aria("label", "Filter requests").AutoComplete(false).Spellcheck(false).Value(p.Route.Arg(searchArg)).
				OnInput(p.onSearch).DataSet("testid", "request-search")
		}},
		app.Select().Class("input").Aria("label", "Account").OnChange(p.onAccount).Body(accounts...))
}

// accounts are those that have requests, in the order of their names.
func (p *Page) accounts() []string {
	names := []string{}
	for _, r := range p.list.rows {
		if r.Account != "" && !slices.Contains(names, r.Account) {
			names = append(names, r.Account)
		}
	}
	if only := p.Route.Arg(onlyArg); only != "" && !slices.Contains(names, only) {
		names = append(names, only)
	}
	slices.Sort(names)
	return names
}

func (p *Page) onSearch(_ app.Context, event app.Event) { p.filter(searchArg, ui.Text(event)) }

func (p *Page) onAccount(_ app.Context, event app.Event) { p.filter(onlyArg, ui.Text(event)) }

func (p *Page) filter(name, value string) {
	p.Route, p.limit = p.Route.With(name, value), rowsAtOnce
	p.Session.Replace(p.Route)
}

func (p *Page) drawList() app.UI {
	rows := p.rows()
	body := []app.UI{p.drawHeld()}
	switch {
	case p.loaded.State() == remote.Failed && len(p.list.rows) == 0:
		body = append(body, ui.Retry(p.loaded.Err(), p.onRetry))
	case p.loaded.State() == remote.Loading && len(p.list.rows) == 0:
		body = append(body, ui.Bones(8))
	case len(p.list.rows) == 0:
		body = append(body, ui.Empty(ui.IconPulse, "No requests yet",
			"Every call of an SDK or a page to these tables appears here, from any tab, as soon as it is answered."))
	case len(rows) == 0:
		body = append(body, ui.Empty(ui.IconPulse, "No such request", "Nothing in the list matches the filter.",
			ui.Button(ui.Plain, "Show all", p.onShowAll)))
	default:
		body = append(body, drawTable(rows[:min(len(rows), p.limit)], p.chosen(), p.Route, p.onRow))
	}
	if more := len(rows) - p.limit; more > 0 {
		body = append(body, ui.Div("request-more", ui.Button(ui.Plain, "Show "+humanize.Number(min(more, rowsAtOnce))+" more", p.onMore)))
	}
	return app.Div().Class("results request-list").TabIndex(-1).OnScroll(p.onScroll).Body(body...)
}

func (p *Page) drawHeld() app.UI {
	n := len(p.shown(p.list.held)) // the others would not appear
	return app.Div().Class("request-held").Hidden(n == 0).Role("status").Body(
		app.Button().Type("button").Class("btn small").OnClick(p.onShowHeld).DataSet("testid", "held").Text(humanize.Count(n, "new request", "new requests")))
}

// drawTable draws the rows. Each is a link to its request; a click anywhere in it works, too.
func drawTable(rows []control.Recorded, chosen uint64, route page.Route, click app.EventHandler) app.UI {
	var body []app.UI
	for _, r := range rows {
		id := strconv.FormatUint(r.ID, 10)
		link := app.A().ID(rowID(r.ID)).Href(route.With(idArg, id).Href()).Title(inspect.Resource(r)).Text(inspect.Resource(r))
		row := app.Tr().DataSet("request", id).OnClick(click)
		if r.ID == chosen {
			row, link = row.Class("chosen"), link.Aria("current", "true")
		}
		body = append(body, row.Body(
			app.Td().Class("method").Body(ui.Verb(r.Method)),
			app.Td().Class("resource").Body(link),
			app.Td().Class("answer", answerClass(r.Status)).Text(statusText(r.Status)),
			drawWhat(r),
			app.Td().Class("ms").Text(milliseconds(r.Milliseconds))))
	}
	return app.Table().Class("request-table").Body(
		app.THead().Body(app.Tr().Body(heading("Method", "method"), heading("Resource", "resource"), heading("Status", "answer"), heading("What", "what"), heading("ms", "ms"))),
		app.TBody().DataSet("testid", "requests").Body(body...))
}

func heading(text, class string) app.UI {
	return app.Th().Scope("col").Class(class).Text(text)
}

// drawWhat draws what came of a request. One that was to fail, or to be late, is
// marked with the number of its rule.
func drawWhat(r control.Recorded) app.UI {
	what := inspect.What(r)
	if r.Fault == nil {
		return app.Td().Class("what").Text(what)
	}
	rule := strconv.Itoa(r.Fault.Rule)
	if fault := inspect.FaultOf(r); what != fault { // delayed
		what += ", " + fault
	}
	return app.Td().Class("what", "fault").DataSet("fault", rule).Title(what).Body(
		ui.Span("fault-mark", "rule "+rule), app.Text(" "+strings.TrimPrefix(strings.TrimSuffix(what, " · rule "+rule), strconv.Itoa(r.Status)+" ")))
}

// statusText shows a status; a connection that was cut has none.
func statusText(status int) string {
	if status == 0 {
		return "–"
	}
	return strconv.Itoa(status)
}

func answerClass(status int) string {
	if status >= 400 || status == 0 {
		return "refused"
	}
	return "fine"
}

// milliseconds shows a time: 0.4, 41.7, 1,204.
func milliseconds(ms float64) string {
	if ms >= 999.95 {
		return humanize.Number(int(math.Round(ms)))
	}
	return strconv.FormatFloat(ms, 'f', 1, 64)
}

func (p *Page) onRow(_ app.Context, event app.Event) {
	event.PreventDefault() // of the link
	id, err := strconv.ParseUint(ui.Data(event, "request"), 10, 64)
	if err == nil {
		p.choose(id)
	}
}

func (p *Page) onMore(app.Context, app.Event) { p.limit += rowsAtOnce }

func (p *Page) onShowAll(app.Context, app.Event) {
	p.searches++
	p.Route = p.Route.With(searchArg, "").With(onlyArg, "").With(showArg, "")
	p.Session.Replace(p.Route)
}

func (p *Page) onRetry(app.Context, app.Event) {
	p.loaded = p.loaded.Asked()
	p.readAll()
}

func (p *Page) onShowHeld(_ app.Context, event app.Event) {
	p.list.paused, p.scrolled = false, false
	p.list.showHeld()
	if app.IsClient {
		event.Get("target").Call("closest", ".request-list").Call("scrollTo", 0, 0)
	}
}

// onScroll keeps the rows in place while the list is not at its top.
func (p *Page) onScroll(ctx app.Context, event app.Event) {
	scrolled := event.Get("target").Get("scrollTop").Float() > 0
	if scrolled == p.scrolled {
		ctx.PreventUpdate()
		return
	}
	p.scrolled = scrolled
	if !scrolled && !p.list.paused {
		p.list.showHeld()
	}
}

func (p *Page) drawStatus() app.UI {
	times := make([]float64, 0, len(p.list.rows))
	for _, r := range p.list.rows {
		times = append(times, r.Milliseconds)
	}
	slices.Sort(times)
	state := "live"
	if p.list.paused {
		state = "paused"
	}
	speed := ""
	if len(times) > 0 {
		speed = fmt.Sprintf("p50 %s ms · p99 %s ms in the engine", milliseconds(inspect.Percentile(times, .5)), milliseconds(inspect.Percentile(times, .99)))
	}
	return app.Footer().Class("status").Body(
		app.Span().Role("status").DataSet("testid", "request-count").Text(humanize.Count(len(p.list.rows), "request", "requests")+" · "+state),
		app.Span().Class("grow"),
		ui.Span("optional", speed))
}
