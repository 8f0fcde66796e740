package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
)

// Sheet is what the grid shows.
type Sheet struct {
	Columns  []grid.Column
	Entities []*odata.Entity
	Window   grid.Window // which of them are drawn
	Row      int         // the height of a row in pixels
	Active   int         // the row that the keyboard is at, -1 for none
	Open     func(*odata.Entity) bool
	More     app.UI // what follows the rows, or nil
}

// The ids of the element that scrolls, and of the grid in it, which has the keyboard.
const (
	SheetID = "sheet"
	GridID  = "grid"
)

// Grid draws entities in rows and columns. Only the rows of the window are
// there; two gaps have the height of the others. One handler serves all rows:
// it finds the row with [Data](e, "row").
func Grid(s Sheet, click, key, scroll app.EventHandler) app.HTMLDiv {
	w := grid.Window{From: min(s.Window.From, len(s.Entities)), To: min(s.Window.To, len(s.Entities))}
	rows := []app.UI{gap(w.From*s.Row, len(s.Columns))}
	for i := w.From; i < w.To; i++ {
		rows = append(rows, s.row(i))
	}
	rows = append(rows, gap((len(s.Entities)-w.To)*s.Row, len(s.Columns)))
	table := app.Table().ID(GridID).Class("grid").TabIndex(0).Role("grid").Aria("label", "Entities").
		Aria("rowcount", len(s.Entities)+1).Aria("colcount", len(s.Columns)).OnKeyDown(key)
	if s.Active >= w.From && s.Active < w.To {
		table = table.Aria("activedescendant", rowID(s.Active))
	}
	return app.Div().ID(SheetID).Class("scroller").OnScroll(scroll, app.PassiveEvent()).
		Body(s.fill(table, rows, click), s.More)
}

func (s Sheet) fill(table app.HTMLTable, rows []app.UI, click app.EventHandler) app.UI {
	var widths, heads []app.UI
	total := 0
	for _, c := range s.Columns {
		total += c.Width
		widths = append(widths, app.Col().Style("width", px(c.Width)))
		heads = append(heads, head(c))
	}
	return table.Style("min-width", px(total)).Body(
		app.ColGroup().Body(widths...),
		app.THead().Role("rowgroup").Body(app.Tr().Role("row").Aria("rowindex", 1).Body(heads...)),
		app.TBody().Role("rowgroup").OnClick(click).Body(rows...),
	)
}

func head(c grid.Column) app.UI {
	h := app.Th().Role("columnheader").Scope("col").Title(c.Name)
	if c.IsNumber() {
		h = h.Class("num")
	}
	body := []app.UI{app.Text(c.Name)}
	if name := c.TypeName(); name != "" {
		body = append(body, app.Small().Body(app.Text(name)))
	}
	return h.Body(body...)
}

func (s Sheet) row(i int) app.UI {
	e := s.Entities[i]
	cells := make([]app.UI, len(s.Columns))
	for j, c := range s.Columns {
		cell := grid.CellOf(e, c.Name)
		cells[j] = app.Td().Role("gridcell").Class(cell.Class).Body(app.Text(cell.Text))
	}
	open := s.Open != nil && s.Open(e)
	tr := app.Tr().ID(rowID(i)).Role("row").Aria("rowindex", i+2).Aria("selected", open).
		DataSet("row", i).DataSet("testid", "grid-row")
	if open {
		tr = tr.Class("on")
	}
	if i == s.Active {
		tr = tr.Class("active")
	}
	return tr.Body(cells...)
}

func gap(height, columns int) app.UI {
	return app.Tr().Class("gap").Aria("hidden", true).
		Body(app.Td().ColSpan(columns).Style("height", px(height)))
}

func rowID(i int) string { return "row-" + strconv.Itoa(i) }

func px(n int) string { return strconv.Itoa(n) + "px" }
