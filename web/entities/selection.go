package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/grid"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func (p *Page) isSelected(e *odata.Entity) bool { return p.selected[e.Key()] }

// toggle selects or deselects a row.
func (p *Page) toggle(i int) {
	e := p.at(i)
	if e == nil {
		return
	}
	if key := e.Key(); p.selected[key] {
		delete(p.selected, key)
	} else {
		p.selected[key] = true
	}
	p.sheet.anchor = i
}

// selectTo selects the rows from the anchor to a row.
func (p *Page) selectTo(i int) {
	from := p.sheet.anchor
	if from < 0 {
		from = max(p.sheet.active, 0)
		p.sheet.anchor = from
	}
	for j := min(from, i); j <= max(from, i); j++ {
		if e := p.at(j); e != nil {
			p.selected[e.Key()] = true
		}
	}
}

// selectAll selects all rows in memory.
func (p *Page) selectAll() {
	p.listing().Each(func(_ int, e client.Entity) bool {
		p.selected[e.Key()] = true
		return true
	})
	if n := p.listing().Len(); len(p.selected) < n {
		p.Session.Notify("Selected " + humanize.Number(len(p.selected)) + " of " + humanize.Number(n) + " rows: the others are no longer in memory")
	}
}

func (p *Page) onCheckAll(app.Context, app.Event) {
	if len(p.selected) > 0 {
		clear(p.selected)
		return
	}
	p.selectAll()
}

// chosen returns the selected entities in the order in which they are shown or,
// without a selection, the active one.
func (p *Page) chosen() []client.Entity {
	var all []client.Entity
	for i := range p.listing().Len() {
		if e, ok := p.listing().At(i); ok && (p.selected[e.Key()] || len(p.selected) == 0 && i == p.sheet.active) {
			all = append(all, e)
		}
	}
	return all
}

// handOver passes the selected rows to the export page, or an empty selection.
func (p *Page) handOver() {
	if len(p.selected) == 0 {
		p.Session.Select(page.Selection{})
		return
	}
	rows := p.chosen()
	p.Session.Select(page.Selection{Account: p.Route.Account, Table: p.Route.Table, Entities: rows,
		Partial: p.results.partial, Missing: len(p.selected) - len(rows)})
}

func (p *Page) onExportSelected(app.Context, app.Event) {
	p.handOver()
	r := p.query()
	r.Page = exportPage
	p.Session.Navigate(r)
}

// form is a form in which rows are copied.
type form string

const (
	tabSeparated form = "tsv"
	asJSON       form = "json"
	asCSV        form = "csv"
)

// copyRows copies the chosen rows to the clipboard.
func (p *Page) copyRows(as form) {
	rows := p.chosen()
	if len(rows) == 0 {
		return
	}
	all := make([]*odata.Entity, len(rows))
	for i, e := range rows {
		all[i] = e.Entity
	}
	columns, _ := grid.Shown(p.columns())
	text := ""
	switch as {
	case asJSON:
		text = grid.JSON(all)
	case asCSV:
		text = grid.Delimited(all, columns, ',', p.format())
	default:
		text = grid.Delimited(all, columns, '\t', p.format())
	}
	done := "Copied " + humanize.Count(len(rows), "row", "rows")
	if n := len(p.selected) - len(rows); n > 0 {
		done += " without " + humanize.Number(n) + " that are no longer in memory"
	}
	page.Copy(p.ctx, p.Session, text, func() { p.Session.Notify(done) })
}

func (p *Page) onCopyAs(_ app.Context, event app.Event) { p.copyRows(form(ui.Data(event, "form"))) }

// drawSelection draws what can be done with the selected rows.
func (p *Page) drawSelection() app.UI {
	if len(p.selected) == 0 {
		return app.Div().Hidden(true)
	}
	copyAs := func(as form, label string) app.UI {
		return ui.Button(ui.Quiet, label, p.onCopyAs).DataSet("form", string(as)).DataSet("testid", "copy-"+string(as))
	}
	return app.Div().Class("selection").Role("toolbar").Aria("label", "Selected rows").Body(
		app.Span().Role("status").DataSet("testid", "selected").Text(humanize.Number(len(p.selected))+" selected"),
		ui.Button(ui.Quiet, "Edit", p.onEditSelected).Title("Change a property of all selected entities (E)").DataSet("testid", "edit-selected"),
		copyAs(tabSeparated, "Copy"), copyAs(asJSON, "Copy as JSON"), copyAs(asCSV, "Copy as CSV"),
		ui.Button(ui.Quiet, "Export…", p.onExportSelected).Title("Save the selected rows as a file").DataSet("testid", "export-selected"),
		app.Span().Class("grow"),
		ui.Button(ui.Danger, "Delete", p.onDeleteSelected).DataSet("testid", "delete-selected"),
		ui.IconButton(ui.Square, ui.IconClose, "Clear the selection", p.onClearSelection))
}

func (p *Page) onClearSelection(app.Context, app.Event) { clear(p.selected) }

func (p *Page) onDeleteSelected(app.Context, app.Event) { p.deleteSelected() }
