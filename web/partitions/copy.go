package partitions

import (
	"context"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// copying is the table being copied into another one, with other keys.
type copying struct {
	asking  bool
	name    string // of the new table
	into    string // the name of the copy that runs or has ended, "" for none
	all     int    // entities when it began
	written int
	refused int
	problem error // of the first entity that was refused
	err     error // why it ended early
	stop    context.CancelFunc
}

func (c *copying) running() bool { return c.stop != nil }

// copyTable writes the entities of a table into a new one with other keys. Those
// that the service refuses are counted and left out.
func copyTable(c context.Context, at *client.Client, from, to string, parts []keydesign.Part, report func(written int, refused []bulk.Refused)) error {
	if err := at.CreateTable(c, to); err != nil {
		return err
	}
	return bulk.Each(c, at, from, client.Query{}, func(some []client.Entity) error {
		rows := make([]bulk.Row, len(some))
		for i, e := range some {
			rows[i] = bulk.Row{Operation: client.Operation{Write: client.Insert, Entity: keydesign.Moved(parts, e.Entity)}}
		}
		last := 0
		job := &bulk.Job{Client: at, Table: to, Transactions: bulk.Group(rows), Progress: func(now bulk.Progress) {
			report(now.Written-last, nil)
			last = now.Written
		}}
		result := job.Run(c)
		report(len(result.Written)-last, result.Refused)
		return result.Err
	})
}

func (p *Page) onAskCopy(app.Context, app.Event) { p.copying = copying{asking: true} }

func (p *Page) onCopyName(_ app.Context, event app.Event) { p.copying.name = ui.Text(event) }

func (p *Page) onCopy(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.copy()
}

// copy begins to copy the table with the keys that are chosen.
func (p *Page) copy() {
	if p.copying.running() || p.copying.name == "" || len(p.parts) == 0 {
		return
	}
	layout, _ := p.layout.Data()
	c, stop := context.WithCancel(p.ctx)
	p.copying = copying{into: p.copying.name, all: layout.Entities, stop: stop}
	at, from, to, parts := p.Session.Client(p.Route.Account), p.Route.Table, p.copying.into, append([]keydesign.Part{}, p.parts...)
	report := func(written int, refused []bulk.Refused) {
		p.ctx.Dispatch(func(app.Context) {
			j := &p.copying
			j.written, j.refused = j.written+written, j.refused+len(refused)
			if j.problem == nil && len(refused) > 0 {
				j.problem = refused[0].Err
			}
		})
	}
	page.Background(p.ctx, func(context.Context) func() {
		err := copyTable(c, at, from, to, parts, report)
		return func() {
			stop()
			p.copying.stop, p.copying.err = nil, err
			p.Session.Wrote()
		}
	})
}

func (p *Page) onStopCopy(app.Context, app.Event) {
	if p.copying.running() {
		p.copying.stop()
	}
}

func (p *Page) onCloseCopy(app.Context, app.Event) { p.copying = copying{} }

// drawCopy draws the form for a copy, how far it is, or how it ended.
func (p *Page) drawCopy() app.UI {
	j := p.copying
	words := ui.Number(j.written) + " of " + ui.Count(j.all, "entity", "entities") + " written"
	switch {
	case j.running():
		return app.Div().Class("row").Role("status").DataSet("testid", "copy-progress").Body(
			app.Span().Text(words), app.Progress().Max(max(j.all, 1)).Value(j.written).Aria("label", words),
			ui.Button(ui.Quiet, "Cancel", p.onStopCopy).DataSet("testid", "copy-cancel"))
	case j.into != "":
		return p.drawCopied(words)
	case !j.asking:
		return app.Div().Body(ui.Button(ui.Plain, "Copy into a new table…", p.onAskCopy).DataSet("testid", "copy"))
	}
	rule := "RowKey stays as it is."
	if !keydesign.KeepsRows(p.parts) {
		rule = "RowKey = PartitionKey + '_' + RowKey, so that nothing is lost and keys stay unique."
	}
	return app.Form().Class("row").OnSubmit(p.onCopy).Body(
		app.Input().Class("input").Type("text").Aria("label", "Name of the new table").Placeholder("Name of the new table").AutoComplete(false).
			Spellcheck(false).AutoFocus(true).OnInput(p.onCopyName).DataSet("testid", "copy-name"),
		ui.SubmitButton("Copy", false).DataSet("testid", "copy-start"), ui.Button(ui.Quiet, "Close", p.onCloseCopy),
		app.Small().Class("hint").Text(rule+" This table stays as it is."))
}

// drawCopied draws how a copy ended. What was written stays.
func (p *Page) drawCopied(words string) app.UI {
	j := p.copying
	there := page.Route{Account: p.Route.Account, Table: j.into, Page: Name}
	actions := []app.UI{
		app.A().Class("btn").Href(there.Href()).DataSet("testid", "copy-open").Text("Open " + j.into),
		ui.Button(ui.Quiet, "Close", p.onCloseCopy),
	}
	switch {
	case client.HasCode(j.err, client.CodeTableAlreadyExists):
		return ui.Failure(j.err, ui.Button(ui.Plain, "Choose another name", p.onAskCopy))
	case errors.Is(j.err, context.Canceled):
		return ui.Notice("Cancelled.", words+", and kept.", actions...).DataSet("testid", "copied")
	case j.err != nil:
		return ui.Failure(j.err, append([]app.UI{app.Span().Text(words + ", and kept.")}, actions...)...).DataSet("testid", "copied")
	case j.refused > 0:
		return ui.Notice(ui.Count(j.refused, "entity was", "entities were")+" refused.", words+". The first reason: "+j.problem.Error(), actions...).DataSet("testid", "copied")
	}
	return app.Div().Class("row").Role("status").DataSet("testid", "copied").Body(append([]app.UI{app.Span().Class("note", "good").Text(words + ".")}, actions...)...)
}
