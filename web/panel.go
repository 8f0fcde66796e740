package web

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// panelKind is what the panel at the right shows.
type panelKind uint8

const (
	panelNone panelKind = iota
	panelEntity
	panelConnect
	panelStorage
)

// panel is the state of the panel at the right.
type panel struct {
	kind  panelKind
	epoch int // changes when other content comes in, so that its fields are drawn anew

	// An entity: a new one, or the one with this key in this table.
	existing bool
	place    Place
	key      odata.Key
	loaded   remote.Value[tableclient.Entity]
	draft    draft.Draft
	tried    bool // Save was pressed: all problems are shown
	busy     bool
	err      error
	conflict conflict
	json     bool

	// How to connect to an account.
	account    string
	connection remote.Value[tableclient.Connection]
	copied     string // the name of the text that was copied last

	// How the store is.
	verified remote.Value[tableclient.Verified]
}

// conflict is what was to be done to an entity that somebody else has changed.
type conflict uint8

const (
	noConflict conflict = iota
	saveConflict
	deleteConflict
)

// changed reports whether closing the panel loses something.
func (p *panel) changed() bool {
	return p.kind == panelEntity && !p.loading() && p.draft.Changed()
}

// loading reports whether the panel waits for its entity.
func (p *panel) loading() bool {
	return p.existing && p.loaded.State() != remote.Loaded
}

// reset empties the panel for other content.
func (p *panel) reset(kind panelKind) {
	*p = panel{kind: kind, epoch: p.epoch + 1}
}

// closeEntity closes the panel if it shows an entity.
func (p *panel) closeEntity() {
	if p.kind == panelEntity {
		p.reset(panelNone)
	}
}

// problems returns what is to be said beside the fields: everything once Save
// was pressed, before that only about values that are there.
func (p *panel) problems() draft.Problems {
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

// leave does what was asked for if nothing would be lost, or if that is fine.
func (e *explorer) leave(then func()) {
	if !e.panel.changed() {
		then()
		return
	}
	e.ask(ui.Question{
		Title:   "Discard the changes?",
		Text:    "What you entered in the panel has not been saved.",
		Confirm: "Discard",
	}, then)
}

func (e *explorer) closePanel() {
	e.leave(func() {
		e.panel.reset(panelNone)
		e.measure()
		e.focus(ui.GridID)
	})
}

func (e *explorer) onClosePanel(app.Context, app.Event) { e.closePanel() }

func (e *explorer) drawPanel() app.UI {
	switch e.panel.kind {
	case panelEntity:
		return e.drawEntityPanel()
	case panelConnect:
		return e.drawConnectPanel()
	case panelStorage:
		return e.drawStoragePanel()
	}
	return app.Aside().Hidden(true)
}
