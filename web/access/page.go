package access

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "access", Title: "Access", Icon: ui.IconKey, Scopes: page.Account | page.Table,
		New:      func(p page.Props) app.Composer { return &Page{Props: p} },
		Exhibits: exhibits,
	}
}

// OnInit chooses a token that reads.
func (p *Page) OnInit() {
	p.now = time.Now
	p.stop = make(chan struct{})
	p.shown = map[string]bool{}
}

// OnMount reads keys and policies, and makes the countdown tick.
func (p *Page) OnMount(ctx app.Context) {
	p.start(ctx)
	ctx.Async(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-ticker.C:
				ctx.Dispatch(func(app.Context) {}) // draws the page again
			}
		}
	})
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Page) OnPreRender(ctx app.Context) { p.start(ctx) }

// OnUpdate reads the keys again: the shell has read what it shows again, as it does when
// the user comes back to the tab.
func (p *Page) OnUpdate(app.Context) {
	if p.revision != p.Revision {
		p.revision = p.Revision
		p.refreshKeys()
	}
}

// OnDismount ends the countdown.
func (p *Page) OnDismount() {
	page.Release(p.release)
	close(p.stop)
}

func (p *Page) start(ctx app.Context) {
	p.ctx, p.revision = ctx, p.Revision
	p.release = append(p.release, p.Session.Guard(p.unsaved))
	p.builder = newBuilder(p.Route.Table, p.now())
	if typed, ok := browser.Recall(p.limitsName(), func(limits) bool { return true }); ok {
		p.builder.limit(typed)
	}
	p.loadCredentials()
	p.loadPolicies()
	p.loadRules()
}

// unsaved reports whether a policy or a rule is being edited or stored.
func (p *Page) unsaved() bool {
	rule := p.cors.edit
	return p.policies.edit.unsaved() || rule != nil && (rule.busy || rule.rule != rule.before)
}

// Render draws the page.
func (p *Page) Render() app.UI {
	return ui.Div("page",
		p.Session.Head(),
		ui.Div("access",
			app.Section().Class("access-main").Aria("label", "Shared access signature").Body(p.drawMain()...),
			app.Aside().Class("access-side").Aria("label", "Policies, CORS rules and keys").Body(p.drawPolicies(), p.drawRules(), p.drawAccount())),
		app.Footer().Class("status").Body(
			app.Span().Text("Permissions are checked for every signed request, open account or not"), app.Span().Class("grow"),
			ui.Span("optional", p.now().UTC().Format("15:04:05")+" UTC")))
}

func (p *Page) drawMain() []app.UI {
	c, held := p.credentials.Data()
	switch {
	case p.credentials.State() == remote.Failed:
		return []app.UI{ui.Retry(p.credentials.Err(), p.onReload)}
	case !held:
		return []app.UI{ui.Bones(9)}
	case c.keys == (control.Keys{}):
		return []app.UI{ui.Empty(ui.IconKey, "No key to sign with", "You are connected to "+c.account+" with a shared access signature. Making another one takes the account's key: connect with a connection string that has it.")}
	}
	return []app.UI{p.drawForm(c), p.drawResult(c), ui.Div("sas-result", p.drawPasted(c))}
}
