package entity

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// merging is the state of the panel while the user decides between two changes
// of the entity.
type merging struct {
	draft.Merge
	theirs client.Entity
	chosen map[string]draft.Side // by the user, by property
	again  bool                  // it was saved once more while the user chose
	all    bool                  // properties that are the same are shown, too
}

// compare reads the entity as it is stored now, and shows it next to the draft
// and to what both began with.
func (p *Panel) compare() {
	mine, problems := p.draft.Entity()
	if len(problems) > 0 {
		p.tried, p.busy = true, false
		return
	}
	p.busy = true
	key := *p.Key
	page.Background(p.ctx, func(c context.Context) func() {
		theirs, err := p.client().Get(c, p.Route.Table, key)
		return func() {
			p.busy = false
			if err != nil {
				p.refused(err, p.compare)
				return
			}
			if now, problems := p.draft.Entity(); len(problems) == 0 {
				mine = now // with what was entered meanwhile
			}
			p.merge(theirs, mine)
		}
	})
}

// merge shows the comparison. Choices that were made in an earlier one stay.
func (p *Panel) merge(theirs client.Entity, mine *odata.Entity) {
	next := merging{theirs: theirs, chosen: map[string]draft.Side{}}
	if p.merging != nil {
		next.chosen, next.all = p.merging.chosen, p.merging.all
		next.again = theirs.Tag != p.merging.theirs.Tag
	}
	next.Merge = draft.MergeOf(p.draft.Original(), theirs.Entity, mine, next.chosen)
	p.merging, p.changed = &next, false
	p.redraws++
	p.Owner.EntityChanged(theirs.Key())
}

// saveMerged writes the merged entity if the stored one is still that of the
// comparison.
func (p *Panel) saveMerged() {
	m := p.merging
	if len(m.Open()) > 0 || p.busy {
		return
	}
	e, replace := m.Change()
	if e == nil {
		p.keepTheirs()
		text := "Nothing to save: the stored entity has all of it"
		if p.keepKeys(m.Mine.Key()); p.rekey {
			text = "The stored entity has all of it but the new keys, which are not saved yet"
		}
		p.Session.Notify(text)
		return
	}
	p.busy, p.err = true, nil
	p.Session.Background(func(c context.Context) func() {
		write := p.client().Merge
		if replace {
			write = p.client().Replace
		}
		tag, err := write(c, p.Route.Table, e, m.theirs.Tag)
		saved, err := p.stored(c, m.Entity(), tag, err)
		return func() { p.saved(true, e.Key(), saved, func() { p.show(saved); p.keepKeys(m.Mine.Key()) }, err) }
	})
}

// keepKeys puts back the keys that were entered: a comparison is about properties alone.
func (p *Panel) keepKeys(entered odata.Key) {
	p.draft.PartitionKey, p.draft.RowKey, p.rekey = entered.PartitionKey, entered.RowKey, entered != *p.Key
}

// keepTheirs drops what was entered.
func (p *Panel) keepTheirs() {
	theirs := p.merging.theirs
	p.show(theirs)
	p.Owner.EntityRead(theirs)
}

func (p *Panel) onSide(_ app.Context, event app.Event) {
	p.choose(ui.Data(event, "difference"), draft.Side(ui.Data(event, "choice")))
}

func (p *Panel) choose(name string, side draft.Side) {
	if p.merging != nil {
		p.merging.chosen[name] = side
		p.merging.Choose(name, side)
	}
}

func (p *Panel) onShowSame(app.Context, app.Event) { p.merging.all = !p.merging.all }

func (p *Panel) onKeepTheirs(app.Context, app.Event) { p.keepTheirs() }

func (p *Panel) onCompare(app.Context, app.Event) { p.compare() }
