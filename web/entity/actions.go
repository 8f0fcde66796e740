package entity

import (
	"context"
	"strings"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/ui"
)

// submit does what the button of the form does.
func (p *Panel) submit() {
	if p.merging != nil {
		p.saveMerged()
		return
	}
	p.save()
}

// save inserts the entity, or replaces it unless it has changed since it was read.
func (p *Panel) save() {
	p.tried = true
	e, problems := p.draft.Entity()
	switch {
	case p.busy || p.loading() || p.badText != "":
		return
	case len(problems) > 0:
		p.json = false
		p.redraws++
		return
	case p.existing && e.Key() != *p.Key:
		p.move(e)
		return
	case !p.existing && e.Key() == odata.Key{} && len(e.Properties) == 0:
		p.Session.Ask(ui.Question{Title: "Add an entity with empty keys?", Confirm: "Add entity",
			Text: "Nothing was entered. Both keys can be empty: the table then has one entity without a PartitionKey and a RowKey."}, func() { p.write(e) })
		return
	}
	p.write(e)
}

// write sends the entity. The panel may be gone before that is answered.
func (p *Panel) write(e *odata.Entity) {
	p.busy, p.err, p.gone = true, nil, false
	existing, tag := p.existing, p.draft.Tag
	p.Session.Background(func(c context.Context) func() {
		var err error
		if existing {
			tag, err = p.client().Replace(c, p.Route.Table, e, tag)
		} else {
			tag, err = p.client().Insert(c, p.Route.Table, e)
		}
		saved, err := p.stored(c, e, tag, err)
		return func() { p.saved(existing, e.Key(), saved, func() { p.showStored(saved, e) }, err) }
	})
}

// saved shows an entity that was stored, or says why it was not.
func (p *Panel) saved(existing bool, key odata.Key, e client.Entity, show func(), err error) {
	done := "Saved"
	if !existing {
		done = "Added"
	}
	switch {
	case !p.Mounted():
		p.report(done, keyWords(key), err)
		return
	case err != nil:
		p.refused(err, p.compare)
		return
	}
	p.Session.Wrote()
	p.existing, p.Key = true, &key
	p.loaded = p.loaded.Answered(e, nil)
	show()
	text := done + " " + keyWords(key)
	if !p.Owner.EntitySaved(e) {
		text += "; it is not among the loaded rows"
	}
	p.Session.Notify(text)
}

// refused notes why the service did not do what the panel requested. changed
// is called if the reason is that the entity was saved elsewhere.
func (p *Panel) refused(err error, changed func()) {
	p.busy = false
	if client.HasCode(err, client.CodeConditionNotMet) {
		changed()
		return
	}
	p.json = false
	if p.existing && client.HasCode(err, client.CodeResourceNotFound) {
		p.asNew()
		return
	}
	p.err = err
}

// report tells a user who has left the panel what was done to which entity, or why it was
// not.
func (p *Panel) report(done, entity string, err error) {
	p.Session.WroteTo(p.Route.Account)
	if err != nil {
		p.Session.Notify("Not " + strings.ToLower(done) + ": " + entity + ". " + err.Error())
		return
	}
	p.Session.Notify(done + " " + entity)
}

// remove deletes the entity at once: it can be undone. An entity that was changed elsewhere is
// refused, unless the user deletes it anyway: then its current state is what an undo restores.
// The panel may be gone before it is deleted.
func (p *Panel) remove(anyway bool) {
	if p.busy || p.draft.Original() == nil {
		return
	}
	p.busy, p.err, p.gone = true, nil, false
	e, tag := p.draft.Original(), p.draft.Tag
	p.Session.Background(func(c context.Context) func() {
		var err error
		if anyway {
			var now client.Entity
			if now, err = p.client().Get(c, p.Route.Table, e.Key()); err == nil {
				e, tag = now.Entity, now.Tag
			}
		}
		if err == nil {
			err = p.client().Delete(c, p.Route.Table, e.Key(), tag)
		}
		return func() {
			p.busy = false
			switch {
			case err != nil && !p.Mounted():
				p.report("Deleted", keyWords(e.Key()), err)
				return
			case err != nil:
				p.refused(err, func() { p.gone = true; p.Owner.EntityChanged(e.Key()) })
				return
			}
			p.Session.WroteTo(p.Route.Account)
			p.Owner.OfferUndo("Deleted "+keyWords(e.Key()), "Undo the deletion", func() { p.restore(e) })
			p.draft = p.draft.Duplicate() // nothing is left to lose
			p.Owner.EntityDeleted(e.Key())
		}
	})
}

// restore undoes a deletion, and offers to try again if it fails. The panel may be gone by
// then; its session is not.
func (p *Panel) restore(e *odata.Entity) {
	p.Session.Background(func(c context.Context) func() {
		tag, err := p.client().Insert(c, p.Route.Table, e)
		restored, err := p.stored(c, e, tag, err)
		return func() {
			p.Session.WroteTo(p.Route.Account)
			if err != nil {
				p.Session.Offer("Not restored: "+keyWords(e.Key())+". "+err.Error(), "Try again", func() { p.restore(e) })
				return
			}
			p.Owner.EntityRestored(restored)
			p.Session.Notify("Restored " + keyWords(e.Key()))
		}
	})
}

// stored reads back an entity that was written, with this tag as the answer; err is why it
// was not. If it cannot be read, stored returns what was written: after an error the user
// would write it again.
func (p *Panel) stored(c context.Context, written *odata.Entity, tag string, err error) (client.Entity, error) {
	if err != nil {
		return client.Entity{}, err
	}
	if now, err := p.client().Get(c, p.Route.Table, written.Key()); err == nil {
		return now, nil
	}
	e := *written
	if t, ok := odata.ETagTime(tag); ok {
		e.Timestamp = t
	}
	return client.Entity{Entity: &e, Tag: tag}, nil
}
