package settings

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/bulk"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// drawEmpty draws the button that deletes all entities of the table.
func (p *Page) drawEmpty() app.UI {
	if p.Route.Table == "" {
		return app.Section().Hidden(true)
	}
	none := p.table().Entities == 0
	return app.Section().Body(app.H2().Text("Empty table"), ui.P("hint", "Keeps the table, its access policies and its settings. Entities are deleted in transactions of up to 100, partition by partition."),
		app.Div().Body(ui.Button(ui.Plain, "Delete all entities…", p.onEmpty).Disabled(none || p.kept.jobs.Running(p.Route, "")).DataSet("testid", "empty-table")))
}

func (p *Page) onEmpty(app.Context, app.Event) { p.askToEmpty() }

// askToEmpty deletes all entities after a question, in the background.
func (p *Page) askToEmpty() {
	r, s, n := p.Route, p.Session, p.table().Entities
	page.AskToEmpty(s, r, n, func(snapshot bool) {
		j := &page.Job{One: "entity", Many: "entities", Verb: "deleted", Rest: ".", All: n}
		p.kept.jobs.Start(s, r, j, func(c context.Context) error {
			if snapshot {
				if err := page.SnapshotBefore(c, s, r.Account, "emptying "+r.Table); err != nil {
					return err
				}
			}
			return bulk.Empty(c, s.Client(r.Account), r.Table, j.Note)
		}, func(err error) {
			shown := p.kept.page // it may be another one by now
			here := shown != nil && shown.Route.Place() == r.Place()
			switch {
			case err == nil:
				s.Notify("Deleted " + humanize.Count(j.Done(), "entity", "entities") + " of " + r.Table)
			case !here:
				s.Notify("Not all entities of " + r.Table + " were deleted: " + j.Words() + j.Rest)
			}
			if here && !shown.Connected() {
				shown.loadPartitions()
			}
		})
	})
}
