package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/grid"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// pageSize is how many entities are asked for at once.
const pageSize = 100

// query is the state of the query's fields.
type query struct {
	filter     string
	selects    string
	showSelect bool
	// epoch changes when the program sets the texts, so that the fields are
	// drawn anew.
	epoch int
}

// show takes the texts of a place.
func (q *query) show(p Place) {
	if q.filter != p.Filter || q.selects != p.Select {
		q.epoch++
	}
	q.filter, q.selects = p.Filter, p.Select
	q.showSelect = q.showSelect || p.Select != ""
}

// results is what a query brought, page after page.
type results struct {
	asked     Place // what the entities answer
	state     remote.State
	more      bool // it is the next page that is on its way
	err       error
	held      bool // there was an answer
	entities  []tableclient.Entity
	next      *tableclient.Continuation
	explain   tableclient.Explain
	elapsed   time.Duration
	timestamp bool // the column is shown

	// What follows from the entities, kept until they change.
	sheet sheet

	run    int // counts queries: an answer to an older one is dropped
	active int // the row that the keyboard is at, -1 for none
	window grid.Window
}

// sheet is the entities with their columns.
type sheet struct {
	valid     bool
	timestamp bool
	entities  []*odata.Entity
	columns   []grid.Column
	left      int // columns that are not shown
}

// shown returns the entities with their columns. Drawing asks for them at each
// step of scrolling, so they are worked out once.
func (r *results) shown() *sheet {
	s := &r.sheet
	if s.valid && s.timestamp == r.timestamp {
		return s
	}
	entities := make([]*odata.Entity, len(r.entities))
	for i := range r.entities {
		entities[i] = r.entities[i].Entity
	}
	columns, left := grid.Columns(entities, r.timestamp)
	*s = sheet{true, r.timestamp, entities, columns, left}
	return s
}

func (r *results) fail(err error) { r.state, r.err = remote.Failed, err }

// answered takes a page: the first, or the next one.
func (r *results) answered(asked Place, page tableclient.Page) {
	if !r.more {
		r.entities, r.explain, r.elapsed = nil, tableclient.Explain{}, 0
		r.active = min(r.active, len(page.Entities)-1)
	}
	r.asked, r.state, r.err, r.held, r.more = asked, remote.Loaded, nil, true, false
	r.entities, r.sheet = slices.Concat(r.entities, page.Entities), sheet{}
	r.next = page.Next
	r.explain = r.explain.Plus(page.Explain)
	r.elapsed += page.Elapsed
}

// index returns the row of the entity with this key, or where it would stand.
func (r *results) index(key odata.Key) (int, bool) {
	return slices.BinarySearchFunc(r.entities, key, func(e tableclient.Entity, k odata.Key) int { return e.Key().Compare(k) })
}

// put shows a changed or new entity in its row. It reports false where a new
// one has no place: beyond the last page, or outside of the filter.
func (r *results) put(e tableclient.Entity) bool {
	i, found := r.index(e.Key())
	if found {
		r.entities, r.sheet = slices.Clone(r.entities), sheet{}
		r.entities[i] = e
		return true
	}
	if i == len(r.entities) && r.next != nil || !matches(r.asked.Filter, e.Entity) {
		return false
	}
	r.entities, r.sheet = slices.Insert(slices.Clone(r.entities), i, e), sheet{}
	return true
}

// take takes the row of an entity away.
func (r *results) take(key odata.Key) {
	if i, found := r.index(key); found {
		r.entities, r.sheet = slices.Delete(slices.Clone(r.entities), i, i+1), sheet{}
		r.active = min(r.active, len(r.entities)-1)
	}
}

// matches reports whether an entity passes a filter; a filter that does not
// parse lets nothing pass.
func matches(text string, e *odata.Entity) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	x, err := filter.Parse(text)
	return err == nil && filter.Match(x, e)
}

// submitQuery goes to the place that the fields name, and asks even if that is
// the present one.
func (e *explorer) submitQuery() {
	p := e.place
	p.Filter, p.Select = strings.TrimSpace(e.query.filter), strings.TrimSpace(e.query.selects)
	e.step(p)
}

// runQuery asks for the first page of the place.
func (e *explorer) runQuery() {
	e.results.more = false
	e.results.active = -1
	e.scrollTo(0)
	e.requestPage(nil)
}

// loadMore asks for the page after the last one.
func (e *explorer) loadMore() {
	if e.results.next == nil || e.results.state == remote.Loading {
		return
	}
	e.results.more = true
	e.requestPage(e.results.next)
}

// requestPage asks for one page.
func (e *explorer) requestPage(from *tableclient.Continuation) {
	e.results.run++
	e.results.state, e.results.err = remote.Loading, nil
	run, p := e.results.run, e.place
	e.background(func(c context.Context) func() {
		page, err := e.client(p.Account).Query(c, p.Table, tableclient.Query{Filter: p.Filter, Select: withKeys(p.Select), Top: pageSize, From: from})
		return func() {
			switch {
			case run != e.results.run:
			case err != nil:
				e.results.fail(err)
			default:
				e.results.answered(p, page)
				e.measure()
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

func (e *explorer) head() app.UI {
	return app.Div().Class("head").Body(
		app.H1().Body(app.Text(e.place.Table)),
		app.Span().Class("grow"),
		ui.IconButton(ui.Square, ui.IconRefresh, "Run the query again (F5)", e.onRun),
		ui.IconButton(ui.Square, ui.IconTrash, "Delete the table "+e.place.Table, e.onDeleteTable).DataSet("testid", "delete-table"),
		ui.AddButton(ui.Primary, "Entity", e.onNewEntity).DataSet("testid", "new-entity"),
	)
}

func (e *explorer) drawQuery() app.UI {
	q := e.query
	failed := e.results.state == remote.Failed && !e.results.more
	field := e.queryField("filter-input", "$filter", q.filter, "PartitionKey eq 'a' and Age ge 21    (empty: all entities)", failed, e.onFilter,
		app.Kbd().Body(app.Text("F5")), ui.SubmitButton("Run", false).DataSet("testid", "run-filter"))
	columns := ui.Button(ui.Quiet, "Columns", e.onShowSelect).Aria("expanded", q.showSelect).DataSet("testid", "columns")
	body := []app.UI{app.Div().Class("row").Body(field, columns)}
	if q.showSelect {
		body = append(body, e.queryField("select-input", "$select", q.selects, "Name,Age    (empty: all properties)", false, e.onSelect))
	}
	if failed {
		body = append(body, errorNote(e.results.err).DataSet("testid", "filter-error"))
	}
	return app.Form().Class("query").Role("search").Aria("label", "Query").OnSubmit(e.onSubmit).Body(body...)
}

func (e *explorer) queryField(id, label, text, placeholder string, invalid bool, h app.EventHandler, after ...app.UI) app.UI {
	class := "editor"
	if invalid {
		class += " invalid"
	}
	input := &ui.Keyed{Key: fmt.Sprint(id, e.place.Account, e.place.Table, e.query.epoch), Draw: func() app.UI {
		return app.Input().ID(id).Type("text").DataSet("testid", id).Placeholder(placeholder).AutoComplete(false).
			Spellcheck(false).Attr("autocapitalize", "off").Attr("enterkeyhint", "go").Aria("invalid", invalid).Value(text).OnInput(h)
	}}
	return app.Div().Class(class).Body(append([]app.UI{app.Label().For(id).Body(app.Text(label)), input}, after...)...)
}

func (e *explorer) onFilter(_ app.Context, event app.Event) { e.query.filter = ui.Text(event) }

func (e *explorer) onSelect(_ app.Context, event app.Event) { e.query.selects = ui.Text(event) }

func (e *explorer) onSubmit(_ app.Context, event app.Event) {
	event.PreventDefault()
	e.submitQuery()
}

func (e *explorer) onRun(app.Context, app.Event) { e.submitQuery() }

func (e *explorer) drawExplain() app.UI {
	r := e.results
	if !r.held || r.explain.Kind == "" {
		return app.Div().Hidden(true)
	}
	return ui.Explain(ui.Explanation{
		Kind: r.explain.Kind, Returned: r.explain.Returned, Examined: r.explain.Examined, Blocks: r.explain.Blocks,
		Elapsed: milliseconds(r.elapsed), Advice: advice(r.explain.Kind, r.asked.Filter),
	})
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// advice says in one sentence which key would have made a query read less.
// Without a filter everything was wanted, and there is nothing to say.
func advice(kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	switch kind {
	case "table scan":
		return "No single PartitionKey in the filter: every partition is searched. Add PartitionKey eq '…' to read only one."
	case "partition scan":
		return "No RowKey in the filter: the whole partition is searched. Add RowKey eq '…', or RowKey ge '…' and RowKey lt '…', to read a part of it."
	}
	return ""
}

func (e *explorer) drawStatus() app.UI {
	r := e.results
	body := []app.UI{
		app.Span().Role("status").DataSet("testid", "loaded").Body(app.Text(loadedText(r))),
		app.Span().Class("grow"),
		app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(r.timestamp).OnChange(e.onTimestamp), app.Text("Timestamp")),
		app.Span().Class("optional").Body(app.Text("UTC")),
	}
	if status, ok := e.status.Data(); ok && status.Durability != "" {
		body = append(body, app.Span().Class("optional").Title(durabilityText(status.Durability)).Body(app.Text(status.Durability+" durability")))
	}
	return app.Footer().Class("status").Body(body...)
}

func durabilityText(durability string) string {
	if durability == "strict" {
		return "An answered write survives power loss"
	}
	return "An answered write survives a killed browser, not always a power loss"
}

// loadedText says how many entities there are to see, and whether that is all.
func loadedText(r results) string {
	n := ui.Number(len(r.entities))
	switch {
	case r.state == remote.Loading && !r.held:
		return "Loading…"
	case r.state == remote.Loading:
		return n + " loaded, reading…"
	case !r.held:
		return ""
	case r.next != nil:
		return n + " loaded, more follow"
	case len(r.entities) == 0:
		return "No entities"
	}
	return "All " + n + " loaded"
}

func (e *explorer) onTimestamp(app.Context, app.Event) { e.results.timestamp = !e.results.timestamp }

func (e *explorer) onShowSelect(app.Context, app.Event) {
	e.query.showSelect = !e.query.showSelect
	if !e.query.showSelect && e.query.selects != "" {
		e.query.selects = ""
		e.submitQuery()
		return
	}
	e.focus("select-input")
}

func (e *explorer) onMore(app.Context, app.Event) { e.loadMore() }
