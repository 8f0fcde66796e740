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
	w := grid.Window{From: min(s.Window.From, s.View.Total), To: min(s.Window.To, s.View.Total)}
	before := s.View.Before(w)
	rows := []app.UI{gap(before, s.width())}
	for i := w.From; i < w.To; i++ {
		rows = append(rows, s.row(i, h))
	}
	rows = append(rows, gap(max(0, s.View.Pixels()-before-(w.To-w.From)*s.View.Row), s.width()))
	table := app.Table().ID(GridID).Class("grid").TabIndex(0).Role("grid").Aria("label", "Entities").Aria("multiselectable", s.Selected != nil).
		Aria("rowcount", s.View.Total+1).Aria("colcount", s.width()).OnKeyDown(h.Key)
	if s.Active >= w.From && s.Active < w.To {
		table = table.Aria("activedescendant", rowID(s.Active))
	}
	return app.Div().ID(SheetID).Class("scroller").OnScroll(h.Scroll, app.PassiveEvent()).
		Body(s.fill(table, rows, h), s.More)
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

func (s Sheet) fill(table app.HTMLTable, rows []app.UI, h GridHandlers) app.UI {
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
	return table.Style("min-width", px(total)).Body(
		app.ColGroup().Body(widths...),
		app.THead().Role("rowgroup").Body(app.Tr().Role("row").Aria("rowindex", 1).Body(heads...)),
		app.TBody().Role("rowgroup").OnClick(h.Row).Body(rows...),
	)
}

func (s Sheet) head(c grid.Column, h GridHandlers) app.UI {
	th := app.Th().Role("columnheader").Scope("col").DataSet("column", c.Name).Draggable(true).
		OnDragStart(h.DragStart).OnDragOver(h.DragOver).OnDrop(h.Drop)
	if c.IsNumber() {
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
		body = append(body, app.Small().Body(app.Text(name)))
	}
	body = append(body, app.Span().Class("arrow").Aria("hidden", true).Body(app.Text(arrow)))
	return th.Aria("sort", sort).Body(
		app.Button().Type("button").Class("head-button").TabIndex(-1).DataSet("testid", "sort-"+c.Name).
			Title(c.Name+": click to sort, drag to move, drag the edge to resize (Shift+arrow keys resize, Alt+arrow keys move)").
			OnClick(h.Sort).OnKeyDown(h.HeadKey).Body(body...),
		app.Span().Class("edge").Aria("hidden", true).On("pointerdown", h.Resize))
}

func (s Sheet) row(i int, h GridHandlers) app.UI {
	e := s.At(i)
	tr := app.Tr().ID(rowID(i)).Role("row").Aria("rowindex", i+2).DataSet("row", i).DataSet("testid", "grid-row")
	class := ""
	if i == s.Active {
		class = "active"
	}
	if e == nil {
		return tr.Class("waiting "+class).Aria("selected", false).Body(app.Td().Role("gridcell").ColSpan(s.width()).Body(app.I()))
	}
	var cells []app.UI
	selected := s.Selected != nil && s.Selected(e)
	if s.Selected != nil {
		cells = append(cells, app.Td().Role("gridcell").Class("check-cell").DataSet("check", i).DataSet("testid", "select-row").
			Body(app.Span().Class("tick").Aria("hidden", true)))
	}
	for _, c := range s.Columns {
		cell := grid.CellOf(e, c.Name, s.Format)
		td := app.Td().Role("gridcell").Class(cell.Class)
		if cell.Title != "" {
			td = td.Title(cell.Title)
		}
		if cell.Class == "absent" {
			td = td.Title("This entity has no "+c.Name).Aria("label", "absent")
		}
		body := []app.UI{app.Text(cell.Text)}
		if c.Name == odata.RowKeyName && s.Marked != nil && s.Marked(e) {
			body = append(body, app.Span().Class("sr-only").Body(app.Text(" (changed elsewhere since it was read)")))
		}
		cells = append(cells, td.Body(body...))
	}
	open := s.Open != nil && s.Open(e)
	if open {
		class += " on"
	}
	if selected {
		class += " selected"
	}
	if s.Marked != nil && s.Marked(e) {
		class += " marked"
	}
	return tr.Aria("selected", selected || s.Selected == nil && open).Class(class).Body(cells...)
}

func gap(height, columns int) app.UI {
	return app.Tr().Class("gap").Aria("hidden", true).
		Body(app.Td().ColSpan(columns).Style("height", px(height)))
}

func rowID(i int) string { return "row-" + strconv.Itoa(i) }

func px(n int) string { return strconv.Itoa(n) + "px" }
