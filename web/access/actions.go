package access

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

func (p *Page) loadCredentials() {
	account := p.Route.Account
	if r, ok := p.Session.Connected(account); ok {
		p.use(credentials{r.Account, r.Endpoint, control.Keys{Primary: r.Key}}, nil)
		return
	}
	p.credentials = p.credentials.Asked()
	page.Background(p.ctx, func(c context.Context) func() {
		connection, err := p.Session.Control().Connection(c, account)
		var keys control.Keys
		if err == nil {
			keys, err = p.Session.Control().Keys(c, account)
		}
		return func() { p.use(credentials{account, connection.Endpoint, keys}, err) }
	})
}

func (p *Page) use(c credentials, err error) {
	p.credentials = p.credentials.Answered(c, err)
	p.builder.token.Account = c.account
	p.builder.adapt(c)
}

func (p *Page) onReload(app.Context, app.Event) { p.loadCredentials() }

func (p *Page) onCopy(ctx app.Context, event app.Event) {
	name := ui.Data(event, "copy")
	c, _ := p.credentials.Data()
	text := ""
	switch name {
	case "sas-url":
		text = p.url(c) + "?" + sas.Query(p.signed(c))
	case "sas-connection":
		text = p.connection(c) + sas.Query(p.signed(c))
	case "sas-signed":
		text = p.builder.token.StringToSign()
	case "primary":
		text = c.keys.Primary
	case "secondary":
		text = c.keys.Secondary
	}
	page.Copy(ctx, p.Session, text, func() { p.copied = name })
}
