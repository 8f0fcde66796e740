package access

import (
	"cmp"
	"context"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// ConnectDefinition registers the page that the Connect button opens.
func ConnectDefinition() page.Definition {
	return page.Definition{
		Name: "connect", Title: "Connect", Icon: ui.IconPlug, Scopes: page.Account | page.Table, Hidden: true,
		New: func(p page.Props) app.Composer { return &Connect{Props: p, language: "js"} },
	}
}

// Connect shows how an SDK connects to an account.
type Connect struct {
	app.Compo
	page.Props

	connection remote.Value[control.Connection]
	language   string
	copied     string // the name of the text that was copied last
}

// OnMount reads the connection.
func (p *Connect) OnMount(ctx app.Context) { p.load(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (p *Connect) OnPreRender(ctx app.Context) { p.load(ctx) }

func (p *Connect) load(ctx app.Context) {
	if r, ok := p.Session.Connected(p.Route.Account); ok {
		p.connection = remote.Of(connectionOf(r, time.Now()))
		return
	}
	page.Load(ctx, &p.connection, func(c context.Context) (control.Connection, error) {
		return p.Session.Control().Connection(c, p.Route.Account)
	})
}

// Render draws the page.
func (p *Connect) Render() app.UI {
	return ui.Div("page",
		p.Session.Head(),
		app.Section().Class("column").Aria("label", "Connect").Body(p.draw()...))
}

func (p *Connect) draw() []app.UI {
	connection, held := p.connection.Data()
	switch {
	case p.connection.State() == remote.Failed:
		return []app.UI{ui.Retry(p.connection.Err(), p.onReload)}
	case !held:
		return []app.UI{ui.Bones(8)}
	}
	draw := func(name, label, text string) app.HTMLDiv {
		return ui.Copyable(name, label, text, p.copied == name, p.onCopy)
	}
	return []app.UI{
		app.H2().Text("Connect to " + p.Route.Account),
		app.P().Text(p.introduction()),
		draw("connection-string", "Connection string", connection.ConnectionString),
		draw("sas-url", "SAS URL", connection.SASURL),
		draw("endpoint", "Endpoint", connection.Endpoint),
		app.Div().Body(ui.Segments("Language", p.language, languages, p.onLanguage)),
		draw("example", "Code", code(p.language, connection, p.exampleTable())),
		app.P().Class("hint").DataSet("testid", "connect-note").Text(p.note()),
	}
}

func (p *Connect) introduction() string {
	if r, ok := p.Session.Connected(p.Route.Account); ok {
		if r.Key == "" {
			return "The account is at " + r.Endpoint + ". This is the shared access signature with which you connected."
		}
		return "The account is at " + r.Endpoint + ". This is a shared access signature for everything in it, signed with its key and valid for 7 days. Access makes narrower ones."
	}
	return "From any page under " + p.Session.Base() + ". The JavaScript SDK refuses account keys in browsers, so this is a shared access signature: an address that contains its permission."
}

func (p *Connect) note() string {
	switch {
	case p.Connected():
		return "Anyone who has this text can use the account: keep it like a password."
	case p.language != "js":
		return "Only JavaScript runs in this browser. For other languages run sandtable serve, which prints a connection string for CONNECTION_STRING."
	}
	return "The service worker answers these addresses. Nothing leaves this browser."
}

func (p *Connect) onLanguage(_ app.Context, event app.Event) {
	p.language, p.copied = ui.Data(event, "choice"), ""
}

func (p *Connect) onReload(ctx app.Context, _ app.Event) { p.load(ctx) }

// exampleTable is the table that the example uses: the present one, or the only one that
// the account's link reaches.
func (p *Connect) exampleTable() string {
	r, _ := p.Session.Connected(p.Route.Account)
	return cmp.Or(p.Route.Table, r.Table, "Customers")
}

func (p *Connect) onCopy(ctx app.Context, event app.Event) {
	name := ui.Data(event, "copy")
	page.Copy(ctx, p.Session, p.text(name), func() { p.copied = name })
}

// text returns what a copy button copies.
func (p *Connect) text(name string) string {
	connection, _ := p.connection.Data()
	switch name {
	case "connection-string":
		return connection.ConnectionString
	case "sas-url":
		return connection.SASURL
	case "endpoint":
		return connection.Endpoint
	}
	return code(p.language, connection, p.exampleTable())
}
