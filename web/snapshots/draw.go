package snapshots

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

const renameID = "snapshot-rename"

// Render draws the page.
func (p *Page) Render() app.UI {
	if p.Connected() {
		return ui.Div("page", p.Session.Head(), ui.Empty(ui.IconPlug, "Only for accounts of this browser",
			"This account is at another endpoint. Snapshots work only in this browser's own store."))
	}
	return ui.Div("page",
		p.Session.Head(), p.drawForm(),
		ui.Div("split",
			app.Section().Class("results snapshots").Aria("label", "Snapshots").Body(p.drawList()...), p.drawPanel()),
		p.drawStatus())
}

func (p *Page) drawForm() app.UI {
	return app.Form().Class("snapshot-bar").OnSubmit(p.onTake).Body(
		&ui.Keyed{Key: "name" + humanize.Number(p.forms), Draw: func() app.UI {
			return app.Input().Class("input").Type("text").Placeholder("Name, for example: before the demo").Aria("label", "Name of the snapshot").
				MaxLength(100).AutoComplete(false).DataSet("testid", "snapshot-name").OnInput(p.onName)
		}},
		app.Kbd().Class("optional").Text("Ctrl Alt S"),
		app.Button().Type("submit").Class(string(ui.Primary)).Disabled(p.busy != "").DataSet("testid", "take-snapshot").Text("Take a snapshot"),
		app.Label().Class("btn file").Body(app.Text("Open from a file…"),
			app.Input().Class("sr-only").Type("file").Accept(".jsonl,.ndjson,application/x-ndjson").Aria("label", "Open a snapshot from a file").
				Disabled(p.busy != "").DataSet("testid", "open-snapshot").OnChange(p.onFile)))
}

func (p *Page) drawList() []app.UI {
	list, held := p.list.Data()
	var body []app.UI
	if p.busy != "" && p.opening > 0 {
		body = append(body, ui.Track(p.busy, float64(p.opening)/100))
	}
	if p.failed != nil {
		body = append(body, ui.Failure(p.failed))
	}
	switch {
	case p.list.State() == remote.Failed:
		return append(body, ui.Retry(p.list.Err(), p.onAgain))
	case !held:
		return append(body, ui.Bones(5))
	case len(list.Snapshots) == 0:
		return append(body, ui.Empty(ui.IconHistory, "No snapshots yet",
			"A snapshot names the state of this account, and restoring it is one step. Enter a name above, or press Ctrl+Alt+S on any page."))
	}
	return append(body, drawTable(list, p.now(), p.chosen, p.onChoose), ui.P("snapshot-note",
		"A snapshot shares unchanged data with the account, so its size is that of what has changed since. "+ui.Sentence(
			humanize.Count(len(list.Snapshots), "snapshot", "snapshots together"))+": "+humanize.Bytes(list.Bytes)+"."))
}

// now counts the entities and the tables of the account, -1 if that is unknown.
func (p *Page) now() (n control.Snapshot) {
	tables, held := p.Session.Catalog().Tables[p.Route.Account].Data()
	if !held {
		return control.Snapshot{Entities: -1}
	}
	n.Tables = len(tables)
	for _, t := range tables {
		n.Entities += max(0, t.Entities)
	}
	return n
}

// drawTable draws the account and its snapshots, the newest first.
func drawTable(list control.Snapshots, now control.Snapshot, chosen string, choose app.EventHandler) app.UI {
	heads := []app.UI{}
	for _, h := range [][2]string{{"name", "Name"}, {"taken", "Taken (UTC)"}, {"how-many", "Entities"}, {"size", "Size"}, {"how", "How"}} {
		heads = append(heads, app.Th().Scope("col").Class(h[0]).Text(h[1]))
	}
	rows := []app.UI{app.Tr().Class("now").Body(
		app.Td().Class("name").Body(app.Span().Class("dot").Aria("hidden", true), app.Text("Now")), app.Td().Class("taken"),
		drawEntities(now.Entities), app.Td().Class("size").Text("–"),
		app.Td().Class("how").Text(humanize.Count(now.Tables, "table", "tables")))}
	for _, s := range slices.Backward(list.Snapshots) {
		row := app.Tr().DataSet("snapshot", s.ID).OnClick(choose)
		if s.ID == chosen {
			row = row.Class("chosen")
		}
		rows = append(rows, row.Body(
			app.Td().Class("name").Body(app.Button().Type("button").Class("link").Title(s.Name).Aria("pressed", s.ID == chosen).Text(s.Name)),
			app.Td().Class("taken").Text(s.Taken.UTC().Format("2006-01-02 15:04:05")),
			drawEntities(s.Entities),
			app.Td().Class("size").Text(humanize.Bytes(s.Bytes)),
			app.Td().Class("how").Text(kindWords(s))))
	}
	return app.Table().Class("snapshot-table").DataSet("testid", "snapshots").Body(
		app.THead().Body(app.Tr().Body(heads...)), app.TBody().Body(rows...))
}

// drawEntities draws how many there are, -1 if that is unknown. Narrow rows, which have no
// heads, show the unit, too.
func drawEntities(n int) app.UI {
	text, unit := humanize.Number(n), "entities"
	switch n {
	case -1:
		text = "…"
	case 1:
		unit = "entity"
	}
	return app.Td().Class("how-many").DataSet("unit", unit).Text(text)
}

func (p *Page) drawPanel() app.UI {
	s, ok := p.selected()
	if !ok {
		return app.Aside().Hidden(true)
	}
	return app.Aside().Class("panel snapshot-panel").Aria("label", "Snapshot").DataSet("testid", "snapshot-panel").Body(
		p.drawTitle(s),
		ui.Div("body", p.drawCompare(s)...),
		app.Footer().Body(
			ui.Button(ui.Primary, "Restore", p.onRestore).Disabled(p.busy != "" || s.Incomplete).DataSet("testid", "restore"),
			app.Button().Type("button").Class(string(ui.Plain)).Disabled(p.busy != "" || s.Incomplete).DataSet("testid", "share").OnClick(p.onShare).
				Body(ui.Icon(ui.IconShare), app.Text("Share as file")),
			app.Span().Class("grow"),
			ui.Button(ui.Danger, "Delete", p.onDelete).Disabled(p.busy != "").DataSet("testid", "delete-snapshot")))
}

func (p *Page) drawTitle(s control.Snapshot) app.UI {
	facts := humanize.Count(s.Entities, "entity", "entities") + " in " + humanize.Count(s.Tables, "table", "tables") + " · " + humanize.Bytes(s.Bytes) + " not shared with the account"
	if p.renamed != nil {
		return app.Header().Body(app.Form().Class("row").OnSubmit(p.onRenamed).Body(
			app.Input().ID(renameID).Class("input grow").Type("text").Value(s.Name).MaxLength(100).Aria("label", "Name").OnInput(p.onRenaming).DataSet("testid", "rename"),
			ui.SubmitButton("Rename", p.busy != "")))
	}
	return app.Header().Body(
		ui.Div("row", app.H2().Class("words").Title(s.Name).Text(s.Name), app.Span().Class("grow"),
			ui.Button(ui.Plain, "Rename", p.onRename).DataSet("testid", "start-rename"), ui.CloseButton(p.onClose)),
		app.Small().Text(facts))
}

func (p *Page) drawCompare(s control.Snapshot) []app.UI {
	d, held := p.compare.Data()
	switch {
	case s.Incomplete:
		return []app.UI{ui.Notice("Incomplete.", "The file was not read to its end, so this can only be deleted. Open the file again.")}
	case p.compare.State() == remote.Failed:
		return []app.UI{ui.Retry(p.compare.Err(), p.onCompare)}
	case !held:
		return []app.UI{ui.Bones(6)}
	}
	return drawDifferences(d, p.onAll)
}

// drawDifferences draws what restoring would change.
func drawDifferences(d control.Differences, all app.EventHandler) []app.UI {
	total := d.ComeBack + d.Go + d.Change
	body := []app.UI{ui.Div("row snapshot-total", app.H3().Text("What restoring changes"), app.Span().Class("grow"), drawCounts(d.Differing))}
	if !d.Complete {
		body = append(body, ui.P("hint", "Counting ended after 20,000 entities: there are more."))
	}
	var rows []app.UI
	for _, t := range d.Tables {
		rows = append(rows, drawTableRow(t))
	}
	if len(rows) == 0 {
		rows = append(rows, app.Tr().Body(app.Td().ColSpan(4).Text("No table changes.")))
	}
	body = append(body, app.Table().Class("snapshot-changes").DataSet("testid", "differences").Body(
		ui.Heads("Table", "come back", "go", "change"),
		app.TBody().Body(rows...)))
	if len(d.First) > 0 {
		body = append(body, app.H3().Class("small-caps").Text("First changes"))
	}
	for _, one := range d.First {
		body = append(body, drawDifference(one))
	}
	if len(d.First) < min(total, allDifferences) {
		body = append(body, ui.Button(ui.Quiet, "Show all "+humanize.Number(min(total, allDifferences)), all).DataSet("testid", "all-differences"))
	}
	return append(body, ui.P("hint", closing(d)))
}

func closing(d control.Differences) string {
	policies := slices.ContainsFunc(d.Tables, func(t control.TableDiffering) bool { return t.Policies && !t.Created })
	same := "Access policies and settings are part of a snapshot; they do not change. "
	switch {
	case policies && d.Properties:
		same = "Policies and the account's settings change, too. "
	case policies:
		same = "Access policies change, too; settings do not change. "
	case d.Properties:
		same = "The account's settings change, too; access policies do not. "
	}
	return same + "Entities come back with their ETags. A snapshot of the present state is taken first, so restoring can be undone."
}

func drawCounts(n control.Differing) app.UI {
	return app.Span().Class("snapshot-counts").Body(count(n.ComeBack, "+", "back"), count(n.Go, "−", "gone"), count(n.Change, "~", "changed"))
}

func count(n int, mark, class string) app.UI {
	if n == 0 {
		return ui.Span("none", "·")
	}
	return app.Span().Class(class).Text(mark + humanize.Number(n))
}

func drawTableRow(t control.TableDiffering) app.UI {
	name := []app.UI{app.Text(t.Name)}
	if t.Created {
		name = append(name, app.Small().Text(" comes back"))
	} else if t.Deleted {
		name = append(name, app.Small().Text(" goes"))
	}
	return app.Tr().Body(app.Th().Scope("row").Body(name...), app.Td().Body(count(t.ComeBack, "+", "back")),
		app.Td().Body(count(t.Go, "−", "gone")), app.Td().Body(count(t.Change, "~", "changed")))
}

func drawDifference(d control.Difference) app.UI {
	mark, words, class := sign(d)
	return app.Div().Class("snapshot-difference", class).Body(
		app.Span().Class("mark").Aria("hidden", true).Text(mark), ui.Span("sr-only", words),
		app.Code().Text(keysOf(d)), app.Small().Class("table").Text(d.Table),
		ui.Span("what", propertyWords(d)))
}

func (p *Page) drawStatus() app.UI {
	list, held := p.list.Data()
	if !held {
		return app.Div().Class("status")
	}
	body := []app.UI{app.Span().Text(humanize.Count(len(list.Snapshots), "snapshot", "snapshots"))}
	if _, ok := p.selected(); ok {
		body = append(body, app.Span().Text("1 selected"))
	}
	if p.busy != "" {
		body = append(body, app.Span().Role("status").Text(p.busy))
	}
	return ui.Div("status", append(body, app.Span().Class("grow"),
		app.Span().Text(humanize.Bytes(list.Bytes)+" · up to "+humanize.Count(list.Limit, "snapshot", "snapshots")))...)
}
