package settings

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// Page is the settings of an account, and of one of its tables.
type Page struct {
	app.Compo
	page.Props

	kept *kept // the same for each page

	ctx        app.Context
	release    []func()
	settings   remote.Value[control.Settings]
	stored     remote.Value[client.Properties]
	form       form
	partitions remote.Value[control.Partitions] // of the table
	policies   remote.Value[[]sas.Policy]       // of the table
	connection remote.Value[control.Connection]
	removal    removal
	choices    page.Queue // of settings
	copied     bool
}

// kept is what all settings pages share.
type kept struct {
	jobs page.Jobs
	page *Page // that is shown, nil for none
}

func (p *Page) client() *client.Client { return p.Session.Client(p.Route.Account) }

// endpoint is the address by which programs reach the account.
func (p *Page) endpoint() string {
	if connection, known := p.connection.Data(); known {
		return connection.Endpoint
	}
	return p.client().Base
}

// row draws a setting: its name, its version or parameter, its controls, and
// what is wrong with it or else a hint.
func row(label, code, problem, hint string, controls ...app.UI) app.UI {
	note := ui.Span("hint", hint)
	if problem != "" {
		note = app.Span().Class("problem").Role("alert").Text(problem)
	}
	return ui.Div("set-row wide",
		ui.Span("set-name", label), app.Code().Class("set-code").Text(code),
		ui.Div("set-controls", append(controls, note)...))
}

// form is the service properties as they are edited.
type form struct {
	next  client.Properties
	reset int // counts changes by the program: new fields show them
	busy  bool
	err   error
}

// removal is the form that deletes the table or the account once its name is
// typed.
type removal struct {
	typed    string
	snapshot bool // is taken first; of tables that live here
	busy     bool
	err      error
}
