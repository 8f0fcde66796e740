package access

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// hiddenKey stands for a key that is not shown.
const hiddenKey = "••••••••••"

// drawAccount draws who may use the account without a link, and its keys.
func (p *Page) drawAccount() app.UI {
	c, held := p.credentials.Data()
	if !held {
		return app.Section().Hidden(true)
	}
	connected := p.Connected()
	body := []app.UI{app.Header().Body(app.H2().Text("Account"))}
	if !connected {
		body = append(body, ui.Div("account-line", app.Span().Text("Unsigned requests"),
			ui.Segments("Unsigned requests", p.Session.Catalog().Account(p.Route.Account).Access, ui.AccessModes, p.onAccess)))
	}
	for _, key := range []struct{ name, label, text string }{{"primary", "Primary key", c.keys.Primary}, {"secondary", "Secondary key", c.keys.Secondary}} {
		if connected && key.text == "" {
			continue
		}
		body = append(body, p.drawKey(key.name, key.label, key.text, connected))
	}
	if connected {
		body = append(body, ui.P("hint", "Keys of a connected account are regenerated where the account lives."))
	}
	return app.Section().DataSet("testid", "keys").Body(append(body,
		app.A().Class("btn").Href(p.Route.At("connect").Href()).DataSet("testid", "connection-strings").Text("Connection strings"))...)
}

func (p *Page) drawKey(name, label, text string, connected bool) app.UI {
	shown, show := hiddenKey, "Show"
	switch {
	case text == "":
		shown = "none"
	case p.shown[name]:
		shown, show = text, "Hide"
	}
	regenerate, copied := "Regenerate", "Copy"
	if text == "" {
		regenerate = "Create"
	}
	if p.copied == name {
		copied = "Copied"
	}
	class := "account-line"
	if p.shown[name] {
		class += " shown"
	}
	return app.Div().Class(class).DataSet("key", name).Body(
		app.Span().Text(label), app.Code().DataSet("testid", "key-"+name).Text(shown),
		ui.Div("row",
			ui.Button(ui.Plain, show, p.onShowKey).DataSet("testid", "show-"+name).Hidden(text == ""),
			ui.Button(ui.Plain, copied, p.onCopy).DataSet("testid", "copy-"+name).DataSet("copy", name).Hidden(text == ""),
			ui.Button(ui.Plain, regenerate, p.onRegenerate).DataSet("testid", "regenerate-"+name).Hidden(connected)))
}

func (p *Page) onShowKey(_ app.Context, event app.Event) {
	name := ui.Data(event, "key")
	p.shown[name] = !p.shown[name]
}

func (p *Page) onRegenerate(_ app.Context, event app.Event) { p.askRegenerate(ui.Data(event, "key")) }

func (p *Page) askRegenerate(which string) {
	c, _ := p.credentials.Data()
	if which == "secondary" && c.keys.Secondary == "" {
		p.regenerate(which)
		return
	}
	p.Session.Ask(ui.Question{Title: "Regenerate the " + which + " key?", Confirm: "Regenerate",
		Text: "Every link and every program that uses the old key stops working at once. This cannot be undone."}, func() { p.regenerate(which) })
}

// regenerate replaces a key of the account. The page may be gone by then.
func (p *Page) regenerate(which string) {
	account := p.Route.Account
	p.Session.Background(func(ctx context.Context) func() {
		keys, err := p.Session.Control().RegenerateKey(ctx, account, which)
		return func() {
			if err != nil {
				p.Session.Notify("The key was not regenerated: " + err.Error())
				return
			}
			c, _ := p.credentials.Data()
			c.keys = keys
			p.use(c, nil)
			p.Session.Notify("The account has a new " + which + " key")
		}
	})
}

// refreshKeys reads the keys again, which another tab may have regenerated. What is shown
// stays until then, and if that fails.
func (p *Page) refreshKeys() {
	before, held := p.credentials.Data()
	if !held || p.Connected() {
		return
	}
	account := p.Route.Account
	page.Background(p.ctx, func(ctx context.Context) func() {
		keys, err := p.Session.Control().Keys(ctx, account)
		return func() {
			if c, _ := p.credentials.Data(); err == nil && c.keys == before.keys { // otherwise a key was regenerated since
				c.keys = keys
				p.credentials = remote.Of(c)
			}
		}
	})
}

func (p *Page) onAccess(_ app.Context, event app.Event) {
	p.choices.SetAccess(p.Session, p.Route.Account, ui.Data(event, "choice"))
}
