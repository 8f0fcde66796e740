package web

import (
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (e *explorer) onStorage(app.Context, app.Event) {
	if e.panel.kind == panelStorage {
		e.closePanel()
		return
	}
	e.leave(func() {
		e.panel.reset(panelStorage)
		e.askPersistence(e.host.Persistence)
		e.refreshStatus()
		e.measure()
		e.focus("panel-title")
	})
}

// drawStoragePanel says where the tables are and how safe they are there.
func (e *explorer) drawStoragePanel() app.UI {
	return app.Aside().Class("panel").Aria("label", "Storage").Body(
		app.Header().Body(
			app.Div().Class("row").Body(
				app.H2().ID("panel-title").Class("words").TabIndex(-1).Body(app.Text("Storage")),
				app.Span().Class("grow"),
				ui.IconButton(ui.Square, ui.IconClose, "Close the panel (Escape)", e.onClosePanel)),
			app.Small().Body(app.Text("Where the tables are, and how safe"))),
		app.Div().Class("body loose").Body(e.drawStorage()...))
}

func (e *explorer) drawStorage() []app.UI {
	status, _ := e.status.Data()
	facts := []ui.Fact{{Name: "Stored in", Value: storeName(status.Store)}}
	if status.Durability != "" {
		facts = append(facts, ui.Fact{Name: "Durability", Value: status.Durability})
	}
	p, known := e.life.persisted.Data()
	if known {
		facts = append(facts, ui.Fact{Name: "Persistent", Value: map[bool]string{true: "yes", false: "no"}[p.Persisted]})
		if p.Quota > 0 {
			facts = append(facts, ui.Fact{Name: "In use", Value: size(p.Usage) + " of " + size(p.Quota)})
		}
	}
	facts = append(facts,
		ui.Fact{Name: "Entities", Value: ui.Number(status.Entities) + " in " + ui.Number(status.Tables) + " tables"},
		ui.Fact{Name: "Version", Value: status.Build})
	body := []app.UI{ui.Facts(facts)}
	switch {
	case status.Store == "memory":
		body = append(body, app.P().Body(app.Text("This browser gives the page no storage here, as in some private windows and frames. The tables are gone when the browser ends the worker, which can be half a minute after the last request.")))
	case e.life.persisted.State() == remote.Failed:
		body = append(body, app.P().Class("hint").Body(app.Text(ui.Sentence(e.life.persisted.Err().Error()))))
	case known && p.Persisted:
		body = append(body, app.P().Body(app.Text("The browser keeps the tables until somebody clears the data of this site.")))
	case known:
		body = append(body,
			app.P().Body(app.Text("The browser may delete the tables when it runs out of room; Safari also does after seven days without a visit. Some browsers agree to keep them once a site is used often, is a bookmark, or is installed.")),
			app.Div().Body(ui.Button(ui.Plain, "Ask the browser to keep them", e.onKeep).DataSet("testid", "keep")))
	}
	return body
}

func storeName(kind string) string {
	switch kind {
	case "indexeddb":
		return "IndexedDB of this browser"
	case "memory":
		return "memory only"
	}
	return kind
}

// size returns a number of bytes for people.
func size(bytes int) string {
	const unit = 1024
	if bytes < unit {
		return fmt.Sprint(bytes, " B")
	}
	value, names := float64(bytes), []string{"KiB", "MiB", "GiB", "TiB"}
	i := -1
	for value >= unit && i < len(names)-1 {
		value /= unit
		i++
	}
	if value >= 100 {
		return fmt.Sprintf("%.0f %s", value, names[i])
	}
	return fmt.Sprintf("%.1f %s", value, names[i])
}
