package access

import (
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// url returns the address that the token is for.
func (p *Page) url(c credentials) string {
	return c.endpoint + client.TablePath(p.builder.token.Table)
}

// connection returns a connection string up to the token.
func (p *Page) connection(c credentials) string {
	return "TableEndpoint=" + c.endpoint + "/;SharedAccessSignature="
}

func (p *Page) signed(c credentials) []sas.Parameter {
	return p.builder.token.Signed(p.builder.secret(c.keys))
}

// moods are the classes of a countdown.
var moods = map[sas.Validity]string{sas.Unknown: "", sas.NotYet: "", sas.Valid: "", sas.Ending: "ending", sas.Expired: "expired"}

func (p *Page) drawResult(c credentials) app.UI {
	t := p.builder.token
	validity, words, left := t.Validity(p.now())
	body := []app.UI{
		ui.Div("summary",
			app.P().DataSet("testid", "sas-summary").Body(drawSpans(t.Summary())...),
			app.P().Class("countdown", moods[validity]).DataSet("testid", "sas-countdown").Body(ui.Icon(ui.IconHistory), app.Span().Text(words), app.B().Text(left))),
	}
	if len(t.Problems()) > 0 {
		return ui.Div("sas-result", append(body, app.P().Class("hint").DataSet("testid", "sas-incomplete").Text("The link appears here once the fields above are complete."))...)
	}
	signed := p.signed(c)
	body = append(body,
		p.drawTrial(),
		p.drawLink("sas-url", "URL", p.url(c)+"?", signed),
		p.drawLink("sas-connection", "Connection string", p.connection(c), signed),
		app.Details().Body(app.Summary().Text("String to sign"),
			ui.Copyable("sas-signed", "What the signature covers", t.StringToSign(), p.copied == "sas-signed", p.onCopy)))
	return ui.Div("sas-result", body...)
}

func drawSpans(spans []sas.Span) []app.UI {
	var all []app.UI
	for _, s := range spans {
		if s.Strong {
			all = append(all, app.B().Text(s.Text))
		} else {
			all = append(all, app.Text(s.Text))
		}
	}
	return all
}

// drawLink draws a text with a token, whose parameters' names stand out.
func (p *Page) drawLink(name, label, before string, signed []sas.Parameter) app.UI {
	body := []app.UI{app.Text(before)}
	for i, parameter := range signed {
		and := ""
		if i > 0 {
			and = "&"
		}
		body = append(body, app.Text(and), ui.Span("parameter", parameter.Name+"="),
			app.Text(strings.ReplaceAll(url.QueryEscape(parameter.Value), "+", "%20")))
	}
	return ui.CopyableOf(name, label, p.copied == name, p.onCopy, body...)
}
