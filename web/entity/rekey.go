package entity

import (
	"context"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/ui"
)

// leftover is an entity that was to move to another partition: it was added
// there, but could not be deleted where it was.
type leftover struct {
	key odata.Key
	tag string
	err error
}

// move writes the entity under its new keys and deletes it under the old ones:
// in one transaction within a partition, and otherwise in two requests, the
// insert first, so that a failure between them loses nothing. The panel may be gone by then.
func (p *Panel) move(e *odata.Entity) {
	p.busy, p.err, p.gone = true, nil, false
	from, tag := *p.Key, p.draft.Tag
	p.Session.Background(func(c context.Context) func() {
		var left *leftover
		var written string // its tag
		var err error
		if from.PartitionKey == e.PartitionKey {
			var tags []string
			tags, err = p.client().Transact(c, p.Route.Table, []client.Operation{
				{Write: client.Insert, Entity: e},
				{Write: client.Delete, Entity: &odata.Entity{PartitionKey: from.PartitionKey, RowKey: from.RowKey}, IfMatch: tag}})
			if err == nil {
				written = tags[0]
			}
			var refused *client.OperationError
			if errors.As(err, &refused) {
				err = refused.Err
			}
		} else if written, err = p.client().Insert(c, p.Route.Table, e); err == nil {
			if failed := p.client().Delete(c, p.Route.Table, from, tag); failed != nil && !client.HasCode(failed, client.CodeResourceNotFound) {
				left = &leftover{from, tag, failed}
			}
		}
		saved, err := p.stored(c, e, written, err)
		return func() { p.moved(from, e, saved, left, err) }
	})
}

func (p *Panel) moved(from odata.Key, sent *odata.Entity, e client.Entity, left *leftover, err error) {
	words := keyWords(from) + " to " + keyWords(sent.Key())
	switch {
	case !p.Mounted() && left != nil:
		p.report("Copied", words+", but the old one was not deleted: "+left.err.Error(), nil)
		return
	case !p.Mounted():
		p.report("Moved", words, err)
		return
	case err != nil:
		p.refused(err, func() { p.changed = true; p.Owner.EntityChanged(from) })
		return
	}
	p.Session.Wrote()
	key := e.Key()
	p.Key = &key
	p.loaded = p.loaded.Answered(e, nil)
	p.showStored(e, sent)
	if left != nil {
		p.left = left
		p.Owner.EntitySaved(e)
		return
	}
	p.Owner.EntityMoved(from, e)
	p.Session.Notify("Moved " + words)
}

// drawLeft says that the entity exists twice now.
func (p *Panel) drawLeft() app.UI {
	text, button := "The entity was added as "+keyWords(*p.Key)+", but "+keyWords(p.left.key)+" could not be deleted: "+p.left.err.Error(), "Delete it now"
	if client.HasCode(p.left.err, client.CodeConditionNotMet) {
		text, button = "The entity was added as "+keyWords(*p.Key)+". Meanwhile "+keyWords(p.left.key)+" was saved elsewhere and was not deleted.", "Delete it anyway"
	}
	return ui.Notice("Both exist now.", text, ui.Button(ui.Danger, button, p.onDeleteLeft).DataSet("testid", "delete-left").Disabled(p.busy)).DataSet("testid", "left")
}

func (p *Panel) onDeleteLeft(app.Context, app.Event) { p.deleteLeft() }

// deleteLeft deletes what a move has left, in any state if the user has seen
// that it was saved elsewhere. The panel may be gone by then.
func (p *Panel) deleteLeft() {
	left := *p.left
	if client.HasCode(left.err, client.CodeConditionNotMet) {
		left.tag = "*"
	}
	p.busy = true
	p.Session.Background(func(c context.Context) func() {
		err := p.client().Delete(c, p.Route.Table, left.key, left.tag)
		if client.HasCode(err, client.CodeResourceNotFound) {
			err = nil
		}
		return func() {
			p.busy = false
			switch {
			case !p.Mounted():
				p.report("Deleted", keyWords(left.key), err)
				return
			case err != nil:
				left.err = err
				p.left = &left
				return
			}
			p.left = nil
			p.Session.Wrote()
			p.Session.Notify("Deleted " + keyWords(left.key))
			p.Owner.EntityGone(left.key)
		}
	})
}

func (p *Panel) onChangeKeys(app.Context, app.Event) {
	p.rekey = true
	p.redraws++
	FocusKeys(p.ctx)
}

// rekeyWords says what saving under other keys does.
func (p *Panel) rekeyWords() string {
	if p.draft.PartitionKey == p.Key.PartitionKey {
		return "Keys cannot be changed in place: Save inserts the entity under its new keys and deletes " + keyWords(*p.Key) + ", in one transaction."
	}
	return "Keys cannot be changed in place: Save inserts the entity into the other partition and then deletes " + keyWords(*p.Key) + ". These are two requests."
}
