package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// task is a check or a compaction in progress.
type task[Progress any] struct {
	now  Progress // what is known of it
	told bool     // whether anything is
	stop context.CancelFunc
}

// begin returns a task, and what its progress is reported to from its goroutine.
func begin[Progress any](ctx app.Context) (c context.Context, t *task[Progress], report func(Progress)) {
	c, stop := context.WithCancel(ctx)
	t = &task[Progress]{stop: stop}
	return c, t, func(now Progress) {
		ctx.Dispatch(func(app.Context) { t.now, t.told = now, true })
	}
}

func (p *Page) onVerify(app.Context, app.Event) {
	c, t, report := begin[client.Verified](p.ctx)
	p.verified, p.checking = p.verified.Asked(), t
	page.Background(p.ctx, func(context.Context) func() {
		verified, err := p.Session.Control().Verify(c, report)
		return func() {
			t.stop()
			if p.checking = nil; errors.Is(err, context.Canceled) {
				p.verified = remote.Value[client.Verified]{}
				p.Session.Notify("The check was stopped")
				return
			}
			p.verified = p.verified.Answered(verified, err)
		}
	})
}

func (p *Page) onStopVerify(app.Context, app.Event) {
	if p.checking != nil {
		p.checking.stop()
	}
}

// drawRunning draws how far a task is, which can be stopped.
func drawRunning(name, words string, stop app.EventHandler) app.UI {
	return app.Div().Class("row").Body(app.Span().Class("grow").Role("status").DataSet("testid", name+"-progress").Body(app.Text(words)),
		ui.Button(ui.Plain, "Stop", stop).DataSet("testid", name+"-stop"))
}

// shownProblems is how many problems are listed: with more, the store has to be
// given up, and the list would not be read.
const shownProblems = 20

// drawVerify draws the button that checks the store, and the result.
func (p *Page) drawVerify() []app.UI {
	if t := p.checking; t != nil {
		return p.drawChecking(t)
	}
	state := p.verified.State()
	button := app.Div().Body(ui.Button(ui.Plain, "Check the tables", p.onVerify).DataSet("testid", "verify"))
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

// drawChecking draws how much was read. The status says how much there is, or was a
// moment ago.
func (p *Page) drawChecking(t *task[client.Verified]) []app.UI {
	if !t.told {
		return []app.UI{drawRunning("verify", "Checking…", p.onStopVerify)}
	}
	words := "Checked " + ui.Count(t.now.Entities, "entity", "entities") + " in " + ui.Count(t.now.Blocks, "block", "blocks") + " (" + ui.Bytes(t.now.Bytes) + ")"
	if t.now.Found > 0 {
		words += ", found " + ui.Count(t.now.Found, "problem", "problems")
	}
	status, _ := p.status.Data()
	return []app.UI{drawRunning("verify", words, p.onStopVerify), ui.Track("Check", float64(t.now.Entities)/float64(max(1, status.Entities)))}
}

func (p *Page) onCompact(app.Context, app.Event) {
	c, t, report := begin[client.Size](p.ctx)
	p.compacted, p.merging = p.compacted.Asked(), t
	page.Background(p.ctx, func(context.Context) func() {
		done, err := p.Session.Control().Compact(c, report)
		return func() {
			t.stop()
			p.merging = nil
			if errors.Is(err, context.Canceled) {
				p.compacted = remote.Value[client.Compacted]{}
				p.Session.Notify("Compacting was stopped; what was merged stays merged")
			} else {
				p.compacted = p.compacted.Answered(done, err)
			}
			p.read()
			p.askPersistence(p.persistence)
		}
	})
}

func (p *Page) onStopCompact(app.Context, app.Event) {
	if p.merging != nil {
		p.merging.stop()
	}
}

func (p *Page) drawCompact() []app.UI {
	if t := p.merging; t != nil {
		words := "Compacting…"
		if t.told {
			words = "Compacting: now " + sizeWords(t.now)
		}
		return []app.UI{drawRunning("compact", words, p.onStopCompact)}
	}
	state := p.compacted.State()
	button := app.Div().Body(ui.Button(ui.Plain, "Compact", p.onCompact).DataSet("testid", "compact"))
	done, held := p.compacted.Data()
	switch {
	case state == remote.Failed:
		return []app.UI{button, ui.Failure(p.compacted.Err())}
	case !held || state != remote.Loaded:
		return []app.UI{button, app.P().Class("hint").Body(app.Text("Merges blocks that deletions have left half empty, and writes a checkpoint. Requests are answered meanwhile."))}
	}
	return []app.UI{button, app.P().Role("status").DataSet("testid", "compacted").Body(app.Text("From " + sizeWords(*done.Before) + " to " + sizeWords(*done.After) + "."))}
}

func sizeWords(s client.Size) string {
	return ui.Count(s.Blocks, "block", "blocks") + " (" + ui.Bytes(s.Bytes) + ") and " + ui.Count(s.Records, "WAL record", "WAL records")
}

// drawDurability draws the switch. A store in memory has none.
func (p *Page) drawDurability(status client.Status) []app.UI {
	if status.Durability == "" || status.Store == "memory" {
		return nil
	}
	note := "A killed browser loses nothing; a power failure may lose the last moments."
	if status.Durability == "strict" {
		note = "An acknowledged write survives a power failure, and takes longer."
	}
	body := []app.UI{app.Div().Class("row").Body(app.B().Body(app.Text("Durability")),
		ui.Segments("Durability", status.Durability, []ui.Choice{{Value: "relaxed", Label: "relaxed"}, {Value: "strict", Label: "strict"}}, p.onDurability),
		app.Span().Class("hint").DataSet("testid", "durability").Body(app.Text(note)))}
	if p.choosing != nil {
		body = append(body, ui.Failure(p.choosing))
	}
	return body
}

func (p *Page) onDurability(_ app.Context, event app.Event) { p.choose(ui.Data(event, "choice")) }

// choose changes the durability of later writes.
func (p *Page) choose(durability string) {
	page.Background(p.ctx, func(c context.Context) func() {
		_, err := p.Session.Control().SetSettings(c, client.Settings{Durability: &durability})
		return func() {
			p.choosing = err
			p.Session.Wrote() // reads the status for other pages, too
			p.read()
		}
	})
}

// drawQuarantine lists what could not be read.
func drawQuarantine(status client.Status) []app.UI {
	if len(status.Corruption) == 0 {
		return nil
	}
	var lines []string
	for _, text := range status.Corruption[:min(len(status.Corruption), shownProblems)] {
		lines = append(lines, strings.Trim(string(text), `"`))
	}
	if rest := len(status.Corruption) - len(lines); rest > 0 {
		lines = append(lines, "and "+ui.Number(rest)+" more")
	}
	return []app.UI{ui.Notice("Corrupt data is in quarantine.", "It is kept, but not served. Everything else is. Dump what is sound before you reset.",
		app.Pre().Body(app.Text(strings.Join(lines, "\n")))).DataSet("testid", "quarantine")}
}
