package endpoint

import (
	"context"
	"errors"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/connection"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "endpoint", Title: "Connect an account", Icon: ui.IconCloud, Scopes: page.Store, Hidden: true,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// The ways of naming an account.
const (
	byText = "text" // a connection string or a SAS URL
	byKey  = "key"
)

// Page is the form that connects to an account.
type Page struct {
	app.Compo
	page.Props

	ctx      app.Context
	way      string
	fields   map[string]string
	remember bool
	busy     bool
	err      error
	copied   string
	link     link // that led here
	tries    int  // submissions; an answer to an older one is dropped
}

// OnInit starts with a connection string.
func (p *Page) OnInit() {
	p.way, p.fields = byText, map[string]string{}
	p.followLink()
}

// OnMount puts the cursor into the first empty field.
func (p *Page) OnMount(ctx app.Context) {
	p.ctx = ctx
	if p.err != nil {
		p.Session.Replace(page.Route{Page: p.Route.Page}) // what the link contains may be a secret
	}
	first := "endpoint-text"
	if p.way == byKey {
		first = "endpoint-key"
	}
	browser.Focus(ctx, first)
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.ctx = ctx }

// Render draws the form.
func (p *Page) Render() app.UI {
	body := []app.UI{
		app.H2().Text("Connect an account"),
		app.P().Text("Tables of another endpoint next to those of this browser: a native Sandtable, Azurite, or an account in the cloud. Requests go from this page straight to the endpoint."),
		p.link.draw(),
		app.Div().Body(ui.Segments("How", p.way, []ui.Choice{{Value: byText, Label: "Connection string"}, {Value: byKey, Label: "Account and key"}}, p.onWay)),
	}
	if p.way == byText {
		body = append(body, p.field("text", "Connection string or SAS URL", "DefaultEndpointsProtocol=…;AccountName=…;AccountKey=…", false))
	} else {
		body = append(body,
			p.field("endpoint", "Endpoint", "https://ACCOUNT.table.core.windows.net, or http://127.0.0.1:10002/ACCOUNT", false),
			p.field("account", "Account", "devstoreaccount1", false),
			p.field("key", "Account key", "in Base64", true))
	}
	remembered := "The key is kept in memory, and gone when this page is reloaded or closed."
	if p.remember {
		remembered = "The key is stored in this browser in plain text, for everybody who uses this browser profile, until you disconnect."
	}
	body = append(body,
		app.Div().Body(app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(p.remember).DataSet("testid", "remember").OnChange(p.onRemember), app.Text("Remember it in this browser")),
			app.P().Class("hint").DataSet("testid", "remember-hint").Text(remembered)),
		p.drawProblem(),
		ui.Div("row", ui.SubmitButton("Connect", p.busy).DataSet("testid", "connect-endpoint"), app.A().Class(string(ui.Quiet)).Href(page.Route{}.Href()).Text("Cancel")))
	return ui.Div("page", app.Form().Class("column", "endpoint").Aria("label", "Connect an account").AutoComplete(false).OnSubmit(p.onSubmit).Body(body...))
}

func (p *Page) field(name, label, placeholder string, secret bool) app.UI {
	kind := "text"
	if secret {
		kind = "password"
	}
	return &ui.Keyed{Key: "endpoint-" + name, Draw: func() app.UI {
		return app.Label().Class("labelled").Body(app.Span().Text(label),
			app.Input().ID("endpoint-"+name).Class("input code").Type(kind).Placeholder(placeholder).Attr("autocomplete", "off").Attr("autocapitalize", "off").
				Spellcheck(false).DataSet("testid", "endpoint-"+name).DataSet("field", name).Value(p.fields[name]).OnInput(p.onField))
	}}
}

// drawProblem says why there is no connection, and what to do about it.
func (p *Page) drawProblem() app.UI {
	if p.err == nil {
		return app.Div().Hidden(true)
	}
	var wrong connection.Error
	if errors.As(p.err, &wrong) {
		return app.Div().DataSet("testid", "endpoint-problem").Body(ui.Problem(wrong.Error() + "."))
	}
	body := []app.UI{ui.Failure(p.err)}
	var unreachable *client.Unreachable
	if errors.As(p.err, &unreachable) {
		if rule, ok := unreachable.Rule(); ok {
			body = append(body, p.drawRule(rule)...)
		}
	}
	return app.Div().Class("endpoint-problem").DataSet("testid", "endpoint-problem").Body(body...)
}

const nativeCommand = "sandtable serve -cors permissive"

func (p *Page) drawRule(rule client.CORSRule) []app.UI {
	draw := func(name, label, text string) app.UI {
		return ui.Copyable(name, label, text, p.copied == name, p.onCopy)
	}
	return []app.UI{
		app.P().Text("Add this rule to the account, in the portal under Resource sharing (CORS), Table service, or with a command. Then connect again."),
		ui.Facts(page.RuleFacts(rule)),
		draw("cors-command", "Azure CLI", page.RuleCommand(rule)),
		draw("native-command", "A native Sandtable lets every page in", nativeCommand),
	}
}

func (p *Page) onCopy(ctx app.Context, event app.Event) {
	name, text := ui.Data(event, "copy"), nativeCommand
	var unreachable *client.Unreachable
	if name == "cors-command" && errors.As(p.err, &unreachable) {
		rule, _ := unreachable.Rule()
		text = page.RuleCommand(rule)
	}
	page.Copy(ctx, p.Session, text, func() { p.copied = name })
}

func (p *Page) onWay(_ app.Context, event app.Event) {
	p.way, p.err = ui.Data(event, "choice"), nil
	p.tries++
	p.busy = false
}

func (p *Page) onField(_ app.Context, event app.Event) {
	p.fields[ui.Data(event, "field")] = ui.Text(event)
}

func (p *Page) onRemember(_ app.Context, event app.Event) {
	p.remember = event.Get("target").Get("checked").Truthy()
}

func (p *Page) onSubmit(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.submit()
}

// remote returns the account that the fields name.
func (p *Page) remote() (client.Remote, error) {
	if p.way == byText {
		return client.ParseConnection(p.fields["text"])
	}
	return client.WithKey(p.fields["endpoint"], p.fields["account"], p.fields["key"])
}

// submit connects once the account has answered a request.
func (p *Page) submit() {
	if p.busy {
		return
	}
	r, err := p.remote()
	p.err = err
	if err != nil {
		return
	}
	p.tries++
	p.busy = true
	try, remember := p.tries, p.remember
	page.Background(p.ctx, func(c context.Context) func() {
		err := r.Client(p.Session.Control().Transport).Check(c, r.Table)
		return func() {
			if try != p.tries {
				return
			}
			p.busy, p.err = false, err
			if err == nil {
				p.Session.Connect(r, remember)
				p.openLinked(r)
			}
		}
	})
}

// followLink fills in what a link names.
func (p *Page) followLink() {
	p.link, p.err = linkOf(p.Route)
	if p.link.remote.Account != "" {
		p.way = byKey
		p.fields["endpoint"], p.fields["account"] = p.link.remote.Endpoint, p.link.remote.Account
	}
}

// openLinked shows the table of the link once its account is connected.
func (p *Page) openLinked(r client.Remote) {
	if p.link.table != "" && r.ID() == p.link.remote.ID() && (r.Table == "" || strings.EqualFold(r.Table, p.link.table)) {
		p.Session.Navigate(page.Route{Account: r.ID(), Table: p.link.table})
	}
}
