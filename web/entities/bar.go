package entities

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/ui"
)

// bar is the state of the query bar: the builder and the editor show the same
// filter.
type bar struct {
	filter  string
	selects string
	clauses []query.Clause
	simple  bool // the clauses show the whole filter
	broken  bool // the filter has an error: the clauses show its beginning, and cannot be changed
	post    query.PostFilter
	redraws int // changes when the program sets the texts, so that the fields are drawn again

	suggestions []query.Suggestion
	chosen      int // among the suggestions, -1 for none
	caret       int // in bytes

	jump [2]string // the keys to jump to
	name string    // for the query to be saved
	find string    // narrows the menu of columns
}

// menu is which popup is open.
type menu uint8

const (
	noMenu menu = iota
	columnsMenu
	savedMenu
	jumpMenu
	sortMenu
)

// show takes the query of a route.
func (b *bar) show(r page.Route) {
	b.clauses = slices.DeleteFunc(slices.Clone(b.clauses), isLocal) // it is added below
	b.set(r.Arg(filterArg))
	b.selects, b.post = r.Arg(selectArg), query.ParsePostFilter(r.Arg(containsArg))
	if b.post.Text != "" {
		b.clauses = append(b.clauses, query.Clause{Property: b.post.Property, Operator: query.Contains, Type: odata.EdmString, Text: b.post.Text})
	}
}

// set replaces the filter by one that the user did not type.
func (b *bar) set(filter string) {
	b.filter = filter
	b.suggestions = nil
	b.redraws++
	b.parse()
}

// parse brings the builder in step with the editor. Clauses that are not part
// of the filter stay.
func (b *bar) parse() {
	clauses, simple := query.Clauses(b.filter)
	b.broken = !simple && query.Diagnose(b.filter) != nil
	if b.broken {
		if text, _ := query.Compile(b.clauses); text == b.filter {
			b.broken = false // the builder itself wrote the error, and can correct it
			return
		}
		clauses, simple = query.Clauses(b.filter[:max(strings.LastIndex(b.filter, " and "), 0)])
	}
	b.simple = simple
	for _, c := range b.clauses {
		if isLocal(c) {
			clauses = append(clauses, c)
		}
	}
	b.clauses = clauses
}

// isLocal reports whether the page itself looks for what a clause says.
func isLocal(c query.Clause) bool { return c.Operator == query.Contains }

// compile brings the editor in step with the builder.
func (b *bar) compile() {
	b.filter, b.post = query.Compile(b.clauses)
	b.suggestions, b.broken = nil, false
	b.redraws++
}

// submitQuery goes to the route of the query, and runs it even if that is the
// present route.
func (p *Page) submitQuery() {
	p.bar.suggestions = nil
	r := p.route()
	if r.With(entityArg, "") == p.query() {
		p.run()
		return
	}
	p.Session.Navigate(r)
}

// properties are what the filter can name, with what is known of them.
func (p *Page) properties() []query.Property {
	all := []query.Property{
		{Name: odata.PartitionKeyName, Type: odata.EdmString}, {Name: odata.RowKeyName, Type: odata.EdmString},
	}
	names := append(p.schema.Names(), odata.TimestampName)
	slices.Sort(names)
	for _, name := range names {
		s, _ := p.schema.Property(name)
		all = append(all, query.Property{Name: name, Type: s.Type, Min: s.Min, Max: s.Max})
	}
	return all
}

// remember adds the query that is run to the history, with its plan if it is known to be
// a scan. Without a filter there is nothing to remember.
func (p *Page) remember(scan string) {
	if p.Route.Arg(filterArg) == "" && p.Route.Arg(containsArg) == "" {
		return
	}
	p.keep(query.Saved{Kind: scan})
}

func (p *Page) history() query.History {
	h, _ := browser.Load(query.StorageName(p.Session.Base()), query.History.Valid)
	return h
}

// keep adds the present query to the history, under the name of s if it has one.
func (p *Page) keep(s query.Saved) {
	s.Account, s.Table, s.Args, s.Filter, s.At = p.Route.Account, p.Route.Table, p.query().Args, p.Route.Arg(filterArg), time.Now()
	browser.Save(query.StorageName(p.Session.Base()), p.history().Add(s))
}

func (p *Page) openMenu(m menu) {
	if p.menu == m {
		p.menu = noMenu
		return
	}
	p.menu, p.bar.find = m, ""
	browser.Focus(p.ctx, "popup-first")
}

func (p *Page) onCloseMenu(app.Context, app.Event) { p.menu = noMenu }

func (p *Page) onColumns(app.Context, app.Event) { p.openMenu(columnsMenu) }

func (p *Page) onSaved(app.Context, app.Event) { p.openMenu(savedMenu) }

func (p *Page) drawQuery() app.UI {
	wrong := p.results.refused && client.IsAboutQuery(p.results.err)
	return &ui.Keyed{Key: "query", Draw: func() app.UI {
		mistake := p.mistake()
		body := []app.UI{p.drawBuilder(mistake), p.drawEditor(wrong, mistake), p.drawProblem(wrong), p.drawCompletion(), p.drawMenu()}
		return app.Form().Class("query").Role("search").Aria("label", "Query").OnSubmit(p.onSubmit).On("focusout", p.onLeaveMenu).Body(body...)
	}}
}

// mistake returns what is wrong with the filter that was refused, nil if nothing is known
// or the text has it no longer.
func (p *Page) mistake() *query.Problem {
	if !p.results.refused || !client.IsAboutQuery(p.results.err) {
		return nil
	}
	was, now := query.Diagnose(p.results.asked.Arg(filterArg)), query.Diagnose(p.bar.filter)
	if was == nil || now == nil || now.From != was.From || now.Text != was.Text {
		return nil
	}
	return now
}

// onlyQuery is called by a handler in the query bar that changes nothing else: the
// page around it is not drawn.
func (p *Page) onlyQuery() { p.ctx.PreventUpdate() }

func (p *Page) drawMenu() app.UI {
	switch p.menu {
	case columnsMenu:
		return p.drawColumns()
	case savedMenu:
		return p.drawSaved()
	}
	return app.Div().Hidden(true)
}

// onLeaveMenu closes the popup when the focus leaves it for anything but its button. The
// heads of the columns are the buttons of the menu for sorting.
func (p *Page) onLeaveMenu(ctx app.Context, event app.Event) {
	to := event.Get("relatedTarget")
	if p.menu == noMenu || !to.Truthy() || to.Call("closest", ".popup, [aria-expanded=true], .head-button").Truthy() {
		ctx.PreventUpdate()
		return
	}
	p.menu = noMenu
}

func (p *Page) onSubmit(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.submitQuery()
}

// drawSort asks what to sort while not all rows have been loaded, below the head of the column.
func (p *Page) drawSort() app.UI {
	if p.menu != sortMenu {
		return app.Div().Hidden(true)
	}
	n := humanize.Number(p.listing().Len())
	text := "More rows follow the " + n + " that are loaded. Sorting them alone can mislead."
	alone := ui.Button(ui.Plain, "Sort the "+n+" loaded rows", p.onSortLoaded).DataSet("testid", "sort-loaded")
	if !p.listing().HasAll() {
		text = "Some of the " + n + " loaded rows are no longer in memory. Sorting reads all rows again."
		alone = alone.Hidden(true)
	}
	return app.Div().Class("popup sort").Role("dialog").Aria("label", "Sort by "+p.sorting.column).On("focusout", p.onLeaveMenu).
		Style("left", "max(0px, min("+strconv.Itoa(p.sorting.left)+"px, 100% - 434px))").Body(
		app.P().Text(text),
		ui.Div("row",
			ui.Button(ui.Primary, "Load all, then sort", p.onSortAll).ID("popup-first").DataSet("testid", "sort-all"),
			alone,
			ui.Button(ui.Quiet, "Cancel", p.onCloseMenu)))
}

// drawJump asks for the key to jump to, above its button.
func (p *Page) drawJump() app.UI {
	if p.menu != jumpMenu {
		return app.Div().Hidden(true)
	}
	field := func(i, id, label string) app.UI {
		return app.Label().Class("stack").Body(app.Text(label), app.Input().ID(id).Class("input code").Type("text").
			AutoComplete(false).Spellcheck(false).DataSet("jump", i).DataSet("testid", "jump-"+label).OnInput(p.onJumpKey))
	}
	return app.Div().Class("popup jump").Role("dialog").Aria("label", "Jump to a key").On("focusout", p.onLeaveMenu).OnKeyDown(p.onJumpEnter).Body(
		field("0", "popup-first", "PartitionKey"), field("1", "jump-row", "RowKey"),
		ui.Div("row", ui.Button(ui.Primary, "Jump", p.onJump).DataSet("testid", "jump"), ui.Button(ui.Quiet, "Cancel", p.onCloseMenu)))
}

func (p *Page) onJumpKey(_ app.Context, event app.Event) {
	p.bar.jump[strings.IndexByte("01", ui.Data(event, "jump")[0])] = ui.Text(event)
}

func (p *Page) onJumpEnter(_ app.Context, event app.Event) {
	if event.Get("key").String() == "Enter" {
		event.PreventDefault()
		event.Call("stopPropagation")
		p.jump()
	}
}

func (p *Page) onJump(app.Context, app.Event) { p.jump() }

func (p *Page) onJumpMenu(app.Context, app.Event) {
	p.bar.jump = [2]string{}
	p.openMenu(jumpMenu)
}
