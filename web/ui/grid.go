package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
)

// Sheet is what the grid shows.
type Sheet struct {
	Columns []grid.Column
	View    grid.View
	Window  grid.Window // which rows are drawn
	// At returns a row, or nil for one that is being read.
	At     func(i int) *odata.Entity
	Format grid.Format
	Active int // the row that the keyboard is at, -1 for none
	Open   func(*odata.Entity) bool
	// Selected reports whether a row is selected; nil draws no checkboxes.
	Selected    func(*odata.Entity) bool
	AllSelected bool
	// Marked reports whether a row has changed elsewhere.
	Marked func(*odata.Entity) bool
	Sort   string // the column that the rows are sorted by, "" for none
	Down   bool   // descending
	More   app.UI // what follows the rows, or nil
	Rows   *Rows  // what was drawn of the rows; nil draws all of them each time
}

// GridHandlers are what the parts of the grid call. A handler finds the row
// with [Data](e, "row"), the column with [Data](e, "column").
type GridHandlers struct {
	// Row is called for a click in a row; [Data](e, "check") is not empty where it
	// was on the checkbox.
	Row, Key, Scroll, CheckAll app.EventHandler
	Sort, Resize, HeadKey      app.EventHandler // of a head: click, pressing its edge, keys
	DragStart, DragOver, Drop  app.EventHandler // of a head
}

// The ids of the element that scrolls, and of the grid in it, which has the keyboard.
const (
	SheetID = "sheet"
	GridID  = "grid"
)

// Grid draws entities in rows and columns. Only the rows of the window are
// there; two gaps have the height of the others. One handler serves all rows.
func Grid(s Sheet, h GridHandlers) app.HTMLDiv {
	if s.Rows == nil {
		s.Rows = &Rows{}
	}
	table := app.Table().ID(GridID).Class("grid").TabIndex(0).Role("grid").Aria("label", "Entities").Aria("multiselectable", s.Selected != nil).
		Aria("rowcount", s.View.Total+1).Aria("colcount", s.width()).OnKeyDown(h.Key)
	if w := s.window(); s.Active >= w.From && s.Active < w.To {
		table = table.Aria("activedescendant", rowID(s.Active))
	}
	return app.Div().ID(SheetID).Class("scroller").OnScroll(h.Scroll, app.PassiveEvent()).
		Body(s.fill(table, h), s.More)
}

// window returns the rows to draw: the list can have become shorter.
func (s Sheet) window() grid.Window {
	return grid.Window{From: min(s.Window.From, s.View.Total), To: min(s.Window.To, s.View.Total)}
}

// width returns the number of columns, with that of the checkboxes.
func (s Sheet) width() int {
	if s.Selected == nil {
		return len(s.Columns)
	}
	return len(s.Columns) + 1
}

// checkWidth is the width of the column of checkboxes in pixels.
const checkWidth = 36

func (s Sheet) fill(table app.HTMLTable, h GridHandlers) app.UI {
	var widths, heads []app.UI
	total := 0
	if s.Selected != nil {
		total = checkWidth
		widths = append(widths, app.Col().Style("width", px(checkWidth)))
		heads = append(heads, app.Th().Role("columnheader").Scope("col").Class("check-cell").Body(
			app.Button().Type("button").Class("tick").Role("checkbox").Aria("checked", s.AllSelected).Aria("label", "Select all loaded rows").
				Title("Select all loaded rows (Ctrl+A)").DataSet("testid", "select-all").OnClick(h.CheckAll)))
	}
	for _, c := range s.Columns {
		total += c.Width
		widths = append(widths, app.Col().DataSet("column", c.Name).Style("width", px(c.Width)))
		heads = append(heads, s.head(c, h))
	}
	return s.freeze(table).Style("min-width", px(total)).Body(
		app.ColGroup().Body(widths...),
		app.THead().Role("rowgroup").Body(app.Tr().Role("row").Aria("rowindex", 1).Body(heads...)),
		&rowsBody{Sheet: s, Click: h.Row},
	)
}

// frozenWidth limits, in pixels, what stays in sight of a sheet that is scrolled
// sideways: the other columns need space as well.
const frozenWidth = 400

// freeze says where the keys stay while the sheet is scrolled sideways; grid.css does
// the rest. A key that is too wide scrolls with the others.
func (s Sheet) freeze(table app.HTMLTable) app.HTMLTable {
	left := 0
	if s.Selected != nil {
		left = checkWidth
	}
	for _, c := range s.Columns {
		if c.IsKey() && left+c.Width <= frozenWidth {
			table = table.Style("--left-"+c.Name, px(left))
			left += c.Width
		}
	}
	return table
}

func (s Sheet) head(c grid.Column, h GridHandlers) app.UI {
	th := app.Th().Role("columnheader").Scope("col").DataSet("column", c.Name).Draggable(true).
		OnDragStart(h.DragStart).OnDragOver(h.DragOver).OnDrop(h.Drop)
	if c.IsNumber {
		th = th.Class("num")
	}
	arrow, sort := "", "none"
	if s.Sort == c.Name {
		arrow, sort = "▲", "ascending"
		if s.Down {
			arrow, sort = "▼", "descending"
		}
	}
	body := []app.UI{app.Text(c.Name)}
	if name := c.TypeName(); name != "" {
		body = append(body, app.Small().Text(name))
	}
	body = append(body, app.Span().Class("arrow").Aria("hidden", true).Text(arrow))
	return th.Aria("sort", sort).Body(
		app.Button().Type("button").Class("head-button").TabIndex(-1).DataSet("testid", "sort-"+c.Name).
			Title(c.Name+": click to sort, drag to move, drag the edge to resize (Shift+arrow keys resize, Alt+arrow keys move)").
			OnClick(h.Sort).OnKeyDown(h.HeadKey).Body(body...),
		app.Span().Class("edge").Aria("hidden", true).On("pointerdown", h.Resize))
}

func rowID(i int) string { return "row-" + strconv.Itoa(i) }

func px(n int) string { return strconv.Itoa(n) + "px" }
