package storage

import (
	"context"
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) onVerify(app.Context, app.Event) {
	p.verified = p.verified.Asked()
	page.Background(p.ctx, func(c context.Context) func() {
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

func (p *Page) onCompact(app.Context, app.Event) {
	p.compacted = p.compacted.Asked()
	page.Background(p.ctx, func(c context.Context) func() {
		done, err := p.Session.Control().Compact(c)
		return func() {
			p.compacted = p.compacted.Answered(done, err)
			p.read()
			p.askPersistence(p.persistence)
		}
	})
}

func (p *Page) drawCompact() []app.UI {
	state := p.compacted.State()
	label := map[bool]string{true: "Compacting…", false: "Compact"}[state == remote.Loading]
	button := app.Div().Body(ui.Button(ui.Plain, label, p.onCompact).Disabled(state == remote.Loading).DataSet("testid", "compact"))
	done, held := p.compacted.Data()
	switch {
	case state == remote.Failed:
		return []app.UI{button, ui.Failure(p.compacted.Err())}
	case !held || state != remote.Loaded:
		return []app.UI{button, app.P().Class("hint").Body(app.Text("Merges blocks that deletions have left half empty, and writes a checkpoint. Requests are answered meanwhile."))}
	}
	words := func(s *client.Size) string {
		return ui.Count(s.Blocks, "block", "blocks") + " (" + ui.Bytes(s.Bytes) + ") and " + ui.Count(s.Records, "WAL record", "WAL records")
	}
	return []app.UI{button, app.P().Role("status").DataSet("testid", "compacted").Body(app.Text("From " + words(done.Before) + " to " + words(done.After) + "."))}
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
