package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) drawStatus() app.UI {
	r := p.results
	body := []app.UI{
		app.Span().Role("status").DataSet("testid", "loaded").Body(app.Text(loadedText(r))),
		app.Span().Class("grow"),
		app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(r.timestamp).OnChange(p.onTimestamp), app.Text("Timestamp")),
		app.Span().Class("optional").Body(app.Text("UTC")),
	}
	if status, ok := p.Session.Status().Data(); ok && status.Durability != "" {
		body = append(body, app.Span().Class("optional").Title(durabilityText(status.Durability)).Body(app.Text(status.Durability+" durability")))
	}
	return app.Footer().Class("status").Body(body...)
}

func durabilityText(durability string) string {
	if durability == "strict" {
		return "An acknowledged write survives power loss"
	}
	return "An acknowledged write survives a killed browser, but not always a power loss"
}

// loadedText says how many entities are loaded, and whether that is all.
func loadedText(r results) string {
	n := ui.Number(len(r.entities))
	switch {
	case r.state == remote.Loading && !r.held:
		return "Loading…"
	case r.state == remote.Loading:
		return n + " loaded, reading…"
	case !r.held:
		return ""
	case r.next != nil:
		return n + " loaded, more follow"
	case len(r.entities) == 0:
		return "No entities"
	}
	return "All " + n + " loaded"
}

func (p *Page) onTimestamp(app.Context, app.Event) { p.results.timestamp = !p.results.timestamp }
