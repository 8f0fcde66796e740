package web

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Heights in pixels, those of --size-row and --size-row-narrow in tokens.css
// and of the grid's head, and the width below which a row has two lines. A
// test holds them to the styles.
const (
	rowHeight       = 28
	rowHeightNarrow = 52
	headHeight      = 32
	narrowWidth     = 760
)

func (e *explorer) drawResults() app.UI {
	r := e.results
	// The line is always there: as a guest it would push the sheet into another element.
	body := []app.UI{ui.Progress().Hidden(r.state != remote.Loading)}
	switch {
	case r.state == remote.Loading && !r.held:
		body = append(body, ui.Bones(9))
	case r.held && len(r.entities) == 0:
		body = append(body, e.drawNoEntities())
	case r.held:
		body = append(body, e.drawSheet())
	}
	return app.Section().Class("results").Aria("label", "Entities of "+e.place.Table).Aria("busy", r.state == remote.Loading).Body(body...)
}

func (e *explorer) drawNoEntities() app.UI {
	switch {
	case e.results.next != nil:
		return ui.Empty(ui.IconTable, "Nothing in this page", "The query goes on: more can follow.",
			ui.Button(ui.Primary, "Read on", e.onMore).DataSet("testid", "load-more"))
	case e.results.asked.Filter != "":
		return ui.Empty(ui.IconTable, "No entity matches", "Names of properties and values are compared exactly, upper and lower case included.",
			ui.Button(ui.Plain, "Show all entities", e.onClearFilter))
	}
	return ui.Empty(ui.IconTable, "No entities in "+e.place.Table, "An entity has a PartitionKey, a RowKey and up to 252 properties of any of eight types.",
		ui.AddButton(ui.Plain, "Entity", e.onNewEntity))
}

func (e *explorer) onClearFilter(app.Context, app.Event) {
	p := e.place
	p.Filter = ""
	e.step(p)
}

func (e *explorer) drawSheet() app.UI {
	r := &e.results
	shown := r.shown()
	var more []app.UI
	if shown.left > 0 {
		more = append(more, app.Span().Class("hint").Body(app.Text(ui.Number(shown.left)+" more columns: name them in $select")))
	}
	if r.next != nil {
		label := "Load " + strconv.Itoa(pageSize) + " more"
		more = append(more, ui.Button(ui.Plain, label, e.onMore).DataSet("testid", "load-more").Disabled(r.state == remote.Loading))
	}
	if r.state == remote.Failed && r.more {
		more = append(more, errorNote(r.err))
	}
	drawn := ui.Sheet{Columns: shown.columns, Entities: shown.entities, Window: e.window(), Row: e.rowHeight(), Active: r.active, Open: e.isOpen}
	if len(more) > 0 {
		drawn.More = app.Div().Class("more").Body(more...)
	}
	return ui.Grid(drawn, e.onRow, e.onGridKey, e.onScroll)
}

// window is the run of rows to draw: what was measured, or a first guess.
func (e *explorer) window() grid.Window {
	if e.results.window.To == 0 {
		return grid.WindowAt(0, 0, 0, len(e.results.entities))
	}
	return e.results.window
}

func (e *explorer) rowHeight() int {
	if width, _ := app.Window().Size(); width > 0 && width < narrowWidth {
		return rowHeightNarrow
	}
	return rowHeight
}

// isOpen reports whether the entity is the one in the panel.
func (e *explorer) isOpen(x *odata.Entity) bool {
	return e.panel.kind == panelEntity && e.panel.existing && e.panel.key == x.Key() && e.panel.place.sameTable(e.place)
}

func sheetElement() app.Value { return app.Window().GetElementByID(ui.SheetID) }

// visible returns where the sheet is scrolled to and how much of it is in sight.
func visible() (top, height int) {
	sheet := sheetElement()
	if !sheet.Truthy() {
		return 0, 0
	}
	return sheet.Get("scrollTop").Int(), sheet.Get("clientHeight").Int()
}

// measure looks which rows are in sight, once they are drawn.
func (e *explorer) measure() {
	e.ctx.Defer(func(app.Context) {
		if e.moveWindow() {
			e.ctx.Update()
		}
	})
}

// moveWindow reports whether other rows have to be drawn than were.
func (e *explorer) moveWindow() bool {
	top, height := visible()
	w := grid.WindowAt(top, height, e.rowHeight(), len(e.results.entities))
	moved := w != e.window()
	e.results.window = w
	return moved
}

// OnResize draws the rows that came into sight.
func (e *explorer) OnResize(app.Context) {
	if e.ctx.Context != nil {
		e.measure()
	}
}

func (e *explorer) onScroll(ctx app.Context, _ app.Event) {
	if !e.moveWindow() {
		ctx.PreventUpdate()
	}
}

func (e *explorer) scrollTo(top int) {
	e.ctx.Defer(func(app.Context) {
		if sheet := sheetElement(); sheet.Truthy() && sheet.Get("scrollTop").Int() != top {
			sheet.Set("scrollTop", top)
		}
	})
}

func (e *explorer) onRow(_ app.Context, event app.Event) {
	i, err := strconv.Atoi(ui.Data(event, "row"))
	if err != nil || i >= len(e.results.entities) {
		return
	}
	e.results.active = i
	e.openEntity(e.results.entities[i].Key(), false)
}

// onGridKey moves from row to row and opens one.
func (e *explorer) onGridKey(_ app.Context, event app.Event) {
	key := event.Get("key").String()
	if event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy() {
		return
	}
	if (key == "Enter" || key == " ") && e.results.active >= 0 {
		event.PreventDefault()
		e.openEntity(e.results.entities[e.results.active].Key(), true)
		return
	}
	_, height := visible()
	to, ok := grid.Move(key, e.results.active, len(e.results.entities), max(1, (height-headHeight)/e.rowHeight()-1))
	if !ok {
		return
	}
	event.PreventDefault()
	e.results.active = to
	e.reveal(to)
	if e.panel.kind == panelEntity && e.panel.existing && !e.panel.changed() {
		e.openEntity(e.results.entities[to].Key(), false)
	}
}

// reveal scrolls until a row is in sight.
func (e *explorer) reveal(i int) {
	top, height := visible()
	head := headHeight
	if e.rowHeight() == rowHeightNarrow {
		head = 0
	}
	if to := grid.Reveal(i, top, height, e.rowHeight(), head); height > 0 && to != top {
		sheetElement().Set("scrollTop", to)
		e.moveWindow()
	}
}
