package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) onCheck(app.Context, app.Event) {
	p.check.toggle(p.Session, p.Session.Control().Verify, func(stopped bool) {
		if stopped {
			p.Session.Notify("The check was stopped")
			return
		}
		if v, checked := p.check.result.Data(); checked && p.check.result.State() == remote.Loaded {
			p.Session.Checked(v.Found)
			p.reread() // what was met meanwhile is in quarantine
		}
	})
	page.Follow(p.ctx, p.running)
}

func (p *Page) onCompact(app.Context, app.Event) {
	if p.compaction.stop == nil && p.littleToGain() {
		return
	}
	p.compaction.toggle(p.Session, p.Session.Control().Compact, func(stopped bool) {
		if stopped {
			p.Session.Notify("Compacting was stopped; what was merged stays merged")
		}
		if p.shown != nil {
			p.shown.read()
			p.shown.readPersistence()
		}
	})
	page.Follow(p.ctx, p.running)
}

// shownProblems is how many problems are listed: with more, the store has to be
// given up, and the list would not be read.
const shownProblems = 20

func (p *Page) drawCheck() app.UI {
	return p.check.draw("Check", "Check the tables", "verify", false, p.onCheck, p.drawChecking, p.drawChecked)
}

// drawChecking draws how much was read. The status says how much there is, or was a
// moment ago.
func (p *Page) drawChecking() []app.UI {
	now, words := control.Verified{}, "Checking…"
	status, _ := p.status.Data()
	total := status.Entities
	if reported := p.check.now.Load(); reported != nil {
		now, total = *reported, max(reported.Entities, total)
		words = "Checked " + humanize.Number(now.Entities) + " of " + humanize.Count(total, "entity", "entities") + " in " + humanize.Count(now.Blocks, "block", "blocks") + " (" + humanize.Bytes(now.Bytes) + ")"
	}
	if now.Found > 0 {
		words += ", found " + humanize.Count(now.Found, "problem", "problems")
	}
	return []app.UI{drawProgress("verify", words), ui.Track("Check", float64(now.Entities)/float64(max(1, total)))}
}

// drawChecked draws the result of the last check.
func (p *Page) drawChecked() []app.UI {
	v, checked := p.check.result.Data()
	if !checked {
		return []app.UI{ui.P("hint", "Checks the whole store and lists every problem. Nothing is changed, and requests are answered meanwhile.")}
	}
	when := app.P().Class("hint").DataSet("testid", "verified-at").Text(fmt.Sprintf("Checked at %s in %.1f s.", p.check.began.UTC().Format("15:04:05 UTC"), p.check.took.Seconds()))
	if v.Found == 0 {
		return []app.UI{app.P().Role("status").DataSet("testid", "verified").Text(fmt.Sprintf(
			"Nothing is wrong. Entities: %s, tables: %s, blocks with entities: %s (%s), WAL records: %s.",
			humanize.Number(v.Entities), humanize.Number(v.Tables), humanize.Number(v.Blocks), humanize.Bytes(v.Bytes), humanize.Number(v.Records))),

			when}
	}
	shown := v.Findings[:min(len(v.Findings), shownProblems)]
	list := p.nameSnapshots(shown)
	if rest := v.Found - len(shown); rest > 0 {
		list += "\nand " + humanize.Number(rest) + " more"
	}
	return []app.UI{ui.Notice("Problems found.", "Everything that can be read is still served.", app.Pre().Text(list), p.drawDump("dump-sound", "Dump what is sound")).
		DataSet("testid", "verified"), when}
}

// minGain is how much a compaction has to free to be offered, in bytes: a tenth of a MiB.
const minGain = 1 << 20 / 10

// littleToGain reports whether a compaction is known to free less than that.
func (p *Page) littleToGain() bool {
	gain, known := p.mergeable.Data()
	return known && gain.Bytes < minGain
}

func (p *Page) drawCompact() app.UI {
	off := p.compaction.stop == nil && p.littleToGain()
	return p.compaction.draw("Compact", "Compact", "compact", off, p.onCompact, p.drawCompacting, p.drawCompacted)
}

func (p *Page) drawCompacting() []app.UI {
	words := "Compacting…"
	if now := p.compaction.now.Load(); now != nil {
		words = "Compacting: now " + sizeWords(*now)
	}
	return []app.UI{drawProgress("compact", words)}
}

func (p *Page) drawCompacted() []app.UI {
	done, held := p.compaction.result.Data()
	if !held {
		return []app.UI{ui.P("hint", "Merges blocks that deletions and changes have left half empty. Requests are answered meanwhile."), p.drawGain()}
	}
	return []app.UI{app.P().Role("status").DataSet("testid", "compacted").Text("From " + sizeWords(*done.Before) + " to " + sizeWords(*done.After) + "."),
		p.drawGain(),
		ui.P("hint", "Every stored block counts once, also those of the catalog and those that are not in use and not deleted yet. What was in the write-ahead log is in blocks now. "+
			"Check counts the blocks with entities, and some that snapshots share more than once.")}
}

// drawGain draws what there is to gain, as far as it is known.
func (p *Page) drawGain() app.UI {
	gain, known := p.mergeable.Data()
	text := ""
	switch {
	case p.littleToGain():
		text = "Less than 0.1 MiB to gain."
	case known:
		text = "About " + humanize.Bytes(gain.Bytes) + " to gain"
		if gain.Blocks > 0 {
			text += ", in " + humanize.Count(gain.Blocks, "block", "blocks")
		}
		text += "."
	}
	return app.P().DataSet("testid", "mergeable").Text(text)
}

func sizeWords(s control.Size) string {
	return humanize.Bytes(s.Bytes) + " in " + humanize.Count(s.Blocks, "block", "blocks") + " and " + humanize.Count(s.Records, "WAL record", "WAL records")
}

// drawDurability draws the switch. A store in memory has none.
func (p *Page) drawDurability(status control.Status) []app.UI {
	if status.Durability == "" || status.Store == "memory" {
		return nil
	}
	note := "A killed browser loses nothing; a power failure may lose the last moments."
	if status.Durability == "strict" {
		note = "An acknowledged write survives a power failure, and takes longer."
	}
	body := []app.UI{ui.Div("row", app.B().Text("Durability"),
		ui.Segments("Durability", status.Durability, []ui.Choice{{Value: "relaxed", Label: "relaxed"}, {Value: "strict", Label: "strict"}}, p.onDurability),
		app.Span().Class("hint").DataSet("testid", "durability").Text(note))}
	if p.choosing != nil {
		body = append(body, ui.Failure(p.choosing))
	}
	return body
}

func (p *Page) onDurability(_ app.Context, event app.Event) { p.choose(ui.Data(event, "choice")) }

// choose changes the durability of later writes. The page may be gone by then.
func (p *Page) choose(durability string) {
	p.choices.Background(p.Session, func(c context.Context) func() {
		_, err := p.Session.Control().SetSettings(c, control.Settings{Durability: &durability})
		return func() {
			if p.choosing = err; err != nil && !p.Mounted() {
				p.Session.Notify("The durability was not changed: " + err.Error())
			}
			p.Session.WroteTo("") // reads the status for other pages, too
			p.reread()
		}
	})
}

// drawQuarantine lists what could not be read.
func (p *Page) drawQuarantine(status control.Status) []app.UI {
	if len(status.Corruption) == 0 {
		return nil
	}
	lines := slices.Clone(status.Corruption[:min(len(status.Corruption), shownProblems)])
	if rest := len(status.Corruption) - len(lines); rest > 0 {
		lines = append(lines, "and "+humanize.Number(rest)+" more")
	}
	return []app.UI{ui.Notice("Corrupt data is in quarantine.", "It is kept, but not served. Everything else is. Dump what is sound before you reset.",
		app.Pre().Text(p.nameSnapshots(lines))).DataSet("testid", "quarantine")}
}

// nameSnapshots joins lines in which snapshots have the names that users gave them. The
// store names a snapshot by its account and its number, with a slash between them.
func (p *Page) nameSnapshots(lines []string) string {
	text := strings.Join(lines, "\n")
	all, _ := p.usage.Data()
	for _, u := range all {
		for _, s := range u.snapshots {
			text = strings.ReplaceAll(text, u.account+"/"+s.ID, "the snapshot “"+s.Name+"” of "+u.account)
		}
	}
	return text
}
