package storage

import (
	"context"
	"errors"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) onDump(app.Context, app.Event) {
	p.dump = p.dump.Asked()
	address, name := p.Session.Control().Base+"/dump", "sandtable-"+time.Now().UTC().Format("2006-01-02")+".jsonl"
	p.Session.Background(func(context.Context) func() {
		file, end, err := p.fetched(address)
		return func() {
			if err == nil {
				file.Offer(name)
			}
			p.dump = p.dump.Answered(dumped{file.Size, end}, err)
			switch {
			case p.Mounted(): // the page says it
			case err == nil:
				p.Session.Notify("Dumped " + holds(end))
			default:
				p.Session.Notify("No dump was saved: " + err.Error())
			}
		}
	})
}

// fetched reads a dump. One that broke off lacks its end.
func (p *Page) fetched(address string) (file browser.File, end control.ArchiveEnd, err error) {
	if file, err = p.fetch(address); err == nil {
		end, err = control.ReadArchiveEnd(file.Size, file.Part)
	}
	return file, end, err
}

func (p *Page) onChoose(_ app.Context, event app.Event) {
	target := event.Get("target")
	if file, ok := browser.FileIn(target); ok {
		target.Set("value", "") // so that the same file can be chosen again
		p.chosen(file)
	}
}

// chosen reads what a file holds, before anything is written.
func (p *Page) chosen(file browser.File) {
	page.Background(p.ctx, func(context.Context) func() {
		end, err := control.ReadArchiveEnd(file.Size, file.Part)
		return func() {
			if !p.load.busy {
				p.load = load{file: file, end: end, err: err, open: err == nil}
			}
		}
	})
}

// errLoadStopped means that the user has stopped it.
var errLoadStopped = errors.New("loading was stopped")

func (p *Page) onLoad(app.Context, app.Event) {
	l := &p.load
	if !l.open || l.busy {
		return
	}
	c, stop := context.WithCancel(context.Background())
	l.busy, l.stop, l.err = true, stop, nil
	l.done.Store(0)
	api, session, stay := p.Session.Control(), p.Session, browser.AskToStay()
	session.Background(func(context.Context) func() {
		got, err := api.Load(c, l.file.Size, l.file.Part, func(done int) { l.done.Store(int64(done)) })
		if err != nil && c.Err() != nil {
			err = errLoadStopped // whatever the cancelled request says
		}
		return func() {
			stop()
			stay()
			l.busy, l.err, l.open = false, err, err != nil
			if err == nil {
				l.got = &got
			}
			session.WroteTo("")
			p.reread()
			switch {
			case p.shown != nil: // which says it
			case err == nil:
				session.Notify(l.words())
			default:
				session.Offer(l.file.Name+" was not loaded completely: "+err.Error(), "Storage", func() { session.Navigate(page.Route{Page: "storage"}) })
			}
		}
	})
	page.Follow(p.ctx, p.running)
}

func (p *Page) onStopLoad(app.Context, app.Event) {
	if p.load.busy {
		p.load.stop()
		return
	}
	p.load = load{}
}

// drawDump draws a button that dumps the store.
func (p *Page) drawDump(name, label string) app.UI {
	busy := p.dump.State() == remote.Loading
	if busy {
		label = "Dumping…"
	}
	return ui.Button(ui.Plain, label, p.onDump).Disabled(busy).DataSet("testid", name)
}

func (p *Page) drawArchive() []app.UI {
	body := []app.UI{
		ui.P("hint", "A dump is one file with all accounts, tables, policies and entities, without keys. Loading adds and replaces; it removes nothing."),
		ui.Div("row", p.drawDump("dump", "Dump to a file"),
			app.Label().Class("btn file").Body(app.Text("Load a dump…"),
				app.Input().Class("sr-only").Type("file").Accept(".jsonl,.ndjson,application/x-ndjson").Aria("label", "Load a dump").
					Disabled(p.load.busy).DataSet("testid", "choose-dump").OnChange(p.onChoose)))}
	if p.dump.State() == remote.Failed {
		body = append(body, ui.Failure(p.dump.Err(), app.Span().Text("No file was saved.")))
	} else if d, held := p.dump.Data(); held {
		body = append(body, app.P().Role("status").DataSet("testid", "dumped").Text(holds(d.end)+", "+humanize.Bytes(d.size)+"."))
	}
	return append(body, p.drawLoad())
}

// drawLoad draws what the chosen file holds, and how far it is loaded.
func (p *Page) drawLoad() app.UI {
	l := &p.load
	switch {
	case l.busy:
		return ui.Div("block", ui.Track("Load", float64(l.done.Load())/float64(max(1, l.file.Size))),
			app.Div().Body(ui.Button(ui.Danger, "Stop", p.onStopLoad).DataSet("testid", "stop-load")))
	case l.err != nil && !l.open:
		return ui.Failure(l.err, app.Span().Text("Nothing was loaded from "+l.file.Name+"."))
	case l.err != nil:
		return ui.Failure(l.err, app.Span().Text("What was loaded so far stays; loading again does no harm."),
			ui.Button(ui.Plain, "Load again", p.onLoad), ui.Button(ui.Quiet, "Cancel", p.onStopLoad))
	case l.got != nil:
		return app.P().Role("status").DataSet("testid", "loaded-dump").Text(l.words() + ".")
	case l.open:
		return app.Div().Class("block").DataSet("testid", "dump-holds").Body(
			app.P().Body(app.B().Text(l.file.Name), app.Text(": "+holds(l.end)+", "+humanize.Bytes(l.file.Size)+". Entities with the same keys are replaced.")),
			ui.Div("row", ui.Button(ui.Primary, "Load "+humanize.Count(l.end.Entities, "entity", "entities"), p.onLoad).DataSet("testid", "load-dump"),
				ui.Button(ui.Quiet, "Cancel", p.onStopLoad)))
	}
	return app.Div().Hidden(true)
}

// words say what was loaded.
func (l *load) words() string {
	return "Loaded " + humanize.Count(l.got.Entities, "entity", "entities") + " in " + humanize.Count(l.got.Tables, "table", "tables") + " from " + l.file.Name
}

func holds(end control.ArchiveEnd) string {
	text := humanize.Count(end.Entities, "entity", "entities") + " in " + humanize.Count(end.Tables, "table", "tables") + " of " + humanize.Count(end.Accounts, "account", "accounts")
	if end.Corruption > 0 {
		text += ", without " + humanize.Count(end.Corruption, "corrupt part", "corrupt parts")
	}
	return text
}

// resetWords have to be typed before a reset.
const resetWords = "delete everything"

// resetID names the field for these words.
const resetID = "reset-words"

func (p *Page) onWord(_ app.Context, event app.Event) { p.word = ui.Text(event) }

func (p *Page) onReset(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.empty()
}

// empty deletes all that is stored, if the words are right. The page may be gone by then.
func (p *Page) empty() {
	if p.word != resetWords || p.reset.State() == remote.Loading {
		return
	}
	p.reset = p.reset.Asked()
	p.Session.Background(func(c context.Context) func() {
		err := p.Session.Control().Reset(c)
		return func() {
			p.reset = p.reset.Answered(true, err)
			p.word = ""
			p.resets++
			browser.Focus(p.ctx, resetID) // the field is another one, and the button disabled
			switch {
			case err == nil:
				p.Session.Notify("Everything is deleted")
				p.Session.Checked(0)
				p.check.result = remote.Value[control.Verified]{} // it was about what is gone
			case !p.Mounted():
				p.Session.Notify("Not everything was deleted: " + err.Error())
			}
			p.Session.WroteTo("")
			p.reread()
			p.readPersistence()
		}
	})
}

func (p *Page) drawReset() []app.UI {
	entities, tables := p.count()
	what := humanize.Count(entities, "entity", "entities") + " in " + humanize.Count(tables, "table", "tables")
	if n := p.snapshots(); n > 0 {
		what += " and " + humanize.Count(n, "snapshot", "snapshots")
	}
	body := []app.UI{
		ui.P("hint", "Deletes "+what+", and accounts that were added. There is no undo: dump to a file first."),

		app.Form().Class("row").OnSubmit(p.onReset).Body(
			&ui.Keyed{Key: "reset" + humanize.Number(p.resets), Draw: func() app.UI {
				return app.Input().ID(resetID).Class("input code").Type("text").Placeholder(resetWords).Aria("label", "Type “"+resetWords+"” to reset").
					AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "off").DataSet("testid", "reset-words").OnInput(p.onWord)
			}},
			app.Button().Type("submit").Class(string(ui.Danger)).Disabled(p.word != resetWords).DataSet("testid", "reset").Text("Reset")),
		app.P().Class("hint").Body(app.Text("Type "), app.B().Text(resetWords), app.Text(" to enable the button.")),
	}
	if p.reset.State() == remote.Failed {
		body = append(body, ui.Failure(p.reset.Err()))
	}
	return body
}
