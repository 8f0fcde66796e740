package bulkedit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/grid"
	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the dialog.
func (d *Dialog) Render() app.UI {
	return app.Dialog().ID(dialogID).Class("bulk-edit").Aria("labelledby", dialogID+"-title").On("cancel", d.onCancel).Body(
		ui.Div("transfer", d.content()...))
}

// content draws what is inside. Each state has elements of its own.
func (d *Dialog) content() []app.UI {
	return []app.UI{
		app.Header().Body(
			ui.Icon(ui.IconTable),
			app.H2().ID(dialogID+"-title").Text("Edit "+humanize.Count(len(d.Keys), "entity", "entities")+" of "+d.Route.Table),
			ui.CloseButton(d.onClose).DataSet("testid", "close-edit"),
			app.P().DataSet("testid", "edit-facts").Text(d.facts())),
		&ui.Keyed{Key: d.state(), Draw: func() app.UI { return ui.Div("body", d.body()...) }},
		&ui.Keyed{Key: "foot" + d.state(), Draw: d.footer},
	}
}

func (d *Dialog) body() []app.UI {
	switch {
	case d.done != nil:
		return d.drawReport()
	case d.run != nil:
		return d.drawRunning()
	case d.rows.State() == remote.Failed:
		return []app.UI{ui.Retry(d.rows.Err(), d.onAgain)}
	case d.rows.State() != remote.Loaded:
		return []app.UI{ui.Bones(6)}
	}
	return []app.UI{d.drawFields(), d.drawPreview(), d.drawTransactions(), d.drawImpossible()}
}

// state names what is drawn.
func (d *Dialog) state() string {
	switch {
	case d.done != nil:
		return "report"
	case d.run != nil:
		return "running"
	}
	return fmt.Sprint("fields", d.rows.State())
}

func (d *Dialog) facts() string {
	all, held := d.rows.Data()
	if missing := len(d.Keys) - len(all); held && missing > 0 {
		return humanize.Number(missing) + " of the selected are no longer there, or no longer match the query"
	}
	return "all that are selected, also those out of view"
}

// previewRows is how many entities the preview shows.
const previewRows = 5

func (d *Dialog) drawPreview() app.UI {
	some := d.plan.Preview(previewRows)
	if len(some) == 0 {
		text := d.nothing()
		return app.P().Class("hint").DataSet("testid", "edit-nothing").Hidden(text == "").Text(text)
	}
	var rows []app.UI
	for _, c := range some {
		now, then := cells(d.plan.Edit, c)
		rows = append(rows, app.Tr().DataSet("testid", "edit-preview").Body(
			app.Td().Class("mono").Text(c.After.PartitionKey), app.Td().Class("mono").Text(c.After.RowKey),
			app.Td().Class("mono").Body(now), app.Td().Class("mono then").Body(then)))
	}
	return app.Div().Body(
		ui.Div("row", app.H3().Class("caption").Text("Preview"), app.Span().Class("grow"),
			ui.Span("hint", previewed(some, len(d.plan.Changed)))),
		app.Div().Class("edit-table").TabIndex(0).Role("region").Aria("label", "Preview").Body(app.Table().Aria("label", "Preview").Body(
			ui.Heads(odata.PartitionKeyName, odata.RowKeyName, d.edit.Property+" now", d.edit.Property+" then"),
			app.TBody().Body(rows...))))
}

// previewed says which entities the preview shows.
func previewed(some []bulk.Edited, all int) string {
	partitions := map[string]bool{}
	for _, c := range some {
		partitions[c.After.PartitionKey] = true
	}
	text := humanize.Number(len(some)) + " of " + humanize.Number(all)
	switch n := len(partitions); {
	case n == len(some) && n > 1:
		text += ", one from each of " + humanize.Number(n) + " partitions"
	case n > 1:
		text += ", at least one from each partition"
	}
	return text
}

// nothing says why there is no preview.
func (d *Dialog) nothing() string {
	switch {
	case d.edit.Property == "":
		return "Name the property to see what would change."
	case d.problem != "" || d.misfit != "":
		return "" // the field says what is wrong
	case d.missing():
		return "Enter the value to see what would change."
	case d.edit.Kind == bulk.Rename && d.edit.To == "":
		return "Enter the new name to see what would change."
	}
	return "No entity would change."
}

// cells returns what an entity has, and what it would have.
func cells(x bulk.Edit, c bulk.Edited) (now, then app.UI) {
	before, _ := c.Before.Property(x.Property)
	after, _ := c.After.Property(x.Property)
	switch x.Kind {
	case bulk.Rename:
		return value(before, ""), app.Span().Text("as " + x.To)
	case bulk.Retype:
		return value(before, grid.ShortType(before.Type())), value(after, grid.ShortType(after.Type()))
	}
	return value(before, ""), value(after, "")
}

func value(v odata.Value, note string) app.UI {
	if v.IsZero() {
		return ui.Span("hint", "absent")
	}
	cell := grid.CellOfValue(v, grid.Format{})
	text := cell.Text
	if v.Type() == odata.EdmString {
		text = "“" + text + "”"
	}
	return app.Span().Body(app.Text(text), app.Small().Class("hint").Text(" "+note))
}

// shownPartitions is how many partitions are listed.
const shownPartitions = 6

// drawTransactions shows how the entities are grouped.
func (d *Dialog) drawTransactions() app.UI {
	if len(d.plan.Changed) == 0 {
		return app.Div().Hidden(true)
	}
	var all []app.UI
	partitions, last, transactions := 0, -1, bulk.Group(d.plan.Rows(false))
	var sizes, parts []int // entities and transactions by partition
	var names []string
	for _, rows := range transactions {
		key := rows[0].Entity.PartitionKey
		if last < 0 || names[last] != key {
			names, sizes, parts, last = append(names, key), append(sizes, 0), append(parts, 0), last+1
		}
		sizes[last] += len(rows)
		parts[last]++
	}
	partitions = len(names)
	for i, name := range names[:min(partitions, shownPartitions)] {
		count := humanize.Number(sizes[i]) + " of 100"
		if parts[i] > 1 {
			count = humanize.Number(sizes[i]) + ", split"
		}
		name = cmp.Or(name, "the empty partition key")
		all = append(all, ui.Div("part", app.Code().Text(name), ui.Span("hint", count)))
	}
	if rest := partitions - shownPartitions; rest > 0 {
		all = append(all, ui.Span("hint", "and "+humanize.Number(rest)+" more"))
	}
	return app.Div().Body(
		ui.Div("row", app.H3().Class("caption").Text("Transactions"), app.Span().Class("grow"),
			ui.Span("hint", "each is all or nothing, up to 100 entities and 4 MiB")),
		ui.Div("edit-parts", all...),
		ui.Div("row", app.P().DataSet("testid", "edit-counts").Text(fmt.Sprintf("%s in %s, %s", humanize.Count(len(d.plan.Changed), "entity", "entities"),
			humanize.Count(partitions, "partition", "partitions"), humanize.Count(len(transactions), "transaction", "transactions"))), app.Span().Class("grow"),
			app.Span().Class("hint").Hidden(d.force).Text("Undo is offered afterwards; it skips entities that changed again")),
	)
}

// shownFailures is how many entities are listed with a reason.
const shownFailures = 50

func (d *Dialog) drawImpossible() app.UI {
	n := len(d.plan.Impossible)
	if n == 0 {
		return app.Div().Hidden(true)
	}
	all := make([]failure, 0, n)
	for _, x := range d.plan.Impossible {
		all = append(all, failure{x.Key, x.Err.Error()})
	}
	return app.Div().Body(app.H3().Class("caption").Text(humanize.Count(n, "entity", "entities")+" left out"), failureTable(all))
}

func failureTable(all []failure) app.UI {
	var rows []app.UI
	for _, f := range all[:min(len(all), shownFailures)] {
		rows = append(rows, app.Tr().DataSet("testid", "edit-failure").Body(
			app.Td().Class("mono").Text(f.key.PartitionKey), app.Td().Class("mono").Text(f.key.RowKey),
			app.Td().Text(ui.Sentence(f.text))))
	}
	body := []app.UI{app.Table().Aria("label", "Entities that are not changed").Body(app.TBody().Body(rows...))}
	if rest := len(all) - shownFailures; rest > 0 {
		body = append(body, ui.P("row hint", "and "+humanize.Number(rest)+" more"))
	}
	return app.Div().Class("edit-table").TabIndex(0).Role("region").Aria("label", "Entities that are not changed").Body(body...)
}

func (d *Dialog) drawRunning() []app.UI {
	p := d.run.state()
	done := p.Written + p.Refused
	return []app.UI{
		app.Div().Class("count").Role("status").Body(app.B().DataSet("testid", "edit-written").Text(humanize.Number(p.Written)),
			ui.Span("hint grow", "of "+humanize.Count(d.run.rows, "entity", "entities")+" changed")),
		ui.Track("Edit", float64(done)/float64(max(1, d.run.rows))),
		ui.P("hint", "Stop ends after the transactions in progress. What is written stays."),
	}
}

func (d *Dialog) drawReport() []app.UI {
	r := d.done.Report
	words := list{}
	words.add(len(r.Written), "changed", "changed")
	words.add(len(r.Refused), "refused", "refused")
	words.add(len(r.Left), "not tried", "not tried")
	text := words.text + "."
	var body []app.UI
	switch {
	case errors.Is(r.Err, context.Canceled):
		text = "Stopped: " + text
	case r.Err != nil:
		body = append(body, ui.Failure(r.Err))
	}
	body = append([]app.UI{app.P().Role("status").DataSet("testid", "edit-report").Text(text)}, body...)
	if all := failures(*d.done); len(all) > 0 {
		body = append(body, failureTable(all),
			app.Div().Body(ui.Button(ui.Plain, "Download the list", d.onDownload).DataSet("testid", "edit-download")))
	}
	return body
}

func (d *Dialog) footer() app.UI {
	switch {
	case d.done != nil:
		undo := len(d.done.Undo())
		return app.Footer().Body(ui.Span("hint grow", "entities that are not changed stay selected"),
			ui.Button(ui.Plain, "Undo "+humanize.Count(undo, "change", "changes"), d.onUndo).DataSet("testid", "edit-undo").Hidden(undo == 0),
			ui.Button(ui.Primary, "Close", d.onClose).ID(cancelID).DataSet("testid", "edit-cancel"))
	case d.run != nil:
		label := "Stop"
		if d.run.stopped {
			label = "Stopping…"
		}
		return app.Footer().Body(ui.Span("hint grow", "only durable entities are counted"),
			ui.Button(ui.Danger, label, d.onClose).ID(cancelID).Disabled(d.run.stopped).DataSet("testid", "edit-cancel"))
	}
	label := "Change entities"
	if n := len(d.plan.Changed); n > 0 {
		label = "Change " + humanize.Count(n, "entity", "entities")
	}
	return app.Footer().Body(ui.Span("hint grow", "nothing is written yet"),
		ui.Button(ui.Plain, "Cancel", d.onClose).DataSet("testid", "edit-cancel"),
		ui.Button(ui.Primary, label, d.onApply).Title("Ctrl+Enter").
			Disabled(!d.ready()).DataSet("testid", "edit-apply"))
}

func (d *Dialog) onAgain(app.Context, app.Event) { d.read() }

func (d *Dialog) onApply(app.Context, app.Event) { d.apply() }

func (d *Dialog) onClose(app.Context, app.Event) { d.close() }

// onCancel is the browser's Escape: what it means is decided by onKey.
func (d *Dialog) onCancel(_ app.Context, event app.Event) { event.PreventDefault() }

func (d *Dialog) onUndo(app.Context, app.Event) {
	done := *d.done
	d.Owner.CloseEdit()
	d.Owner.UndoEdit(done)
}
