package entities

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/humanize"
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

// sheet is how the rows are shown.
type sheet struct {
	active    int // the row that the keyboard is at, -1 for none
	anchor    int // where a range that is selected begins, -1 for none
	rows      ui.Rows
	top       int // how far it is scrolled, when last looked at
	height    int // how much of it is visible, 0 before that is known
	window    grid.Window
	columns   []grid.Column // all, nil when they have to be found out again
	dragged   string        // the column that is being dragged
	refilling bool          // a forgotten page is being read
}

// columns returns all columns, hidden ones included.
func (p *Page) columns() []grid.Column {
	if p.sheet.columns == nil {
		p.sheet.columns = p.schema.Columns(p.settings)
	}
	return p.sheet.columns
}

func (p *Page) drawResults() app.UI {
	r := &p.results
	// The line is always there: if it came and went, go-app would draw the sheet into another element.
	body := []app.UI{ui.Progress().Hidden(r.state != remote.Loading)}
	class := "results"
	switch {
	case r.refused && r.rows.Len() == 0:
		body = append(body, p.drawRefused())
	case r.state == remote.Loading && !r.held:
		body = append(body, ui.Bones(9))
	case r.held && r.rows.Len() == 0:
		body = append(body, p.drawNoEntities())
	case r.held:
		body = append(body, p.drawSheet())
	}
	if r.refused && r.rows.Len() > 0 {
		class += " previous"
	}
	// Below the rows, which stay where they are when it appears.
	body = append(body, p.drawSelection(), p.drawSort())
	return app.Section().Class(class).Aria("label", "Entities of "+p.Route.Table).Aria("busy", r.state == remote.Loading).Body(body...)
}

// shownSheet is what the grid shows.
func (p *Page) shownSheet() (drawn ui.Sheet, left int) {
	columns, left := grid.Shown(p.columns())
	return ui.Sheet{Columns: columns, View: p.view(), Window: p.window(), At: p.at, Format: p.format(), Active: p.sheet.active,
		Open: p.isOpen, Selected: p.isSelected, AllSelected: len(p.selected) > 0 && len(p.selected) == p.listing().Len(),
		Marked: func(e *odata.Entity) bool { return p.results.marked[e.Key()] }, Sort: p.sortedBy(), Down: p.settings.Down, Rows: &p.sheet.rows}, left
}

func (p *Page) drawSheet() app.UI {
	r := &p.results
	drawn, left := p.shownSheet()
	var more []app.UI
	if left > 0 {
		more = append(more, ui.Span("hint", humanize.Count(left, "more column", "more columns")+": see the menu Columns"))
	}
	if r.state == remote.Failed && !r.refused {
		more = append(more, ui.Failure(r.err, ui.Button(ui.Plain, "Try again", p.onMore)))
	}
	if len(more) > 0 {
		drawn.More = ui.Div("more", more...)
	}
	return ui.Grid(drawn, ui.GridHandlers{Row: p.onRow, Key: p.onGridKey, Scroll: p.onScroll, CheckAll: p.onCheckAll,
		Sort: p.onSort, Resize: p.onResizeStart, HeadKey: p.onHeadKey, DragStart: p.onDragStart, DragOver: p.onDragOver, Drop: p.onDrop})
}

func (p *Page) at(i int) *odata.Entity {
	e, ok := p.listing().At(i)
	if !ok {
		return nil
	}
	return e.Entity
}

// view is the list as it was scrolled when look last measured it. Measuring makes the
// browser compute the layout, so drawing uses the last result.
func (p *Page) view() grid.View {
	return grid.View{Top: p.sheet.top, Height: p.sheet.height, Row: p.rowHeight(), Total: p.listing().Len()}
}

// look measures how far the sheet is scrolled and how much of it is visible.
func (p *Page) look() {
	p.sheet.top, p.sheet.height = 0, 0
	if sheet := sheetElement(); sheet.Truthy() {
		p.sheet.top, p.sheet.height = sheet.Get("scrollTop").Int(), sheet.Get("clientHeight").Int()
	}
}

// window is the range of rows to draw: as measured, or a first guess.
func (p *Page) window() grid.Window {
	if p.sheet.window.To == 0 {
		return grid.View{Total: p.listing().Len()}.Window()
	}
	return p.sheet.window
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

// visibleRows is how many rows fit on the screen.
func (p *Page) visibleRows() int { return max(1, (p.sheet.height-HeadHeight)/p.rowHeight()) }

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
	p.look()
	v := p.view()
	w := v.Window()
	moved := w != p.window() || v.Scaled()
	p.sheet.window = w
	return moved
}

// OnResize draws the rows that have become visible.
func (p *Page) OnResize(app.Context) {
	if p.ctx.Context != nil {
		p.measure()
	}
}

// onScroll draws the rows that have become visible, before the browser paints,
// and the rest of the page only if that changes.
func (p *Page) onScroll(ctx app.Context, _ app.Event) {
	state, active := p.results.state, p.activeDrawn()
	if p.moveWindow() {
		drawn, _ := p.shownSheet()
		p.sheet.rows.Draw(drawn)
		p.refill()
		p.proceed()
	}
	if p.results.state == state && p.activeDrawn() == active {
		ctx.PreventUpdate()
	}
}

// activeDrawn reports whether the row that the keyboard is at is in the window.
func (p *Page) activeDrawn() bool {
	w := p.window()
	return p.sheet.active >= w.From && p.sheet.active < w.To
}

func (p *Page) scrollTo(top int) {
	p.ctx.Defer(func(app.Context) {
		if sheet := sheetElement(); sheet.Truthy() && sheet.Get("scrollTop").Int() != top {
			sheet.Set("scrollTop", top)
		}
	})
}

func (p *Page) onMore(app.Context, app.Event) { p.fetch(p.listing().Next()) }

// onRow opens a row, or selects it.
func (p *Page) onRow(ctx app.Context, event app.Event) {
	i, err := strconv.Atoi(ui.Data(event, "row"))
	if err != nil || p.at(i) == nil {
		return
	}
	shift, control := event.Get("shiftKey").Truthy(), event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy()
	switch {
	case shift:
		p.selectTo(i)
	case control, ui.Data(event, "check") != "":
		p.toggle(i)
	default:
		p.sheet.anchor = i
		p.openEntity(p.at(i).Key(), false)
	}
	p.sheet.active = i
}

// onGridKey moves from row to row, opens one, and selects rows.
func (p *Page) onGridKey(ctx app.Context, event app.Event) {
	key := event.Get("key").String()
	control := event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy()
	active := p.sheet.active
	switch {
	case control && key == "a":
		p.selectAll()
	case control && key == "c":
		p.copyRows(tabSeparated)
	case control:
		return
	case key == "Delete" && len(p.selected) > 0:
		p.deleteSelected()
	case key == "e" && len(p.selected) > 0:
		p.openEdit()
	case key == " " && active >= 0:
		p.toggle(active)
	case key == "Enter" && active >= 0:
		if e := p.at(active); e != nil {
			p.openEntity(e.Key(), true)
		}
	default:
		if !p.moveBy(key, event.Get("shiftKey").Truthy()) {
			return
		}
	}
	event.PreventDefault()
}

// moveBy follows a key that moves the keyboard's row.
func (p *Page) moveBy(key string, shift bool) bool {
	to, ok := grid.Move(key, p.sheet.active, p.listing().Len(), max(1, p.visibleRows()-1))
	if !ok {
		return false
	}
	if shift {
		p.selectTo(to)
	} else {
		p.sheet.anchor = to
	}
	p.sheet.active = to
	p.reveal(to)
	if e := p.at(to); e != nil && !shift && p.panel.open && p.panel.key != nil {
		p.openEntity(e.Key(), false)
	}
	p.refill()
	p.proceed()
	return true
}

// reveal scrolls until a row is visible.
func (p *Page) reveal(i int) {
	p.look()
	v, head := p.view(), HeadHeight
	if v.Row == RowHeightNarrow {
		head = 0
	}
	if to := v.Reveal(i, head); v.Height > 0 && to != v.Top {
		sheetElement().Set("scrollTop", to)
		p.moveWindow()
	}
}
