package access

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// cors is the account's CORS rules, and the one that is being edited.
type cors struct {
	loaded remote.Value[client.Properties]
	edit   *ruleEdit
}

type ruleEdit struct {
	at     int             // in the list, newRule if it is not there
	before client.CORSRule // as it was when the edit began
	rule   client.CORSRule
	saving
}

func (p *Page) loadRules() {
	page.Load(p.ctx, &p.cors.loaded, p.client().Properties)
}

func (p *Page) drawRules() app.UI {
	properties, held := p.cors.loaded.Data()
	rules, scope := properties.CORS, "for the whole account"
	if held {
		scope = strconv.Itoa(len(rules)) + " of " + strconv.Itoa(client.MaxCORSRules) + " · " + scope
	}
	body := []app.UI{app.Header().Body(
		app.H2().Body(app.Text("CORS rules "), app.Small().DataSet("testid", "rule-count").Text(scope)),
		ui.AddButton(ui.Plain, "Rule", p.onAddRule).DataSet("testid", "add-rule").Disabled(!held || len(rules) >= client.MaxCORSRules || p.cors.edit != nil))}
	switch {
	case p.cors.loaded.State() == remote.Failed:
		return app.Section().Body(append(body, ui.Retry(p.cors.loaded.Err(), p.onReloadRules))...)
	case !held:
		return app.Section().Body(append(body, ui.Bones(2))...)
	}
	for i, rule := range rules {
		body = append(body, drawRule(i, rule, p.onEditRule, p.onDeleteRule))
	}
	note := "The first matching rule applies. Pages of other sites need one, this page does not."
	if !p.Connected() && p.inWorker() {
		note = "The first matching rule applies. No preflight is sent inside this browser, so rules only matter once the account is served by sandtable serve."
	}
	return app.Section().DataSet("testid", "rules").Body(append(body, ui.P("hint", note), p.drawRuleForm())...)
}

// inWorker reports whether a service worker serves the account: its endpoint is
// then the service's.
func (p *Page) inWorker() bool {
	c, _ := p.credentials.Data()
	return strings.HasSuffix(c.endpoint, ".core.windows.net")
}

func drawRule(i int, rule client.CORSRule, edit, remove app.EventHandler) app.UI {
	kept := "not cached"
	if seconds, err := strconv.Atoi(rule.MaxAge); err == nil && seconds > 0 {
		kept = "cached for " + humanize.Number(seconds) + " s"
	}
	return app.Div().Class("rule").DataSet("rule", i).DataSet("testid", "rule").Body(
		ui.Div("row",
			app.Button().Type("button").Class("link").DataSet("testid", "edit-rule").Title("Edit the rule").OnClick(edit).Text(rule.Origins),
			app.Span().Class("grow"), app.Small().Text(kept),
			ui.IconButton(ui.Tiny, ui.IconTrash, "Delete the rule for "+rule.Origins, remove).DataSet("testid", "delete-rule")),
		app.P().Text(strings.Join(client.Items(rule.Methods), ", ")),
		app.P().Body(app.Text("allows "), app.Code().Text(cmp.Or(rule.AllowedHeaders, "no headers")), app.Text(" · exposes "), app.Code().Text(cmp.Or(rule.Exposed, "no headers"))))
}

func (p *Page) drawRuleForm() app.UI {
	e := p.cors.edit
	if e == nil {
		return app.Div().Hidden(true)
	}
	problems := e.rule.Problems()
	if e.rule.Origins == "" && e.err == nil {
		delete(problems, "AllowedOrigins")
	}
	field := func(element, label, placeholder, text string) app.UI {
		return &ui.Keyed{Key: element + strconv.Itoa(e.at), Draw: func() app.UI {
			return app.Input().ID("rule-"+element).Class("input code").Type("text").Aria("label", label).Placeholder(placeholder).AutoComplete(false).Spellcheck(false).
				DataSet("testid", "rule-"+element).DataSet("element", element).Value(text).OnInput(p.onRuleField)
		}}
	}
	var methods []app.UI
	for _, method := range client.CORSMethods {
		methods = append(methods, ui.Toggle(method, "", slices.Contains(client.Items(e.rule.Methods), method), p.onRuleMethod).DataSet("method", method).DataSet("testid", "method-"+method))
	}
	body := []app.UI{
		row("Origins", "AllowedOrigins", problems["AllowedOrigins"], "", field("AllowedOrigins", "Origins", "https://app.contoso.com, or *", e.rule.Origins)),
		row("Methods", "AllowedMethods", problems["AllowedMethods"], "", ui.Div("ticks", methods...)),
		row("Request headers", "AllowedHeaders", problems["AllowedHeaders"], "", field("AllowedHeaders", "Request headers", "content-type, x-ms-*, or *", e.rule.AllowedHeaders)),
		row("Shown to the page", "ExposedHeaders", problems["ExposedHeaders"], "", field("ExposedHeaders", "Response headers shown to the page", "etag, x-ms-*, or *", e.rule.Exposed)),
		row("Cached for", "MaxAgeInSeconds", problems["MaxAgeInSeconds"], "seconds", field("MaxAgeInSeconds", "Seconds for which browsers cache the answer", "3600", e.rule.MaxAge)),
	}
	if e.err != nil {
		body = append(body, ui.Failure(e.err).DataSet("testid", "rule-error"))
	}
	body = append(body, ui.Div("row", ui.SubmitButton("Save rule", e.busy).DataSet("testid", "save-rule"), ui.Button(ui.Quiet, "Cancel", p.onCancelRule)))
	return app.Form().Class("set-form small").OnSubmit(p.onSaveRule).Body(body...)
}

func (p *Page) onReloadRules(app.Context, app.Event) { p.loadRules() }

func (p *Page) onAddRule(ctx app.Context, _ app.Event) {
	usual := client.CORSRule{Methods: "GET,POST,PUT,PATCH,DELETE", AllowedHeaders: "*", Exposed: "*", MaxAge: "3600"}
	p.cors.edit = &ruleEdit{at: newRule, before: usual, rule: usual}
	browser.Focus(ctx, "rule-AllowedOrigins")
}

func (p *Page) onEditRule(ctx app.Context, event app.Event) {
	properties, _ := p.cors.loaded.Data()
	if i, err := strconv.Atoi(ui.Data(event, "rule")); err == nil && i < len(properties.CORS) {
		p.cors.edit = &ruleEdit{at: i, before: properties.CORS[i], rule: properties.CORS[i]}
		browser.Focus(ctx, "rule-AllowedOrigins")
	}
}

func (p *Page) onCancelRule(app.Context, app.Event) { p.cors.edit = nil }

func (p *Page) onRuleField(_ app.Context, event app.Event) {
	if e := p.cors.edit; e != nil {
		e.set(ui.Data(event, "element"), ui.Text(event))
	}
}

func (e *ruleEdit) set(element, text string) {
	switch element {
	case "AllowedOrigins":
		e.rule.Origins = text
	case "AllowedHeaders":
		e.rule.AllowedHeaders = text
	case "ExposedHeaders":
		e.rule.Exposed = text
	case "MaxAgeInSeconds":
		e.rule.MaxAge = text
	}
	e.err = nil
}

func (p *Page) onRuleMethod(_ app.Context, event app.Event) {
	e, method := p.cors.edit, ui.Data(event, "method")
	if e == nil {
		return
	}
	var chosen []string
	for _, known := range client.CORSMethods {
		if slices.Contains(client.Items(e.rule.Methods), known) != (known == method) {
			chosen = append(chosen, known)
		}
	}
	e.rule.Methods = strings.Join(chosen, ",")
}

func (p *Page) onSaveRule(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.saveRule()
}

func (p *Page) saveRule() {
	if e := p.cors.edit; e != nil && !e.busy {
		p.writeRules(e, e.rule)
	}
}

func (p *Page) onDeleteRule(_ app.Context, event app.Event) {
	properties, _ := p.cors.loaded.Data()
	if i, err := strconv.Atoi(ui.Data(event, "rule")); err == nil && i < len(properties.CORS) {
		p.deleteRule(i)
	}
}

func (p *Page) deleteRule(i int) {
	properties, _ := p.cors.loaded.Data()
	rule := properties.CORS[i]
	p.Session.Ask(ui.Question{Title: "Delete the rule for " + rule.Origins + "?", Text: "Pages of these origins can no longer read the account's answers.", Confirm: "Delete rule"}, func() {
		p.writeRules(&ruleEdit{at: i, before: rule})
	})
}

// writeRules stores rules in place of the one that is edited, none to delete it,
// and closes the form if that succeeds. Nothing else of the service properties is sent.
func (p *Page) writeRules(e *ruleEdit, after ...client.CORSRule) {
	at, shown := e.at, e.before
	replacement[client.Properties]{
		name: "rules",
		read: p.client().Properties,
		replace: func(all client.Properties) (_ client.Properties, err error) {
			all.CORS, err = replaceRule(all.CORS, at, shown, after...)
			return all, err
		},
		write: p.setProperties,
		open:  func() bool { return p.cors.edit == e },
		show: func(stored client.Properties, done bool) {
			p.cors.loaded = remote.Of(stored)
			open := p.cors.edit
			switch {
			case done && (open == e || open != nil && open.before == shown):
				p.cors.edit = nil
			case !done && at != newRule && !slices.Contains(stored.CORS, shown):
				e.at = newRule
			}
		},
	}.run(p, &e.saving)
}

// setProperties stores what differs, and returns it with lists and numbers as the
// service writes them.
func (p *Page) setProperties(c context.Context, before, after client.Properties) (client.Properties, error) {
	changes := after.Changes(before)
	if len(changes) == 0 {
		return after, nil
	}
	if err := p.client().SetProperties(c, changes); err != nil {
		return before, err
	}
	if stored, err := p.client().Properties(c); err == nil {
		return stored, nil
	}
	return after, nil
}
