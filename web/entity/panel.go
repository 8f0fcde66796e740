package entity

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// Panel edits an entity of the route's table.
type Panel struct {
	app.Compo
	Session page.Session
	Route   page.Route
	Acts    int // as in [page.Props]
	Owner   Owner
	// Key is that of the entity to load, nil for a new one.
	Key *odata.Key
	// Start is what a new entity starts with.
	Start draft.Draft
	// Known are the properties that the table is known to have: all are offered.
	Known []draft.Known
	// Serial changes when another panel is opened, which never shows the state of
	// the one before.
	Serial int

	ctx      app.Context
	redraws  int // changes with the content, so that the fields are drawn again
	existing bool
	loaded   remote.Value[client.Entity]
	draft    draft.Draft
	tried    bool // Save was pressed: show all problems
	busy     bool
	err      error
	changed  bool     // it was saved elsewhere since it was read
	missing  bool     // it was deleted elsewhere since it was read
	merging  *merging // the comparison with what was saved elsewhere, or nil
	gone     bool     // Delete was refused because it was saved elsewhere
	rekey    bool     // the keys are being changed
	left     *leftover
	text     string // of the JSON view, as the user edits it
	badText  string // what is wrong with it
	json     bool
	copied   bool
	release  []func()
}

// Owner is the page that shows the panel. Its methods are called on go-app's
// goroutine.
type Owner interface {
	// EntitySaved is called when the panel has stored an entity. It reports
	// whether the entity is among the rows shown.
	EntitySaved(e client.Entity) (shown bool)
	// EntityRestored is called when a deletion was undone, perhaps by a panel that is
	// gone.
	EntityRestored(e client.Entity)
	// EntityRead is called with an entity that the panel has read.
	EntityRead(e client.Entity)
	// EntityChanged is called when an entity was found to be another than the one
	// in the panel.
	EntityChanged(key odata.Key)
	// EntityDeleted is called when the panel has deleted its entity. The panel may be gone.
	EntityDeleted(key odata.Key)
	// OfferUndo says what was done, and offers to undo it under a title.
	OfferUndo(text, title string, run func())
	// EntityMoved is called when the panel has stored its entity under other keys.
	EntityMoved(from odata.Key, to client.Entity)
	// EntityGone is called when the panel has deleted another entity than its own.
	EntityGone(key odata.Key)
	// OpenNew replaces the panel by one with a new entity.
	OpenNew(start draft.Draft)
	// ClosePanel removes the panel.
	ClosePanel()
}

// CompoID makes go-app mount a new component for another panel.
func (p *Panel) CompoID() string { return "panel" + strconv.Itoa(p.Serial) }

// OnInit fills in a new entity.
func (p *Panel) OnInit() {
	p.existing = p.Key != nil
	if p.existing {
		p.loaded = p.loaded.Asked()
	} else {
		p.draft = p.Start
		p.draft.Offer(p.Known)
	}
}

// OnMount reads the entity.
func (p *Panel) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Panel) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Panel) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Guard(p.unsaved), p.Session.Keys(p.onKey), p.Session.Watch(p.onChanges))
	if p.existing {
		p.load()
	}
}

// OnDismount removes what the panel has registered.
func (p *Panel) OnDismount() { page.Release(p.release) }

// load reads the entity as a whole: a row can be old, or only a part of it.
func (p *Panel) load() {
	p.redraws++
	page.Load(p.ctx, &p.loaded, func(c context.Context) (client.Entity, error) {
		return p.client().Get(c, p.Route.Table, *p.Key)
	}, func() {
		if e, _ := p.loaded.Data(); p.loaded.Err() == nil {
			p.show(e)
			p.Owner.EntityRead(e)
		}
	})
}

func (p *Panel) client() *client.Client { return p.Session.Client(p.Route.Account) }

// show puts an entity into the fields.
func (p *Panel) show(e client.Entity) {
	p.redraws++
	p.draft = draft.Of(e.Entity, e.Tag)
	p.draft.Offer(p.Known)
	p.settled()
	p.badText = ""
	if p.json {
		p.text = indented(e.Entity)
	}
}

// showStored shows an entity after it was sent and stored. What the user entered
// meanwhile stays, as a change of it.
func (p *Panel) showStored(e client.Entity, sent *odata.Entity) {
	if p.badText == "" && p.draft.Makes(sent) {
		p.show(e)
		return
	}
	p.draft = p.draft.Onto(e.Entity, e.Tag)
	p.settled()
	p.rekey = p.draft.Key() != e.Key()
}

// settled forgets what was under way or wrong with the entity before.
func (p *Panel) settled() {
	p.tried, p.busy, p.err, p.copied = false, false, nil, false
	p.changed, p.missing, p.merging, p.gone, p.rekey, p.left = false, false, nil, false, false, nil
}

// unsaved reports whether closing the panel loses something.
func (p *Panel) unsaved() bool { return p.busy || !p.loading() && p.draft.Changed() }

// loading reports whether the panel waits for its entity.
func (p *Panel) loading() bool { return p.existing && p.loaded.State() != remote.Loaded }

// problems returns what to show next to the fields: everything once Save was
// pressed, before that only problems of fields that are filled in.
func (p *Panel) problems() draft.Problems {
	_, all := p.draft.Entity()
	if p.tried || len(all) == 0 {
		return all
	}
	some := draft.Problems{}
	for _, property := range p.draft.Properties {
		if property.Name != "" && property.Text != "" && all[property.ID] != "" {
			some[property.ID] = all[property.ID]
		}
	}
	return some
}

// onKey saves on Ctrl+Enter inside the panel, and closes it on Escape.
func (p *Panel) onKey(key page.Key) func() {
	switch {
	case key.Name == "Enter" && key.Ctrl && key.Within(".panel"):
		return p.submit
	case key.Name == "Escape":
		return p.close
	}
	return nil
}

func (p *Panel) close() { p.Session.Leave(p.Owner.ClosePanel) }

func (p *Panel) onClose(app.Context, app.Event) { p.close() }

// FocusTitle moves the keyboard to the title of the panel that is shown.
func FocusTitle(ctx app.Context) { browser.Focus(ctx, titleID) }

// FocusKeys moves the keyboard to the first key of a new entity.
func FocusKeys(ctx app.Context) { browser.Focus(ctx, partitionKeyID) }

const (
	titleID        = "panel-title"
	partitionKeyID = "entity-pk"
)
