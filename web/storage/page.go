package storage

import (
	"context"
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "storage", Title: "Storage", Icon: ui.IconAccount, Scopes: page.Store, Hidden: true,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// Page shows the state of the store.
type Page struct {
	app.Compo
	page.Props

	// persistence and persist ask the browser; a test has its own.
	persistence, persist func() (browser.Persistence, error)

	status    remote.Value[client.Status]
	persisted remote.Value[browser.Persistence]
	verified  remote.Value[client.Verified]
}

// OnInit connects the page to the browser.
func (p *Page) OnInit() {
	if p.persistence == nil {
		p.persistence, p.persist = browser.ReadPersistence, browser.RequestPersistence
	}
}

// OnMount reads the status.
func (p *Page) OnMount(ctx app.Context) { p.load(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.load(ctx) }

func (p *Page) load(ctx app.Context) {
	p.status = p.Session.Status().Asked()
	page.Background(ctx, func(c context.Context) func() {
		status, err := p.Session.Control().Status(c)
		return func() { p.status = p.status.Answered(status, err) }
	})
	p.askPersistence(ctx, p.persistence)
}

func (p *Page) askPersistence(ctx app.Context, ask func() (browser.Persistence, error)) {
	p.persisted = p.persisted.Asked()
	page.Background(ctx, func(context.Context) func() {
		answer, err := ask()
		return func() { p.persisted = p.persisted.Answered(answer, err) }
	})
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return app.Div().Class("page").Body(
		app.Section().Class("column").Aria("label", "Storage").Body(
			append([]app.UI{app.H2().Body(app.Text("Where the data is"))}, p.draw()...)...))
}

func (p *Page) draw() []app.UI {
	status, held := p.status.Data()
	if !held {
		return []app.UI{ui.Bones(6)}
	}
	facts := []ui.Fact{{Name: "Place", Value: storeName(status.Store)}}
	if status.Durability != "" {
		facts = append(facts, ui.Fact{Name: "Durability", Value: status.Durability})
	}
	persisted, known := p.persisted.Data()
	if known {
		facts = append(facts, ui.Fact{Name: "Persistent", Value: map[bool]string{true: "yes", false: "no"}[persisted.Persisted]})
		if persisted.Quota > 0 {
			facts = append(facts, ui.Fact{Name: "In use", Value: ui.Bytes(persisted.Usage) + " of " + ui.Bytes(persisted.Quota)})
		}
	}
	facts = append(facts,
		ui.Fact{Name: "Entities", Value: ui.Number(status.Entities) + " in " + ui.Count(status.Tables, "table", "tables")},
		ui.Fact{Name: "Version", Value: status.Build})
	body := append([]app.UI{ui.Facts(facts)}, p.drawPersistence(status.Store)...)
	if failure := status.CheckpointFailure; failure != nil {
		body = append(body, ui.Notice("Checkpoints are failing.",
			"Since "+failure.Since.UTC().Format("2006-01-02 15:04 UTC")+": "+failure.Error+". Nothing is lost and Sandtable keeps trying. Until a checkpoint succeeds the write-ahead log grows and the next start takes longer.").
			DataSet("testid", "checkpoint-failure"))
	}
	return append(body, p.drawVerify()...)
}

func (p *Page) drawPersistence(store string) []app.UI {
	persisted, known := p.persisted.Data()
	switch {
	case store == "memory":
		return []app.UI{app.P().Body(app.Text("This browser gives the page no storage here, as in some private windows and frames. The tables are gone when the browser ends the worker, which can be half a minute after the last request."))}
	case p.persisted.State() == remote.Failed:
		return []app.UI{app.P().Class("hint").Body(app.Text(ui.Sentence(p.persisted.Err().Error())))}
	case known && persisted.Persisted:
		return []app.UI{app.P().Body(app.Text("The browser keeps the tables until you clear the data of this site."))}
	case known:
		return []app.UI{
			app.P().Body(app.Text("The browser may delete the tables when it runs out of space; Safari also does after seven days without a visit. Some browsers agree to keep them once a site is used often, is bookmarked, or is installed.")),
			app.Div().Body(ui.Button(ui.Plain, "Request persistence", p.onPersist).DataSet("testid", "keep"))}
	}
	return nil
}

func (p *Page) onPersist(ctx app.Context, _ app.Event) { p.askPersistence(ctx, p.persist) }

func (p *Page) onVerify(ctx app.Context, _ app.Event) {
	p.verified = p.verified.Asked()
	page.Background(ctx, func(c context.Context) func() {
		verified, err := p.Session.Control().Verify(c)
		return func() { p.verified = p.verified.Answered(verified, err) }
	})
}

// shownProblems is how many problems are listed: with more, the store has to be
// given up, and the list would not be read.
const shownProblems = 20

// drawVerify draws the button that checks the store, and the result.
func (p *Page) drawVerify() []app.UI {
	state := p.verified.State()
	label := map[bool]string{true: "Checking…", false: "Check the tables"}[state == remote.Loading]
	button := app.Div().Body(ui.Button(ui.Plain, label, p.onVerify).Disabled(state == remote.Loading).DataSet("testid", "verify"))
	v, checked := p.verified.Data()
	switch {
	case state == remote.Failed:
		return []app.UI{button, ui.Failure(p.verified.Err())}
	case !checked || state != remote.Loaded:
		return []app.UI{button, app.P().Class("hint").Body(app.Text("Checks the whole store and lists every problem. Nothing is changed."))}
	case v.Found == 0:
		return []app.UI{button, app.P().Role("status").DataSet("testid", "verified").Body(app.Text(fmt.Sprintf(
			"Nothing is wrong. Entities: %s, tables: %s, blocks: %s (%s), WAL records: %s.",
			ui.Number(v.Entities), ui.Number(v.Tables), ui.Number(v.Blocks), ui.Bytes(v.Bytes), ui.Number(v.Records))))}
	}
	shown := v.Findings[:min(len(v.Findings), shownProblems)]
	list := strings.Join(shown, "\n")
	if rest := v.Found - len(shown); rest > 0 {
		list += "\nand " + ui.Number(rest) + " more"
	}
	return []app.UI{button, ui.Notice("Problems found.", "Everything that can be read is still served.", app.Pre().Body(app.Text(list))).
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
