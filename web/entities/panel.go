package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/entity"
	"sandtable/web/ui"
)

// offered are the properties of the rows that were seen so far.
func (p *Page) offered() []draft.Known {
	var all []draft.Known
	for _, name := range p.schema.Names() {
		stat, _ := p.schema.Property(name)
		all = append(all, draft.Known{Name: name, Type: stat.Type})
	}
	return all
}

// openEntity shows an entity in the panel.
func (p *Page) openEntity(key odata.Key, focus bool) {
	if p.panel.open && p.panel.key != nil && *p.panel.key == key {
		if focus {
			entity.FocusTitle(p.ctx)
		}
		return
	}
	p.Session.Leave(func() {
		p.openPanel(panel{key: &key})
		if focus {
			entity.FocusTitle(p.ctx)
		}
	})
}

func (p *Page) openPanel(next panel) {
	next.serial, next.open = p.panel.serial+1, true
	p.panel = next
	p.measure()
	p.nameEntity()
}

func (p *Page) onNewEntity(app.Context, app.Event) {
	p.Session.Leave(func() { p.OpenNew(draft.New()) })
}

// OpenNew implements [entity.Owner].
func (p *Page) OpenNew(start draft.Draft) {
	p.openPanel(panel{start: start})
	entity.FocusKeys(p.ctx)
}

// ClosePanel implements [entity.Owner].
func (p *Page) ClosePanel() {
	p.panel.open = false
	p.measure()
	p.nameEntity()
	browser.FocusInPlace(p.ctx, ui.GridID)
}

// EntityRead implements [entity.Owner].
func (p *Page) EntityRead(e client.Entity) {
	p.listing().Put(e, false)
	delete(p.results.marked, e.Key())
}

// EntityChanged implements [entity.Owner].
func (p *Page) EntityChanged(key odata.Key) {
	if _, shown := p.listing().Index(key); shown {
		p.results.marked[key] = true
	}
}

// EntitySaved implements [entity.Owner].
func (p *Page) EntitySaved(e client.Entity) (shown bool) {
	if key := e.Key(); p.panel.open && p.panel.key == nil {
		p.panel.key = &key
	}
	p.nameEntity()
	return p.put(e)
}

// EntityRestored implements [entity.Owner]. The entity was deleted in an earlier visit if
// this page is not shown any more.
func (p *Page) EntityRestored(e client.Entity) {
	if shown := p.kept.at(p.Route); shown != nil {
		shown.put(e)
	}
}

// put shows an entity that this page has stored, and reports whether it is among the
// rows.
func (p *Page) put(e client.Entity) (shown bool) {
	key := e.Key()
	p.results.expect(key)
	delete(p.results.marked, key)
	delete(p.results.fresh, key) // the change was reported before the answer came
	p.schema.Add(e.Entity)
	p.sheet.columns = nil
	shown = p.listing().Put(e, p.results.accepts(e.Entity))
	if i, found := p.listing().Index(key); found {
		p.sheet.active = i
	}
	p.measure()
	return shown
}

// EntityDeleted implements [entity.Owner]. The user may be elsewhere by then.
func (p *Page) EntityDeleted(key odata.Key) {
	shown := p.kept.at(p.Route)
	if shown == nil {
		return
	}
	if open := shown.panel.key; open != nil && *open == key {
		shown.panel.open = false
	}
	shown.EntityGone(key)
	shown.proceed()
	shown.nameEntity()
}

// EntityMoved implements [entity.Owner].
func (p *Page) EntityMoved(from odata.Key, to client.Entity) {
	p.EntityGone(from)
	key := to.Key()
	p.panel.key = &key
	p.EntitySaved(to)
}

// EntityGone implements [entity.Owner].
func (p *Page) EntityGone(key odata.Key) {
	p.results.expect(key)
	p.drop(key)
	p.measure()
}

// drop removes rows.
func (p *Page) drop(keys ...odata.Key) {
	p.listing().Take(keys...)
	for _, key := range keys {
		delete(p.selected, key)
	}
	p.sheet.active = min(p.sheet.active, p.listing().Len()-1)
}

func (p *Page) drawPanel() app.UI {
	if !p.panel.open {
		return app.Aside().Hidden(true)
	}
	return &entity.Panel{Session: p.Session, Route: p.Route, Acts: p.Acts, Owner: p, Serial: p.panel.serial, Key: p.panel.key, Start: p.panel.start, Known: p.offered()}
}
