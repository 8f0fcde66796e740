package tables

import (
	"context"
	"errors"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	kept := &kept{jobs: page.Jobs{}}
	return page.Definition{
		Name: "tables", Title: "Tables", Icon: ui.IconTable, Scopes: page.Account,
		New: func(p page.Props) app.Composer { return &Page{Props: p, kept: kept} },
	}
}

// OnInit chooses what is shown first.
func (p *Page) OnInit() { p.selected, p.sdk, p.limit = map[string]bool{}, "js", step }

// OnMount reads how an SDK connects.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Page) start(ctx app.Context) {
	p.ctx, p.kept.page = ctx, p
	if p.Connected() {
		return
	}
	page.Load(ctx, &p.access, func(c context.Context) (control.Connection, error) {
		return p.Session.Control().Connection(c, p.Route.Account)
	})
}

// OnDismount lets a running job continue without the page.
func (p *Page) OnDismount() {
	if p.kept.page == p {
		p.kept.page = nil
	}
}

// Render draws the page.
func (p *Page) Render() app.UI {
	add := ui.Primary
	if all, held := p.tables().Data(); held && len(all) == 0 {
		add = ui.Plain // the welcome has the primary button
	}
	return ui.Div("page",
		p.Session.Head(
			app.A().Class(string(ui.Plain)).Href(p.Route.At("promote").Href()).DataSet("testid", "promote-tables").Title("Copy tables to another account").Text("Copy to…"),
			app.A().Class(string(ui.Plain)).Href(p.Route.At("import").Href()).DataSet("testid", "import").Text("Import"),
			ui.AddButton(add, "Table", p.onNewTable).DataSet("testid", "new-table-here")),
		p.kept.jobs.Draw(p.Route), p.list(), p.drawSelection())
}

func (p *Page) list() app.UI {
	all, held := p.tables().Data()
	switch {
	case p.tables().State() == remote.Failed:
		return p.drawUnread()
	case !held:
		return ui.Bones(6)
	case len(all) == 0 && !p.running() && p.Connected():
		return ui.Empty(ui.IconTable, "No tables yet", "This account is at another endpoint. Create its first table, or import a file into a new one.",
			ui.AddButton(ui.Primary, "Table", p.onNewTable), app.A().Class("btn").Href(p.Route.At("import").Href()).Text("Import a file"))
	case len(all) == 0 || p.kept.jobs.Running(p.Route, sampleJob):
		return p.drawWelcome()
	}
	var rows []app.UI
	listed := all[:min(len(all), p.limit)]
	for _, t := range listed {
		rows = append(rows, &row{Account: p.Route.Account, Name: t.Name, Count: t.Count(), Selected: p.selected[t.Name]})
	}
	return ui.Div("scroller", app.Table().Class("list").Aria("label", "Tables of "+p.Route.Account).Body(
		app.THead().Body(app.Tr().Body(app.Th().Class("check-cell").Body(p.drawSelectAll(len(all))),
			app.Th().Scope("col").Text("Table"), app.Th().Scope("col").Class("num").Text("Entities"))),
		app.TBody().OnClick(p.onSelect).Body(rows...)), p.drawMore(len(all)-len(listed)))
}

// step is how many tables are listed at first, and how many more each time: each row
// takes a millisecond to draw.
const step = 300

func (p *Page) drawMore(more int) app.UI {
	return app.Div().Class("more").Hidden(more <= 0).Body(
		ui.Button(ui.Quiet, "Show "+humanize.Number(min(more, step))+" more", p.onMore).DataSet("testid", "more-tables"),
		app.Span().Text(humanize.Count(more, "table is", "tables are")+" not listed. “Select all tables” selects "+map[bool]string{true: "it", false: "them"}[more == 1]+" as well."))
}

func (p *Page) onMore(app.Context, app.Event) { p.limit += step }

// drawUnread draws why the list cannot be read, and what can be done about it.
func (p *Page) drawUnread() app.UI {
	err, again := p.tables().Err(), ui.Button(ui.Plain, "Try again", p.onAgain).DataSet("testid", "try-again")
	var unreachable *client.Unreachable
	if errors.As(err, &unreachable) {
		if rule := page.MissingRule(p.ctx, p.Session, unreachable, again); rule != nil {
			return ui.Div("boot", ui.Div("outage", rule...))
		}
	}
	return ui.Div("boot", ui.Failure(err, p.remedies(err, again)...))
}

func (p *Page) remedies(err error, again app.UI) []app.UI {
	r, connected := p.Session.Connected(p.Route.Account)
	var refusal *client.ServiceError
	if !connected || !errors.As(err, &refusal) || refusal.Status != 401 && refusal.Status != 403 {
		return []app.UI{again}
	}
	reason := "the key may be another account's, or has been regenerated since"
	if r.SAS != "" {
		reason = "the SAS may have expired, or not cover the list of tables"
	}
	return []app.UI{app.P().Text("The account does not accept the credentials that this page has: " + reason + ". Connect again with the current one."),
		app.A().Class("btn").Href(page.Route{Page: "endpoint"}.Href()).DataSet("testid", "connect-again").Text("Connect again"), again}
}

// drawSelectAll draws the box above the others: it selects all tables, or none if all are.
func (p *Page) drawSelectAll(all int) app.UI {
	checked := "false"
	switch names, _ := p.chosen(); {
	case len(names) == all:
		checked = "true"
	case len(names) > 0:
		checked = "mixed"
	}
	return app.Button().Type("button").Class("tick").Role("checkbox").Aria("checked", checked).Aria("label", "Select all tables").
		DataSet("testid", "select-tables").OnClick(p.onSelectAll)
}

func (p *Page) onSelectAll(app.Context, app.Event) {
	all, _ := p.tables().Data()
	names, _ := p.chosen()
	clear(p.selected)
	p.asking, p.last = false, ""
	if len(names) < len(all) {
		for _, t := range all {
			p.selected[t.Name] = true
		}
	}
}

// onAgain reads the tables again: the shell does that after each write, too.
func (p *Page) onAgain(app.Context, app.Event) { p.Session.WroteTo(p.Route.Account) }

func (p *Page) onNewTable(app.Context, app.Event) { p.Session.NewTable(p.Route.Account) }

func (p *Page) onSelect(ctx app.Context, event app.Event) {
	if !event.Get("target").Call("closest", ".tick").Truthy() {
		ctx.PreventUpdate()
		return
	}
	p.toggle(ui.Data(event, "table"), event.Get("shiftKey").Bool())
}

// toggle selects or deselects a table. With extend, the tables between it and the one
// toggled before become like that one.
func (p *Page) toggle(name string, extend bool) {
	all, _ := p.tables().Data()
	at := func(name string) int {
		return slices.IndexFunc(all, func(t client.Table) bool { return t.Name == name })
	}
	from, to := at(p.last), at(name)
	on := !p.selected[name]
	if extend && from >= 0 && to >= 0 {
		on = p.selected[p.last]
	} else {
		from = to
	}
	for i := min(from, to); i >= 0 && i <= max(from, to); i++ {
		if on {
			p.selected[all[i].Name] = true
		} else {
			delete(p.selected, all[i].Name)
		}
	}
	p.asking, p.last = false, name
}

func (p *Page) drawSelection() app.UI {
	names, _ := p.chosen()
	if len(names) == 0 {
		return app.Div().Hidden(true)
	}
	body := []app.UI{app.Span().Role("status").Text(humanize.Number(len(names)) + " selected")}
	if len(names) == 1 {
		body = append(body, ui.Button(ui.Quiet, "Clone…", p.onAskClone).DataSet("testid", "clone-table").Disabled(p.running()))
	}
	if p.asking {
		body = append(body, app.Form().Class("row").OnSubmit(p.onClone).Body(
			app.Input().Class("input").Type("text").Aria("label", "Name of the copy").Placeholder("Name of the copy").DataSet("testid", "clone-name").
				AutoComplete(false).Spellcheck(false).OnInput(p.onCloneName),
			ui.SubmitButton("Clone "+names[0], false).DataSet("testid", "clone")))
	}
	body = append(body, app.Span().Class("grow"), ui.Button(ui.Danger, "Delete", p.onDelete).DataSet("testid", "delete-tables").Disabled(p.running()),
		ui.IconButton(ui.Square, ui.IconClose, "Clear the selection", p.onClearSelection).DataSet("testid", "clear-selection"))
	return app.Div().Class("selection").Role("toolbar").Aria("label", "Selected tables").Body(body...)
}

func (p *Page) onClearSelection(app.Context, app.Event) {
	clear(p.selected)
	p.asking, p.last = false, ""
}

func (p *Page) onAskClone(app.Context, app.Event) { p.asking, p.copyName = true, "" }

func (p *Page) onCloneName(_ app.Context, event app.Event) { p.copyName = ui.Text(event) }
