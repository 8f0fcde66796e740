package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
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

// minFrozen is the width of a sheet in pixels from which its boxes and keys stay in sight
// while it is scrolled sideways: in a narrower one they would take most of it.
const minFrozen = 560

// sheet is how the rows are shown.
type sheet struct {
	active  int // the row that the keyboard is at, -1 for none
	anchor  int // where a range that is selected begins, -1 for none
	rows    ui.Rows
	top     int // how far it is scrolled, when last looked at
	height  int // how much of it is visible, 0 before that is known
	window  grid.Window
	columns []grid.Column // all, nil when they have to be found out again
	dragged string        // the column that is being dragged
}

// columns returns all columns, hidden ones included.
func (p *Page) columns() []grid.Column {
	if p.sheet.columns == nil {
		p.sheet.columns = p.schema.Columns(p.settings)
	}
	return p.sheet.columns
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
		sheet.Get("classList").Call("toggle", "sideways", sheet.Get("scrollLeft").Int() > 0 && sheet.Get("clientWidth").Int() >= minFrozen)
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
