package storage

import (
	"context"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	kept := &kept{}
	return page.Definition{
		Name: "storage", Title: "Storage", Icon: ui.IconAccount, Scopes: page.Store, Hidden: true,
		New:      func(p page.Props) app.Composer { return &Page{Props: p, pause: readPause, kept: kept} },
		Exhibits: exhibits,
	}
}

// OnInit connects the page to the browser.
func (p *Page) OnInit() {
	if p.persistence == nil {
		p.persistence, p.persist = browser.ReadPersistence, browser.RequestPersistence
	}
	if p.fetch == nil {
		p.fetch = browser.Fetch
	}
	if p.kept == nil {
		p.kept = &kept{}
	}
}

// OnMount reads the status.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Watch(p.follow))
	p.shown = p
	page.Follow(ctx, p.running)
	p.status = p.Session.Status()
	p.read()
	p.readPersistence()
}

// OnDismount stops following the store.
func (p *Page) OnDismount() {
	page.Release(p.release)
	if p.shown != p {
		return // another page is shown already
	}
	p.shown = nil
	if p.load.got != nil {
		p.load = load{}
	}
	if p.check.stop == nil {
		p.check = check{}
	}
	if p.compaction.stop == nil {
		p.compaction = compaction{}
	}
}

// readPause is from a change to the reading of the counts: an import makes many changes.
const readPause = time.Second

// follow reads the counts again when the store has changed.
func (p *Page) follow([]control.Change) {
	if p.due {
		return
	}
	p.due = true
	p.ctx.After(p.pause, func(app.Context) {
		p.due = false
		p.read()
	})
}

// read reads the status and what the tables take.
func (p *Page) read() {
	p.readUsage()
	page.Load(p.ctx, &p.status, p.Session.Control().Status)
	page.Load(p.ctx, &p.mergeable, p.Session.Control().Mergeable)
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return ui.Div("page", ui.Div("storage",
		app.Section().Class("column").Aria("label", "Storage").Body(
			append([]app.UI{app.H2().Text("Where the data is")}, p.draw()...)...),
		app.Section().Class("column side-column").Aria("label", "What can be done").Body(p.drawActions()...)))
}

// drawActions draws what can be done, once there is a store.
func (p *Page) drawActions() []app.UI {
	if _, held := p.status.Data(); !held || p.waits() {
		return []app.UI{ui.Bones(4)}
	}
	return []app.UI{
		p.drawCheck(), p.drawCompact(), block("Dump and load", p.drawArchive()...),
		block("Reset", p.drawReset()...),
	}
}

func block(title string, content ...app.UI) app.UI {
	return ui.Div("block", append([]app.UI{app.H2().Text(title)}, content...)...)
}

// waits reports whether something is still read for the first time: its answer would
// move the buttons below it from under the pointer.
func (p *Page) waits() bool {
	_, persisted := p.persisted.Data()
	_, usage := p.usage.Data()
	return p.persisted.State() == remote.Loading && !persisted || p.usage.State() == remote.Loading && !usage
}

func (p *Page) draw() []app.UI {
	status, held := p.status.Data()
	switch {
	case !held && p.status.State() == remote.Failed:
		return []app.UI{ui.Retry(p.status.Err(), p.onAgain)}
	case !held || p.waits():
		return []app.UI{ui.Bones(6)}
	}
	facts := []ui.Fact{{Name: "Place", Value: storeName(status.Store)}}
	persisted, known := p.persisted.Data()
	if known {
		facts = append(facts, ui.Fact{Name: "Persistent", Value: map[bool]string{true: "yes", false: "no"}[persisted.Persisted]})
		if persisted.Quota > 0 {
			facts = append(facts, ui.Fact{Name: "In use", Value: humanize.Bytes(persisted.Usage) + " of " + humanize.Bytes(persisted.Quota) + ", by all of this site"})
		}
	}
	entities, tables := p.count()
	facts = append(facts,
		ui.Fact{Name: "Entities", Value: humanize.Number(entities) + " in " + humanize.Count(tables, "table", "tables")},
		ui.Fact{Name: "Version", Value: status.Build})
	if last := status.LastCheckpoint; last != nil {
		facts = append(facts, ui.Fact{Name: "Last checkpoint", Value: last.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	body := []app.UI{ui.Facts(facts)}
	if known && persisted.Quota > 0 {
		body = append(body, ui.Track("Space in use", float64(persisted.Usage)/float64(persisted.Quota)))
	}
	body = append(body, p.drawPersistence(status.Store)...)
	body = append(body, p.drawDurability(status)...)
	if failure := status.CheckpointFailure; failure != nil {
		body = append(body, ui.Notice("Checkpoints are failing.",
			"Since "+failure.Since.UTC().Format("2006-01-02 15:04 UTC")+": "+failure.Error+". Nothing is lost and Sandtable keeps trying. Until a checkpoint succeeds the write-ahead log grows and the next start takes longer.").
			DataSet("testid", "checkpoint-failure"))
	}
	return append(append(body, p.drawQuarantine(status)...), p.drawUsage()...)
}

func (p *Page) onAgain(app.Context, app.Event) { p.read() }

func (p *Page) drawPersistence(store string) []app.UI {
	persisted, known := p.persisted.Data()
	switch {
	case store == "memory":
		return []app.UI{app.P().Text("This browser gives the page no storage here, as in some private windows and frames. The tables are gone when the browser ends the worker, which can be half a minute after the last request.")}
	case p.persisted.State() == remote.Failed:
		return []app.UI{ui.P("hint", ui.Sentence(p.persisted.Err().Error()))}
	case known && persisted.Persisted:
		return []app.UI{app.P().Text("The browser keeps the tables until you clear the data of this site.")}
	case known:
		refusal := app.P().Role("status")
		if p.refused {
			refusal = refusal.DataSet("testid", "persistence-refused").Text("The browser refused for now. Bookmark this site, install it as an app, or visit it more often, and request again. Until then, dump the tables to a file from time to time.")
		}
		return []app.UI{
			app.P().Text("The browser may delete the tables when it runs out of space; Safari also does after seven days without a visit. Some browsers agree to keep them once a site is used often, is bookmarked, or is installed."),
			app.Div().Body(ui.Button(ui.Primary, "Request persistence", p.onPersist).DataSet("testid", "keep")), refusal}
	}
	return nil
}

// onPersist asks the browser to keep the tables, and says if it refuses.
func (p *Page) onPersist(app.Context, app.Event) {
	p.persisted = p.persisted.Asked()
	page.Background(p.ctx, func(context.Context) func() {
		answer, err := p.persist()
		return func() {
			p.persisted = p.persisted.Answered(answer, err)
			p.refused = err == nil && !answer.Persisted
			p.Session.Wrote() // the pill shows the answer, too
		}
	})
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
