package access

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/sas"
	"sandtable/web/ui"
)

// drawPasted draws a field for a signature that somebody else made, and what it
// allows. The text stays in this page.
func (p *Page) drawPasted(c credentials) app.UI {
	body := []app.UI{
		app.Summary().Text("Explain a link"),
		app.Textarea().Class("input code").Rows(3).Aria("label", "Link to explain").Placeholder("Paste a SAS URL, or a connection string with a SAS").
			Spellcheck(false).Attr("autocomplete", "off").DataSet("testid", "pasted").OnInput(p.onPasted),
	}
	if strings.TrimSpace(p.pasted) == "" {
		return app.Details().DataSet("testid", "explain-link").Body(body...)
	}
	link, problem := sas.ParseLink(p.pasted)
	if problem != "" {
		return app.Details().DataSet("testid", "explain-link").Body(append(body, ui.Problem(problem))...)
	}
	p.knownPolicy(&link)
	by := signer(link, c)
	if by != "" {
		link.Account = c.account
	}
	validity, words, left := link.Validity(p.now())
	if link.Policy.ID != "" && validity == sas.Unknown {
		words = "the policy decides how long"
	}
	return app.Details().DataSet("testid", "explain-link").Body(append(body, app.Div().Class("summary").DataSet("testid", "pasted-summary").Body(
		app.P().Body(drawSpans(link.Summary())...),
		app.P().Class("countdown", moods[validity]).Body(ui.Icon(ui.IconHistory), app.Span().Text(words), app.B().Text(left)),
		ui.P("hint", signature(by, c))))...)
}

// knownPolicy gives the link the policy that it names, if it is one of the table
// that is shown.
func (p *Page) knownPolicy(link *sas.Link) {
	all, _ := p.policies.loaded.Data()
	if policy := policyOf(all, link.Policy.ID); policy.ID != "" && strings.EqualFold(link.Table, p.policies.table) {
		link.Policy = policy
	}
}

// signer returns which of the account's keys made a link, "" for none.
func signer(link sas.Link, c credentials) string {
	for name, text := range map[string]string{"primary": c.keys.Primary, "secondary": c.keys.Secondary} {
		if secret, err := sas.DecodeKey(text); err == nil && link.SignedWith(c.account, secret) {
			return name
		}
	}
	return ""
}

// signature says whose key made a link.
func signature(by string, c credentials) string {
	if by == "" {
		return "Not signed with a present key of " + c.account + ": it is another account's, the key has been regenerated, or the link was changed."
	}
	return "Signed with the " + by + " key of " + c.account + "."
}

func (p *Page) onPasted(_ app.Context, event app.Event) { p.pasted = ui.Text(event) }
