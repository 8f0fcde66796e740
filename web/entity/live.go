package entity

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// onChanges checks whether the entity in the panel was saved or deleted elsewhere.
// Changes of the panel's own are reported, too: the tag tells them apart. That the
// table was deleted is for the shell to say.
func (p *Panel) onChanges(changes []control.Change) {
	if !p.existing || p.loading() || p.busy || p.merging != nil {
		return
	}
	for _, c := range changes {
		key := odata.Key{PartitionKey: c.PartitionKey, RowKey: c.RowKey}
		same := p.Route.SameTable(page.Route{Account: c.Account, Table: c.Table})
		switch {
		case c.Kind == "lost", same && key == *p.Key && (c.Kind == "deleted" || !p.changed):
			p.checkTag()
			return
		}
	}
}

func (p *Panel) checkTag() {
	key, tag := *p.Key, p.draft.Tag
	page.Background(p.ctx, func(c context.Context) func() {
		stored, err := p.client().Get(c, p.Route.Table, key)
		return func() {
			if !p.existing || *p.Key != key || p.draft.Tag != tag || p.busy || p.merging != nil {
				return // saved or read again since
			}
			p.missing = client.HasCode(err, client.CodeResourceNotFound)
			p.changed = p.changed || err == nil && stored.Tag != p.draft.Tag
		}
	})
}

// drawMissing says that the entity was deleted while it is shown.
func (p *Panel) drawMissing() app.UI {
	text := "This entity is no longer stored. “Add entity” adds it again as the panel shows it."
	var actions []app.UI
	if p.existing {
		text = "This entity is no longer stored. The panel shows it as it was, and can add it again."
		actions = append(actions, ui.Button(ui.Plain, "Add it again", p.onAddAgain).DataSet("testid", "add-again"))
	}
	return ui.Notice("Deleted in the meantime.", text, actions...).DataSet("testid", "deleted-elsewhere")
}

func (p *Panel) onAddAgain(app.Context, app.Event) { p.addAgain() }

func (p *Panel) addAgain() {
	p.asNew()
	p.save()
}

// asNew makes a new entity of what is in the fields: the stored one was deleted.
func (p *Panel) asNew() {
	p.existing, p.merging, p.missing = false, nil, true
	p.draft = p.draft.Duplicate()
	p.redraws++
}
