package web

import (
	"context"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/tableclient"
)

// openEntity shows the entity with this key in the panel. It is read again as
// a whole: a row can be old, or only a part of it.
func (e *explorer) openEntity(key odata.Key, focus bool) {
	if e.panel.kind == panelEntity && e.panel.existing && e.panel.key == key && e.panel.place.sameTable(e.place) {
		if focus {
			e.focus("panel-title")
		}
		return
	}
	e.leave(func() { e.loadEntity(key, focus) })
}

func (e *explorer) loadEntity(key odata.Key, focus bool) {
	e.panel.reset(panelEntity)
	p := &e.panel
	p.existing, p.place, p.key = true, e.place, key
	p.loaded = p.loaded.Asked()
	epoch, place := p.epoch, p.place
	e.measure()
	if focus {
		e.focus("panel-title")
	}
	e.background(func(c context.Context) func() {
		entity, err := e.client(place.Account).Get(c, place.Table, key)
		return func() {
			if e.panel.epoch != epoch {
				return
			}
			e.panel.loaded = e.panel.loaded.Answered(entity, err)
			if err == nil {
				e.showEntity(entity)
			}
		}
	})
}

// showEntity puts what was read into the panel's fields and into its row.
func (e *explorer) showEntity(entity tableclient.Entity) {
	p := &e.panel
	p.epoch++
	p.draft = draft.Of(entity.Entity, entity.Tag)
	p.tried, p.busy, p.err, p.conflict = false, false, nil, noConflict
	if _, found := e.results.index(entity.Key()); found && p.place.sameTable(e.place) {
		e.results.put(entity)
	}
}

// save inserts the panel's entity, or replaces it if nobody else has changed
// it meanwhile.
func (e *explorer) save() {
	p := &e.panel
	p.tried = true
	entity, problems := p.draft.Entity()
	if len(problems) > 0 || p.busy || p.loading() {
		p.json = p.json && len(problems) == 0
		return
	}
	e.keep()
	p.busy, p.err, p.conflict = true, nil, noConflict
	epoch, place, existing, tag := p.epoch, p.place, p.existing, p.draft.Tag
	e.background(func(c context.Context) func() {
		client := e.client(place.Account)
		var err error
		if existing {
			_, err = client.Replace(c, place.Table, entity, tag)
		} else {
			_, err = client.Insert(c, place.Table, entity)
		}
		saved := tableclient.Entity{}
		if err == nil {
			saved, err = client.Get(c, place.Table, entity.Key())
		}
		return func() { e.saved(epoch, place, existing, saved, err) }
	})
}

func (e *explorer) saved(epoch int, place Place, existing bool, entity tableclient.Entity, err error) {
	here := e.panel.epoch == epoch
	if err != nil {
		if here {
			e.panel.refused(err, saveConflict)
		}
		return
	}
	e.refreshStatus()
	shown := !e.place.sameTable(place) || e.results.put(entity)
	text := "Saved " + keyWords(entity.Key())
	if !existing {
		text = "Added " + keyWords(entity.Key())
	}
	if !shown {
		text += "; it is not among the rows loaded"
	}
	e.toast(text, "", nil)
	if here {
		e.panel.existing, e.panel.key = true, entity.Key()
		e.panel.loaded = e.panel.loaded.Answered(entity, nil)
		e.showEntity(entity)
		if i, found := e.results.index(entity.Key()); found && e.place.sameTable(place) {
			e.results.active = i
		}
		e.measure()
	}
}

// refused notes why the service did not do what the panel asked for.
func (p *panel) refused(err error, about conflict) {
	p.busy = false
	if tableclient.HasCode(err, tableclient.CodeConditionNotMet) {
		p.conflict = about
		return
	}
	p.err = err
	p.json = false
	if p.existing && tableclient.HasCode(err, tableclient.CodeResourceNotFound) {
		// It was deleted meanwhile: what is in the fields can be added again.
		p.existing = false
		p.draft = p.draft.Duplicate()
		p.epoch++
	}
}

// deleteEntity deletes the panel's entity at once: there is a way back.
func (e *explorer) deleteEntity(tag string) {
	p := &e.panel
	if p.busy || p.draft.Original() == nil {
		return
	}
	p.busy, p.err, p.conflict = true, nil, noConflict
	epoch, place, entity := p.epoch, p.place, p.draft.Original()
	e.background(func(c context.Context) func() {
		err := e.client(place.Account).Delete(c, place.Table, entity.Key(), tag)
		return func() {
			if err != nil {
				if e.panel.epoch == epoch {
					e.panel.refused(err, deleteConflict)
				}
				return
			}
			e.deleted(epoch, place, entity)
		}
	})
}

func (e *explorer) deleted(epoch int, place Place, entity *odata.Entity) {
	if e.place.sameTable(place) {
		e.results.take(entity.Key())
	}
	if e.panel.epoch == epoch {
		e.panel.reset(panelNone)
	}
	e.measure()
	e.refreshStatus()
	e.toast("Deleted "+keyWords(entity.Key()), "Undo", func() { e.insertAgain(place, entity) })
}

// insertAgain undoes a deletion.
func (e *explorer) insertAgain(place Place, entity *odata.Entity) {
	e.background(func(c context.Context) func() {
		client := e.client(place.Account)
		_, err := client.Insert(c, place.Table, entity)
		back := tableclient.Entity{}
		if err == nil {
			back, err = client.Get(c, place.Table, entity.Key())
		}
		return func() {
			if err != nil {
				e.toast("Not restored. "+err.Error(), "Try again", func() { e.insertAgain(place, entity) })
				return
			}
			if e.place.sameTable(place) {
				e.results.put(back)
				e.measure()
			}
			e.refreshStatus()
			e.toast("Restored "+keyWords(entity.Key()), "", nil)
		}
	})
}
