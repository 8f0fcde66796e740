package settings

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	kept := &kept{jobs: page.Jobs{}}
	return page.Definition{
		Name: "settings", Title: "Settings", Icon: ui.IconAccount, Scopes: page.Account | page.Table,
		New:      func(p page.Props) app.Composer { return &Page{Props: p, kept: kept} },
		Exhibits: exhibits,
	}
}

// OnMount reads the settings.
func (p *Page) OnMount(ctx app.Context) { p.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

// OnDismount removes what the page has registered.
func (p *Page) OnDismount() {
	if p.kept.page == p {
		p.kept.page = nil
	}
	page.Release(p.release)
}

func (p *Page) start(ctx app.Context) {
	p.ctx, p.kept.page = ctx, p
	p.release = append(p.release, p.Session.Guard(p.unsaved))
	p.loadProperties()
	if p.Route.Table != "" {
		p.loadPolicies()
	}
	if p.Connected() {
		return
	}
	p.removal.snapshot = p.Route.Table != ""
	p.loadSettings()
	p.loadConnection()
	if p.Route.Table != "" {
		p.loadPartitions()
	}
}

func (p *Page) loadSettings() {
	page.Load(p.ctx, &p.settings, p.Session.Control().Settings)
}

func (p *Page) loadConnection() {
	page.Load(p.ctx, &p.connection, func(c context.Context) (control.Connection, error) {
		return p.Session.Control().Connection(c, p.Route.Account)
	})
}

func (p *Page) loadPartitions() {
	page.Load(p.ctx, &p.partitions, func(c context.Context) (control.Partitions, error) {
		return p.Session.Control().Partitions(c, p.Route.Account, p.Route.Table)
	})
}

func (p *Page) loadPolicies() {
	page.Load(p.ctx, &p.policies, func(c context.Context) ([]sas.Policy, error) {
		return p.client().Policies(c, p.Route.Table)
	})
}

// Render draws the page.
func (p *Page) Render() app.UI {
	main := append(p.drawAccount(), p.drawProperties()...)
	return ui.Div("page",
		p.Session.Head(), p.kept.jobs.Draw(p.Route),
		ui.Div("access",
			app.Section().Class("access-main").Aria("label", "Settings of the account").Body(main...),
			app.Aside().Class("access-side").Aria("label", "Deletion").Body(p.drawTable(), p.drawEmpty(), p.drawRemoval())),
		app.Footer().Class("status").Body(
			app.Span().Text("Account settings are saved as you change them, service properties by the button"), app.Span().Class("grow"),
			app.Span().Role("status").DataSet("testid", "unsaved").Text(p.unsavedText())))
}

// drawAccount draws the settings that only a Sandtable has.
func (p *Page) drawAccount() []app.UI {
	if p.Connected() {
		return nil
	}
	account := p.Session.Catalog().Account(p.Route.Account)
	rows := []app.UI{
		app.H2().Body(app.Text("Account "+p.Route.Account+" "), app.Small().Text("in this browser")),
		row("Unsigned requests", "", "", "signatures are checked either way", ui.Segments("Unsigned requests", account.Access, ui.AccessModes, p.onAccess)),
	}
	settings, held := p.settings.Data()
	switch {
	case p.settings.State() == remote.Failed:
		rows = append(rows, ui.Retry(p.settings.Err(), p.onReloadSettings))
	case held:
		rows = append(rows,
			row("Deleted table names", "", "", "Azure blocks them for a while, with 409 TableBeingDeleted; for all accounts", p.drawDeletion(settings)),
			row("Record bodies", "", "", "shown in Requests, never stored; for all accounts",
				ui.Segments("Record bodies", choiceOf(settings.RecordBodies), []ui.Choice{{Value: "false", Label: "no"}, {Value: "true", Label: "yes"}}, p.onBodies)))
	default:
		rows = append(rows, ui.Bones(1))
	}
	faults := app.A().Class("parent").Href(page.Route{Account: p.Route.Account, Page: "faults"}.Href()).DataSet("testid", "to-faults").Text("Faults")
	rows = append(rows, row("Throttling and faults", "", "", map[bool]string{true: "on", false: "off"}[account.Faults], faults))
	return []app.UI{app.Div().Class("set-form").DataSet("testid", "account-settings").Body(rows...)}
}

// How long the name of a deleted table is blocked: not at all, or as long as the service
// takes at least.
const (
	freeAtOnce = "0s"
	asInAzure  = "40s"
)

// drawDeletion draws how long names are blocked. An option of the server may say
// another time.
func (p *Page) drawDeletion(s control.Settings) app.UI {
	chosen, blocked := freeAtOnce, asInAzure
	if s.TableDeletion != nil {
		chosen = *s.TableDeletion
	}
	if chosen != freeAtOnce {
		blocked = chosen
	}
	return ui.Segments("Deleted table names", chosen, []ui.Choice{{Value: freeAtOnce, Label: "free at once"}, {Value: blocked, Label: "blocked for " + blocked}}, p.onDeletion)
}

func choiceOf(on *bool) string {
	if on != nil && *on {
		return "true"
	}
	return "false"
}

func (p *Page) onReloadSettings(app.Context, app.Event) { p.loadSettings() }

func (p *Page) onAccess(_ app.Context, event app.Event) { p.setAccess(ui.Data(event, "choice")) }

func (p *Page) setAccess(access string) {
	p.choices.SetAccess(p.Session, p.Route.Account, access)
}

func (p *Page) onBodies(_ app.Context, event app.Event) {
	on := ui.Data(event, "choice") == "true"
	p.set(control.Settings{RecordBodies: &on})
}

func (p *Page) onDeletion(_ app.Context, event app.Event) {
	delay := ui.Data(event, "choice")
	p.set(control.Settings{TableDeletion: &delay})
}

// set changes a setting. The page may be gone when it is answered.
func (p *Page) set(settings control.Settings) {
	p.choices.Background(p.Session, func(c context.Context) func() {
		_, err := p.Session.Control().SetSettings(c, settings)
		return func() {
			if err != nil {
				p.Session.Notify("The setting was not changed: " + err.Error())
				return
			}
			p.loadSettings()
		}
	})
}
