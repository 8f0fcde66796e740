package entities

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Heights in pixels as in tokens.css (--size-row, --size-row-narrow) and
// grid.css (the head), and the width below which a row has two lines. A test
// compares them with the styles.
const (
	RowHeight       = 28
	RowHeightNarrow = 52
	HeadHeight      = 32
	NarrowWidth     = 760
)

func (p *Page) drawResults() app.UI {
	r := p.results
	// The line is always there: coming and going it would move the sheet into another element.
	body := []app.UI{ui.Progress().Hidden(r.state != remote.Loading)}
	switch {
	case r.state == remote.Loading && !r.held:
		body = append(body, ui.Bones(9))
	case r.held && len(r.entities) == 0:
		body = append(body, p.drawNoEntities())
	case r.held:
		body = append(body, p.drawSheet())
	}
	return app.Section().Class("results").Aria("label", "Entities of "+p.Route.Table).Aria("busy", r.state == remote.Loading).Body(body...)
}

func (p *Page) drawNoEntities() app.UI {
	switch {
	case p.results.next != nil:
		return ui.Empty(ui.IconTable, "Nothing in this page", "The query is not finished: more can follow.",
			ui.Button(ui.Primary, "Load more", p.onMore).DataSet("testid", "load-more"))
	case p.results.asked.Arg(filterArg) != "":
		return ui.Empty(ui.IconTable, "No entity matches", "Property names and values are compared exactly, including upper and lower case.",
			ui.Button(ui.Plain, "Show all entities", p.onClearFilter))
	}
	return ui.Empty(ui.IconTable, "No entities in "+p.Route.Table, "An entity has a PartitionKey, a RowKey and up to 252 properties of any of eight types.",
		ui.AddButton(ui.Plain, "Entity", p.onNewEntity))
}

func (p *Page) onClearFilter(app.Context, app.Event) {
	p.Session.Navigate(p.Route.With(filterArg, ""))
}

func (p *Page) drawSheet() app.UI {
	r := &p.results
	shown := r.shown()
	var more []app.UI
	if shown.left > 0 {
		more = append(more, app.Span().Class("hint").Body(app.Text(ui.Number(shown.left)+" more columns: name them in $select")))
	}
	if r.next != nil {
		label := "Load " + strconv.Itoa(pageSize) + " more"
		more = append(more, ui.Button(ui.Plain, label, p.onMore).DataSet("testid", "load-more").Disabled(r.state == remote.Loading))
	}
	if r.state == remote.Failed && r.more {
		more = append(more, ui.Failure(r.err))
	}
	drawn := ui.Sheet{Columns: shown.columns, Entities: shown.entities, Window: p.window(), Row: p.rowHeight(), Active: r.active, Open: p.isOpen}
	if len(more) > 0 {
		drawn.More = app.Div().Class("more").Body(more...)
	}
	return ui.Grid(drawn, p.onRow, p.onGridKey, p.onScroll)
}

// window is the range of rows to draw: as measured, or a first guess.
func (p *Page) window() grid.Window {
	if p.results.window.To == 0 {
		return grid.WindowAt(0, 0, 0, len(p.results.entities))
	}
	return p.results.window
}

func (p *Page) rowHeight() int {
	if width, _ := app.Window().Size(); width > 0 && width < NarrowWidth {
		return RowHeightNarrow
	}
	return RowHeight
}

// isOpen reports whether the entity is the one in the panel.
func (p *Page) isOpen(x *odata.Entity) bool {
	return p.panel.open && p.panel.key != nil && *p.panel.key == x.Key()
}

func sheetElement() app.Value { return app.Window().GetElementByID(ui.SheetID) }

// visible returns how far the sheet is scrolled and how much of it is visible.
func visible() (top, height int) {
	sheet := sheetElement()
	if !sheet.Truthy() {
		return 0, 0
	}
	return sheet.Get("scrollTop").Int(), sheet.Get("clientHeight").Int()
}

// measure finds out which rows are visible, once they are drawn.
func (p *Page) measure() {
	p.ctx.Defer(func(app.Context) {
		if p.moveWindow() {
			p.ctx.Update()
		}
	})
}

// moveWindow updates the window, and reports whether that has to be drawn.
func (p *Page) moveWindow() bool {
	top, height := visible()
	w := grid.WindowAt(top, height, p.rowHeight(), len(p.results.entities))
	moved := w != p.window()
	p.results.window = w
	return moved
}

// OnResize draws the rows that have become visible.
func (p *Page) OnResize(app.Context) {
	if p.ctx.Context != nil {
		p.measure()
	}
}

func (p *Page) onScroll(ctx app.Context, _ app.Event) {
	if !p.moveWindow() {
		ctx.PreventUpdate()
	}
}

func (p *Page) scrollTo(top int) {
	p.ctx.Defer(func(app.Context) {
		if sheet := sheetElement(); sheet.Truthy() && sheet.Get("scrollTop").Int() != top {
			sheet.Set("scrollTop", top)
		}
	})
}

func (p *Page) onRow(_ app.Context, event app.Event) {
	i, err := strconv.Atoi(ui.Data(event, "row"))
	if err != nil || i >= len(p.results.entities) {
		return
	}
	p.results.active = i
	p.openEntity(p.results.entities[i].Key(), false)
}

// onGridKey moves from row to row and opens one.
func (p *Page) onGridKey(_ app.Context, event app.Event) {
	key := event.Get("key").String()
	if event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy() {
		return
	}
	if (key == "Enter" || key == " ") && p.results.active >= 0 {
		event.PreventDefault()
		p.openEntity(p.results.entities[p.results.active].Key(), true)
		return
	}
	_, height := visible()
	to, ok := grid.Move(key, p.results.active, len(p.results.entities), max(1, (height-HeadHeight)/p.rowHeight()-1))
	if !ok {
		return
	}
	event.PreventDefault()
	p.results.active = to
	p.reveal(to)
	if p.panel.open && p.panel.key != nil {
		p.openEntity(p.results.entities[to].Key(), false)
	}
}

// reveal scrolls until a row is visible.
func (p *Page) reveal(i int) {
	top, height := visible()
	head := HeadHeight
	if p.rowHeight() == RowHeightNarrow {
		head = 0
	}
	if to := grid.Reveal(i, top, height, p.rowHeight(), head); height > 0 && to != top {
		sheetElement().Set("scrollTop", to)
		p.moveWindow()
	}
}
