package entities

import (
	"maps"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/bulkedit"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// editing is the edit of many entities.
type editing struct {
	serial int // counts dialogs that were opened
	open   bool
	keys   map[odata.Key]bool
	rows   []client.Entity
	filter string
}

// undoEdit is the title of the undo of an edit.
const undoEdit = "Undo the edit"

// openEdit opens the dialog for the selected entities. Rows that are in memory
// no longer, or of which the query returned a part, are read again by it.
func (p *Page) openEdit() {
	if len(p.selected) == 0 {
		return
	}
	rows := p.chosen()
	if len(rows) < len(p.selected) || p.results.partial {
		rows = nil
	}
	p.editing = editing{serial: p.editing.serial + 1, open: true, keys: maps.Clone(p.selected), rows: rows,
		filter: filterFrom(p.results.asked)}
}

func (p *Page) onEditSelected(app.Context, app.Event) { p.openEdit() }

func (p *Page) drawEdit() app.UI {
	x := p.editing
	if !x.open {
		return app.Div().Hidden(true)
	}
	return &bulkedit.Dialog{Session: p.Session, Route: p.Route, Acts: p.Acts, Owner: p, Serial: x.serial, Keys: x.keys, Rows: x.rows, Filter: x.filter, Known: p.offered()}
}

// Writing implements [bulkedit.Owner].
func (p *Page) Writing(keys []odata.Key) {
	for _, key := range keys {
		p.results.expect(key)
	}
}

// CloseEdit implements [bulkedit.Owner].
func (p *Page) CloseEdit() {
	p.editing.open, p.editing.rows = false, nil
	browser.FocusInPlace(p.ctx, ui.GridID)
}

// Edited implements [bulkedit.Owner]. What was written is selected no longer.
func (p *Page) Edited(done bulkedit.Done) {
	p.Session.Wrote()
	n := len(done.Report.Written)
	takeBack := func() { p.UndoEdit(done) }
	if !p.Mounted() {
		text := "The edit was stopped. Changed " + humanize.Count(n, "entity", "entities")
		if n == 0 || done.Forced {
			p.Session.Notify(text)
		} else {
			p.OfferUndo(text, undoEdit, takeBack)
		}
		return
	}
	switch {
	case n == 0:
		return
	case done.Forced:
		p.forgetUndo()
		p.Session.Notify("Changed " + humanize.Count(n, "entity", "entities"))
		p.run()
		return
	}
	p.OfferUndo("Changed "+humanize.Count(n, "entity", "entities"), undoEdit, takeBack)
	for _, e := range done.Plan.Result(done.Report.Written) {
		p.replaced(e)
	}
	p.sheet.columns = nil
	p.measure()
}

// replaced shows a row as it is now.
func (p *Page) replaced(e client.Entity) {
	key := e.Key()
	p.results.expect(key)
	delete(p.results.marked, key)
	delete(p.selected, key)
	p.schema.Add(e.Entity)
	p.listing().Put(e, false)
}

// UndoEdit implements [bulkedit.Owner]. Entities that changed again stay as they
// are.
func (p *Page) UndoEdit(done bulkedit.Done) {
	p.forgetUndo()
	p.write(p.Route, "Undone for", undoEdit, done.Undo())
}
