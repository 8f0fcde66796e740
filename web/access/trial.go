package access

import (
	"context"
	"errors"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

// trial is the outcome of a request that was sent with the link alone.
type trial struct {
	query string // of the link that was tried
	busy  bool
	err   error
}

// trialResource returns what is read to test a token, and its name. A token for
// entities alone needs a table.
func trialResource(t sas.Token, tables []client.Table) (resource, name string, ok bool) {
	may := func(letter string) bool { return strings.Contains(t.ResourceTypes, letter) }
	switch {
	case t.Table != "":
		return client.TablePath(t.Table) + "()?$top=1", "the table " + t.Table, true
	case may("c"):
		return "/Tables?$top=1", "the list of tables", true
	case may("s"):
		return "/?restype=service&comp=properties", "the service properties", true
	case len(tables) > 0:
		return client.TablePath(tables[0].Name) + "()?$top=1", "the table " + tables[0].Name, true
	}
	return "", "", false
}

// trialOutcome says what a trial showed. It is bad if the link cannot be used.
func trialOutcome(err error, name string) (text string, good bool) {
	var refusal *client.ServiceError
	switch {
	case err == nil:
		return "The link works: it has just read " + name + ".", true
	case !errors.As(err, &refusal):
		return err.Error(), false
	case strings.HasSuffix(refusal.Code, "PermissionMismatch"), strings.HasSuffix(refusal.Code, "ResourceTypeMismatch"):
		return "The signature is valid. The link may not read " + name + ", and nothing is written to test it.", true
	case strings.HasSuffix(refusal.Code, "ProtocolMismatch"):
		return "The endpoint is at an http address, and this link is for HTTPS only.", false
	case strings.HasSuffix(refusal.Code, "SourceIPMismatch"):
		return "The link is not for the address of this computer. It may work from others.", false
	case refusal.Code == "AuthorizationFailure":
		return "Reading " + name + " is refused: the link does not allow it, or the account's network rules keep this computer out.", false
	case refusal.Code == "AuthenticationFailed":
		return "The link is refused: it is expired or not valid yet, its policy is gone, or the key has been regenerated.", false
	}
	return refusal.Error(), false
}

func (p *Page) drawTrial() app.UI {
	token := p.builder.token
	tables, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	_, name, ok := trialResource(token, tables)
	if !ok {
		return ui.P("hint", "To test this link, the account needs a table.")
	}
	body := []app.UI{ui.Button(ui.Plain, "Test this link", p.onTry).DataSet("testid", "try-sas").Aria("busy", p.trial.busy)}
	c, _ := p.credentials.Data()
	if t := p.trial; !t.busy && t.query != "" && t.query == sas.Query(p.signed(c)) {
		text, good := trialOutcome(t.err, name)
		class := "problem"
		if good {
			class = "good"
		}
		body = append(body, app.Span().Class(class).Role("status").DataSet("testid", "sas-outcome").Text(text))
	} else {
		body = append(body, ui.Span("hint", "reads "+name+" with the link alone"))
	}
	return ui.Div("trial", body...)
}

func (p *Page) onTry(app.Context, app.Event) { p.try() }

func (p *Page) try() {
	c, _ := p.credentials.Data()
	tables, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	resource, _, ok := trialResource(p.builder.token, tables)
	if !ok || p.trial.busy {
		return
	}
	connected := p.Connected()
	link := client.Remote{Account: c.account, Endpoint: c.endpoint, SAS: sas.Query(p.signed(c))}
	p.trial = trial{query: link.SAS, busy: true}
	page.Background(p.ctx, func(ctx context.Context) func() {
		err := client.TrySAS(ctx, p.Session.Control().Transport, link, resource, connected)
		return func() { p.trial = trial{query: link.SAS, err: err} }
	})
}
