package partitions

import (
	"context"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// words say how far the copy is.
func (j *copying) words() string {
	return humanize.Number(int(j.written.Load())) + " of " + humanize.Count(j.all, "entity", "entities") + " written"
}

// message says how the copy ended.
func (j *copying) message() string {
	if j.copied.err != nil {
		return j.from + " was not copied completely: " + j.words() + ", and kept."
	}
	words := j.words()
	if j.copied.refused > 0 {
		words += ", " + humanize.Number(j.copied.refused) + " refused"
	}
	return "Copied " + j.from + " into " + j.into + ": " + words + "."
}

// copyTable writes the entities of a table into a new one with other keys.
func (j *copying) copyTable(c context.Context, at *client.Client, parts []keydesign.Part) (ended outcome) {
	if err := at.CreateTable(c, j.into); err != nil {
		return outcome{err: err}
	}
	ended.err = bulk.Each(c, at, j.from, client.Query{}, func(some []client.Entity) error {
		rows := make([]bulk.Row, len(some))
		for i, e := range some {
			rows[i] = bulk.Row{Operation: client.Operation{Write: client.Insert, Entity: keydesign.Moved(parts, e.Entity)}}
		}
		before := j.written.Load()
		job := &bulk.Job{Client: at, Table: j.into, Transactions: bulk.Group(rows), Progress: func(now bulk.Progress) {
			j.written.Store(before + int64(now.Written))
		}}
		result := job.Run(c)
		j.written.Store(before + int64(len(result.Written)))
		if len(result.Refused) > 0 && ended.problem == nil {
			ended.problem = result.Refused[0].Err
		}
		ended.refused += len(result.Refused)
		return result.Err
	})
	if ended.err != nil && c.Err() != nil {
		ended.err = c.Err() // whatever the cancelled request says
	}
	return ended
}

func (p *Page) onAskCopy(app.Context, app.Event) { p.askCopy() }

// askCopy opens the form for a copy.
func (p *Page) askCopy() {
	delete(p.copies, p.table())
	p.asking, p.copyName = true, ""
}

func (p *Page) onCopyName(_ app.Context, event app.Event) { p.copyName = ui.Text(event) }

func (p *Page) onCopy(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.copy()
}

// copy begins to copy the table with the chosen keys. It continues without the page.
func (p *Page) copy() {
	if p.isCopying() || p.copyName == "" || len(p.parts) == 0 {
		return
	}
	partitions, _ := p.partitions.Data()
	c, stop := context.WithCancel(context.Background())
	j := &copying{from: p.Route.Table, into: p.copyName, all: partitions.Entities, running: true, stop: stop, page: p}
	p.asking = false
	p.copies[p.table()] = j
	account, at, parts := p.Route.Account, p.Session.Client(p.Route.Account), slices.Clone(p.parts)
	stay := browser.AskToStay()
	p.Session.Background(func(context.Context) func() {
		ended := j.copyTable(c, at, parts)
		return func() {
			stop()
			stay()
			j.running, j.copied = false, ended
			p.Session.WroteTo(account)
			if j.page == nil {
				p.Session.Notify(j.message())
			}
		}
	})
	page.Follow(p.ctx, p.isCopying)
}

func (p *Page) onStopCopy(app.Context, app.Event) {
	if p.isCopying() {
		p.copying().stop()
	}
}

func (p *Page) onCloseAsking(app.Context, app.Event) { p.asking = false }

func (p *Page) onCloseCopy(app.Context, app.Event) { delete(p.copies, p.table()) }

// drawCopyForm draws the form for a copy.
func (p *Page) drawCopyForm() app.UI {
	switch {
	case p.copying() != nil:
		return app.Div().Hidden(true)
	case !p.asking:
		return app.Div().Body(ui.Button(ui.Plain, "Copy into a new table…", p.onAskCopy).DataSet("testid", "copy"))
	}
	rule := "RowKey stays as it is."
	if !keydesign.KeepsRows(p.parts) {
		rule = "RowKey = PartitionKey + '_' + RowKey, so that entities with the same RowKey are kept apart. Keys that contain '_' may become equal."
	}
	return app.Form().Class("row").OnSubmit(p.onCopy).Body(
		app.Input().Class("input").Type("text").Aria("label", "Name of the new table").Placeholder("Name of the new table").AutoComplete(false).
			Spellcheck(false).AutoFocus(true).OnInput(p.onCopyName).DataSet("testid", "copy-name"),
		ui.SubmitButton("Copy", false).DataSet("testid", "copy-start"), ui.Button(ui.Quiet, "Close", p.onCloseAsking),
		app.Small().Class("hint").Text(rule+" This table stays as it is."))
}

// reason says why an entity was refused. The new table was empty: a key that is taken is
// that of another copy.
func reason(refused error) string {
	if client.HasCode(refused, client.CodeEntityAlreadyExists) {
		return "Its keys in the new table are those of another entity, because keys that contain '_' may become equal."
	}
	return refused.Error()
}

// drawCopy draws how far the copy is, or how it ended. What was written stays.
func (p *Page) drawCopy(j *copying) app.UI {
	words := j.words()
	there := page.Route{Account: p.Route.Account, Table: j.into, Page: Name}
	actions := []app.UI{
		app.A().Class("btn").Href(there.Href()).DataSet("testid", "copy-open").Text("Open " + j.into),
		ui.Button(ui.Quiet, "Close", p.onCloseCopy),
	}
	switch err := j.copied.err; {
	case j.running:
		return app.Div().Class("row").Role("status").DataSet("testid", "copy-progress").Body(
			app.Span().Text("Copying into "+j.into+": "+words), app.Progress().Max(max(j.all, 1)).Value(int(j.written.Load())).Aria("label", words),
			ui.Button(ui.Quiet, "Cancel", p.onStopCopy).DataSet("testid", "copy-cancel"))
	case client.HasCode(err, client.CodeTableAlreadyExists) && len(p.parts) == 0: // the page was left since: its form is gone
		return ui.Failure(err, ui.Button(ui.Quiet, "Close", p.onCloseCopy))
	case client.HasCode(err, client.CodeTableAlreadyExists):
		return ui.Failure(err, ui.Button(ui.Plain, "Choose another name", p.onAskCopy), ui.Button(ui.Quiet, "Close", p.onCloseCopy))
	case err == context.Canceled:
		return ui.Notice("Cancelled.", words+", and kept.", actions...).DataSet("testid", "copied")
	case err != nil:
		return ui.Failure(err, append([]app.UI{app.Span().Text(words + ", and kept.")}, actions...)...).DataSet("testid", "copied")
	case j.copied.refused > 0:
		return ui.Notice(humanize.Count(j.copied.refused, "entity was", "entities were")+" refused.", words+". The first reason: "+reason(j.copied.problem), actions...).DataSet("testid", "copied")
	}
	return app.Div().Class("row").Role("status").DataSet("testid", "copied").Body(append([]app.UI{app.Span().Class("note", "good").Text(words + ".")}, actions...)...)
}
