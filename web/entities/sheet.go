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
		more = append(more, ui.Retry(r.err, p.onMore))
	}
	if len(more) > 0 {
		drawn.More = ui.Div("more", more...)
	}
	return ui.Grid(drawn, ui.GridHandlers{Row: p.onRow, Key: p.onGridKey, Scroll: p.onScroll, CheckAll: p.onCheckAll,
		Sort: p.onSort, Resize: p.onResizeStart, HeadKey: p.onHeadKey, DragStart: p.onDragStart, DragOver: p.onDragOver, Drop: p.onDrop})
}

// isOpen reports whether the entity is the one in the panel.
func (p *Page) isOpen(x *odata.Entity) bool {
	return p.panel.open && p.panel.key != nil && *p.panel.key == x.Key()
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
