package web

import (
	"context"
	"fmt"
	"strings"

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
		ui.Fact{Name: "Entities", Value: ui.Number(status.Entities) + " in " + ui.Count(status.Tables, "table", "tables")},
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
	if failure := status.CheckpointFailure; failure != nil {
		body = append(body, ui.Notice("The log cannot be tidied up.",
			"Since "+failure.Since.UTC().Format("2006-01-02 15:04 UTC")+": "+failure.Error+". Nothing is lost, and it is tried again by itself; until then the log grows, and the next start takes longer.").
			DataSet("testid", "checkpoint-failure"))
	}
	return append(body, e.drawVerify()...)
}

func (e *explorer) onVerify(app.Context, app.Event) {
	e.panel.verified = e.panel.verified.Asked()
	epoch := e.panel.epoch
	e.background(func(c context.Context) func() {
		verified, err := e.control().Verify(c)
		return func() {
			if e.panel.epoch == epoch { // it may show something else by now
				e.panel.verified = e.panel.verified.Answered(verified, err)
			}
		}
	})
}

// shownFindings is how many findings are listed: who has more has a store to
// give up, and not a list to read.
const shownFindings = 20

// drawVerify draws the button that has everything read, and what that found.
func (e *explorer) drawVerify() []app.UI {
	state := e.panel.verified.State()
	label := map[bool]string{true: "Checking…", false: "Check the tables"}[state == remote.Loading]
	button := app.Div().Body(ui.Button(ui.Plain, label, e.onVerify).Disabled(state == remote.Loading).DataSet("testid", "verify"))
	v, checked := e.panel.verified.Data()
	switch {
	case state == remote.Failed:
		return []app.UI{button, errorNote(e.panel.verified.Err())}
	case !checked || state != remote.Loaded:
		return []app.UI{button, app.P().Class("hint").Body(app.Text("Reads everything that is stored, and says what is not as it should be. Nothing is changed."))}
	case v.Found == 0:
		return []app.UI{button, app.P().Role("status").DataSet("testid", "verified").Body(app.Text(fmt.Sprintf(
			"Nothing is wrong. Entities: %s, tables: %s, blocks: %s (%s), records of the log: %s.",
			ui.Number(v.Entities), ui.Number(v.Tables), ui.Number(v.Blocks), size(v.Bytes), ui.Number(v.Records))))}
	}
	shown := v.Findings[:min(len(v.Findings), shownFindings)]
	list := strings.Join(shown, "\n")
	if rest := v.Found - len(shown); rest > 0 {
		list += "\nand " + ui.Number(rest) + " more"
	}
	return []app.UI{button, ui.Notice("Not all is as it should be.", "What can be read goes on being answered.", app.Pre().Body(app.Text(list))).
		DataSet("testid", "verified")}
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
