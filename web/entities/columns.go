package entities

import (
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/grid"
	"sandtable/web/listing"
	"sandtable/web/ui"
)

// settingsName is where this browser keeps the columns of the table.
func (p *Page) settingsName() string {
	return "sandtable.columns " + p.Session.Base() + p.Route.Account + "/" + p.Route.Table
}

// loadSettings reads the settings. It says once if those that were kept cannot be read.
func (p *Page) loadSettings() {
	settings, kept := browser.Load(p.settingsName(), grid.Settings.Valid)
	p.settings = settings
	if !kept && browser.Stored(p.settingsName()) {
		p.set(settings)
		p.Session.Notify("The columns, widths and sorting of " + p.Route.Table + " could not be read and were reset. Saved queries are not affected.")
	}
}

// set changes the settings and keeps them.
func (p *Page) set(s grid.Settings) {
	p.settings = s
	p.sheet.columns = nil
	browser.Save(p.settingsName(), s)
}

// format says how dates are shown.
func (p *Page) format() grid.Format {
	if !p.settings.Local {
		return grid.Format{}
	}
	return grid.Format{Zone: browser.LocalOffset}
}

// sortedBy returns the column by which the rows are sorted now.
func (p *Page) sortedBy() string {
	if p.listing().Sorted() {
		return p.settings.Sort
	}
	return ""
}

// sortLimit is how many rows can be sorted: all have to be in memory.
const sortLimit = 250_000

// onSort sorts by a column: ascending, descending, and by key again. Not all
// rows may have been loaded: then it asks which to sort.
func (p *Page) onSort(_ app.Context, event app.Event) {
	s := sorting{column: ui.Data(event, "column")}
	if p.sortedBy() == s.column {
		if p.settings.Down {
			s.column = ""
		}
		s.down = !p.settings.Down
	}
	if s.column == "" || p.listing().Complete() || p.listing().Sorted() {
		p.sortBy(s)
		return
	}
	if head := event.Get("target").Call("closest", "th"); head.Truthy() {
		left := func(e app.Value) int { return e.Call("getBoundingClientRect").Get("left").Int() }
		s.left = left(head) - left(head.Call("closest", ".results"))
	}
	if p.menu == sortMenu && p.sorting.column != s.column {
		p.menu = noMenu // it opens again at this column
	}
	p.sorting = s
	p.openMenu(sortMenu)
}

// sorting is a column to sort by, "" for the order of the keys.
type sorting struct {
	column string
	down   bool
	left   int // where its head is, from the left edge of the results; 0 without one
}

func (p *Page) sortBy(s sorting) {
	settings := p.settings
	settings.Sort, settings.Down = s.column, s.down
	p.set(settings)
	p.sortRows()
}

func (p *Page) sortRows() {
	p.menu = noMenu
	var compare func(a, b client.Entity) int
	if p.settings.Sort != "" {
		if !p.listing().HasAll() {
			p.Session.Notify("Only rows in memory can be sorted; run the query again with a narrower filter")
			return
		}
		compare = listing.Compare(p.settings.Sort, p.settings.Down)
	}
	p.listing().Sort(compare)
	p.scrollTo(0)
	p.measure()
}

func (p *Page) onSortLoaded(app.Context, app.Event) { p.sortBy(p.sorting) }

func (p *Page) onSortAll(app.Context, app.Event) {
	p.menu = noMenu
	if !p.listing().HasAll() {
		p.run() // some rows have left the memory
	}
	p.results.rows.Resident, p.results.resident = sortLimit, sortLimit
	s := p.sorting
	p.loadAllThen(func() { p.sortBy(s) })
}

// onHeadKey resizes and moves a column by the keyboard.
func (p *Page) onHeadKey(_ app.Context, event app.Event) {
	key, name := event.Get("key").String(), ui.Data(event, "column")
	step := map[string]int{"ArrowLeft": -1, "ArrowRight": 1}[key]
	if step == 0 {
		return
	}
	switch {
	case event.Get("shiftKey").Truthy():
		for _, c := range p.columns() {
			if c.Name == name {
				p.set(p.settings.Resize(name, c.Width+16*step))
				break
			}
		}
	case event.Get("altKey").Truthy():
		p.shift(name, step)
	default:
		return
	}
	event.PreventDefault()
}

// shift moves a column by one place.
func (p *Page) shift(name string, step int) {
	all := p.columns()
	for i, c := range all {
		if c.Name != name {
			continue
		}
		switch to := i + step; {
		case step < 0 && to >= 0:
			p.set(p.settings.Move(all, name, all[to].Name))
		case step > 0 && to+1 < len(all):
			p.set(p.settings.Move(all, name, all[to+1].Name))
		case step > 0:
			p.set(p.settings.Move(all, name, ""))
		}
		return
	}
}

// onResizeStart follows the pointer until it is released. Until then only the
// column's element changes; the page is drawn once.
func (p *Page) onResizeStart(ctx app.Context, event app.Event) {
	event.PreventDefault()
	event.Call("stopPropagation")
	name := ui.Data(event, "column")
	col := sheetElement().Call("querySelector", "col[data-column="+fmt.Sprintf("%q", name)+"]")
	if !col.Truthy() {
		return
	}
	start := event.Get("clientX").Int()
	width := col.Get("offsetWidth").Int()
	if width == 0 {
		for _, c := range p.columns() {
			if c.Name == name {
				width = c.Width
			}
		}
	}
	now := width
	var release []func()
	release = append(release,
		browser.Listen(app.Window(), "pointermove", func(move app.Value) {
			now = max(40, width+move.Get("clientX").Int()-start)
			col.Get("style").Set("width", fmt.Sprint(now, "px"))
		}),
		browser.Listen(app.Window(), "pointerup", func(app.Value) {
			ctx.Dispatch(func(app.Context) {
				for _, f := range release {
					f()
				}
				p.set(p.settings.Resize(name, now))
			})
		}))
}

func (p *Page) onDragStart(ctx app.Context, event app.Event) {
	p.sheet.dragged = ui.Data(event, "column")
	if transfer := event.Get("dataTransfer"); transfer.Truthy() {
		transfer.Call("setData", "text/plain", p.sheet.dragged)
	}
	ctx.PreventUpdate()
}

func (p *Page) onDragOver(ctx app.Context, event app.Event) {
	if p.sheet.dragged != "" {
		event.PreventDefault()
	}
	ctx.PreventUpdate()
}

func (p *Page) onDrop(_ app.Context, event app.Event) {
	event.PreventDefault()
	if name := p.sheet.dragged; name != "" {
		p.set(p.settings.Move(p.columns(), name, ui.Data(event, "column")))
	}
	p.sheet.dragged = ""
}

// drawColumns draws the menu in which columns are chosen and ordered.
func (p *Page) drawColumns() app.UI {
	var items []app.UI
	for _, c := range p.columns() {
		// Hidden, not left out: each checkbox keeps its element.
		items = append(items, app.Li().DataSet("column", c.Name).Hidden(!p.found(c)).Body(
			app.Label().Class("check").Title(c.Name).Body(
				app.Input().Type("checkbox").Checked(!c.Hidden).DataSet("testid", "column-"+c.Name).OnChange(p.onHide),
				ui.Span("name", c.Name), app.Small().Text(c.TypeName())),
			app.Span().Class("grow"), p.drawSortButton(c.Name),
			ui.IconButton(ui.Tiny, ui.IconUp, "Move "+c.Name+" to the left", p.onShiftLeft),
			ui.IconButton(ui.Tiny, ui.IconDown, "Move "+c.Name+" to the right", p.onShiftRight)))
	}
	return app.Div().Class("popup columns").Role("dialog").Aria("label", "Columns").Body(
		app.Input().ID("popup-first").Class("input").Type("search").Placeholder("Find a column").Aria("label", "Find a column").
			AutoComplete(false).Spellcheck(false).DataSet("testid", "find-column").OnInput(p.onFindColumn).OnKeyDown(p.onFindKey),
		app.Ul().Body(items...),
		ui.Div("row",
			ui.Button(ui.Plain, "Show all", p.onShowColumns).DataSet("testid", "show-columns"),
			ui.Button(ui.Plain, "Hide all", p.onHideColumns).Title("Hide all listed columns but the keys").DataSet("testid", "hide-columns"),
			ui.Button(ui.Plain, "Reset", p.onResetColumns).DataSet("testid", "reset-columns"), app.Span().Class("grow"),
			ui.Button(ui.Quiet, "Close", p.onCloseMenu)))
}

// drawSortButton is for the keyboard, which does not reach the heads of the grid, and
// for narrow screens, where there are none.
func (p *Page) drawSortButton(column string) app.UI {
	label, next := "Sort", "Sort by "+column
	if p.sortedBy() == column {
		label, next = "▲", "Sorted by "+column+", ascending: sort descending"
		if p.settings.Down {
			label, next = "▼", "Sorted by "+column+", descending: restore the order of the keys"
		}
	}
	return ui.Button(ui.Small, label, p.onSort).Title(next).Aria("label", next).DataSet("testid", "menu-sort-"+column)
}

// found reports whether the menu lists a column.
func (p *Page) found(c grid.Column) bool {
	return strings.Contains(strings.ToLower(c.Name), strings.ToLower(strings.TrimSpace(p.bar.find)))
}

func (p *Page) onFindColumn(_ app.Context, event app.Event) {
	p.bar.find = ui.Text(event)
	p.onlyQuery()
}

// onFindKey keeps Enter from running the query.
func (p *Page) onFindKey(ctx app.Context, event app.Event) {
	if event.Get("key").String() == "Enter" {
		event.PreventDefault()
	}
	ctx.PreventUpdate()
}

func (p *Page) onShowColumns(app.Context, app.Event) { p.hideFound(false) }

func (p *Page) onHideColumns(app.Context, app.Event) { p.hideFound(true) }

// hideFound hides all columns that the menu lists, or shows them. The keys stay.
func (p *Page) hideFound(hidden bool) {
	s := p.settings
	for _, c := range p.columns() {
		if p.found(c) && !(hidden && c.IsKey()) {
			s = s.Hide(c.Name, hidden)
		}
	}
	p.set(s)
}

func (p *Page) onHide(_ app.Context, event app.Event) {
	p.set(p.settings.Hide(ui.Data(event, "column"), !event.Get("target").Get("checked").Truthy()))
}

func (p *Page) onShiftLeft(_ app.Context, event app.Event) { p.shift(ui.Data(event, "column"), -1) }

func (p *Page) onShiftRight(_ app.Context, event app.Event) { p.shift(ui.Data(event, "column"), 1) }

func (p *Page) onResetColumns(app.Context, app.Event) {
	p.set(grid.Settings{Local: p.settings.Local, Sort: p.settings.Sort, Down: p.settings.Down})
}

// jump goes to a key: to its row if that was loaded, else it begins there.
func (p *Page) jump() {
	k := odata.Key{PartitionKey: p.bar.jump[0], RowKey: p.bar.jump[1]}
	p.menu = noMenu
	browser.FocusInPlace(p.ctx, ui.GridID)
	if i, ok := p.listing().Near(k); ok && !p.listing().Sorted() {
		p.sheet.active = i
		p.reveal(i)
		p.measure()
		return
	}
	p.Session.Navigate(p.Route.With(fromArg, k.PartitionKey).With(fromRowArg, k.RowKey))
}
