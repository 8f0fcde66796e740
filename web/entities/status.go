package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) drawStatus() app.UI {
	r := &p.results
	body := []app.UI{app.Span().Role("status").DataSet("testid", "loaded").Text(loadedText(r, p.total()))}
	switch {
	case r.all:
		body = append(body, ui.Button(ui.Small, "Cancel", p.onCancelAll).DataSet("testid", "cancel-all"))
	case r.held && !r.refused && !r.rows.Ended():
		body = append(body, ui.Button(ui.Small, "Load all", p.onLoadAll).DataSet("testid", "load-all"))
	}
	if len(r.fresh) > 0 && !r.stale {
		body = append(body, ui.Button(ui.Small, freshText(len(r.fresh)), p.onFresh).Title("Run the query again: entities were inserted elsewhere").DataSet("testid", "show-new"))
	}
	if fromAKey(r.asked) {
		body = append(body, ui.Button(ui.Small, "Back to the first row", p.onFirstRow).DataSet("testid", "first-row"))
	}
	if r.stale {
		body = append(body, ui.Button(ui.Small, "Read again", p.onReadAgain).Title("Rows may have changed elsewhere").DataSet("testid", "read-again"))
	}
	if u := p.undo(); u != nil {
		body = append(body, ui.Button(ui.Small, u.title, p.onUndo).DataSet("testid", "undo"))
	}
	zone := "UTC"
	if p.settings.Local {
		zone = "Local time"
	}
	body = append(body, app.Span().Class("grow"),
		ui.Button(ui.Small, "Jump to key", p.onJumpMenu).Aria("expanded", p.menu == jumpMenu).DataSet("testid", "jump-menu"),
		ui.Button(ui.Small, zone, p.onZone).Title("Show dates in UTC or in local time").DataSet("testid", "zone"))
	if p.Connected() {
		body = append(body, app.Span().Class("optional").Title("Only this browser's own tables report query plans and live changes").Text("no query plan, no live changes"))
	} else if status, ok := p.Session.Status().Data(); ok && status.Durability != "" {
		body = append(body, app.Span().Class("optional").Title(durabilityText(status.Durability)).Text(status.Durability+" durability"))
	}
	return app.Footer().Class("status").Body(append(body, p.drawJump())...)
}

func durabilityText(durability string) string {
	if durability == "strict" {
		return "An acknowledged write survives power loss"
	}
	return "An acknowledged write survives a killed browser, but not always a power loss"
}

// total returns the number of entities in the table, 0 if it is not known or
// the query leaves some out.
func (p *Page) total() int {
	if p.results.asked.Args != "" {
		return 0
	}
	t, _ := p.Session.Catalog().Table(p.Route.Account, p.Route.Table)
	return max(t.Entities, 0)
}

// loadedText says how many rows are loaded, and of how many.
func loadedText(r *results, total int) string {
	n := humanize.Number(r.rows.Len())
	looked := ""
	if r.post.Text != "" {
		looked = " of " + humanize.Count(r.looked, "row read", "rows read")
	}
	switch {
	case r.state == remote.Loading && !r.held:
		return "Loading…"
	case !r.held:
		return ""
	case r.refused && r.rows.Len() > 0:
		return "Previous result: " + humanize.Count(r.rows.Len(), "row", "rows")
	case r.refused:
		return ""
	case r.post.Text != "" && !r.rows.Ended():
		return n + " match" + looked + " so far"
	case r.post.Text != "":
		return n + " match" + looked
	case !r.rows.Ended() && total > r.rows.Len():
		return n + " of " + humanize.Number(total) + " loaded"
	case r.state == remote.Loading:
		return n + " loaded, reading…"
	case !r.rows.Ended():
		return n + " loaded, more follow"
	case r.rows.Len() == 0:
		return "No entities"
	}
	return "All " + n + " loaded"
}

func (p *Page) onFresh(app.Context, app.Event) { p.run() }

func (p *Page) onLoadAll(app.Context, app.Event) { p.loadAll() }

func (p *Page) onCancelAll(app.Context, app.Event) { p.cancelAll() }

func (p *Page) onReadAgain(app.Context, app.Event) { p.run() }

func (p *Page) onFirstRow(app.Context, app.Event) {
	p.Session.Navigate(p.Route.With(fromArg, "").With(fromRowArg, ""))
}

func (p *Page) onZone(app.Context, app.Event) {
	s := p.settings
	s.Local = !s.Local
	p.set(s)
}
