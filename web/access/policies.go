package access

import (
	"cmp"
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

func (p *Page) loadPolicies() {
	table := p.builder.token.Table
	if table != p.policies.table {
		p.policies = policies{table: table}
	}
	if table == "" {
		return
	}
	page.Load(p.ctx, &p.policies.loaded, func(c context.Context) ([]sas.Policy, error) {
		return p.client().Policies(c, table)
	})
}

// problems returns what the service would refuse, by the field's name.
func (e *policyEdit) problems(others []sas.Policy) map[string]string {
	found := map[string]string{}
	id := e.policy.ID
	taken := id != e.before.ID && indexOfPolicy(others, id) >= 0
	switch {
	case id == "":
		found["id"] = "An identifier is required."
	case odata.UTF16Len(id) > 64:
		found["id"] = "64 characters at most."
	case taken:
		found["id"] = "Another policy has this identifier."
	}
	start, starts := sas.ParseTime(e.policy.Start)
	if e.policy.Start != "" && !starts {
		found["start"] = "Not a time."
	}
	end, ends := sas.ParseTime(e.policy.Expiry)
	switch {
	case e.policy.Expiry != "" && !ends:
		found["expiry"] = "Not a time."
	case starts && ends && !start.Before(end):
		found["expiry"] = "It expires before it starts."
	}
	return found
}

func (p *Page) drawPolicies() app.UI {
	if p.policies.table == "" {
		return app.Section().Hidden(true)
	}
	all, held := p.policies.loaded.Data()
	count := ""
	if held {
		count = strconv.Itoa(len(all)) + " of " + strconv.Itoa(client.MaxPolicies)
	}
	body := []app.UI{app.Header().Body(
		app.H2().Body(app.Text("Stored access policies "), app.Small().DataSet("testid", "policy-count").Text(count)),
		ui.AddButton(ui.Plain, "Policy", p.onAddPolicy).DataSet("testid", "add-policy").Disabled(!held || len(all) >= client.MaxPolicies || p.policies.edit != nil))}
	switch {
	case p.policies.loaded.State() == remote.Failed:
		body = append(body, ui.Retry(p.policies.loaded.Err(), p.onReloadPolicies))
	case !held:
		body = append(body, ui.Bones(3))
	case len(all) == 0 && p.policies.edit == nil:
		body = append(body, ui.P("hint", "A policy holds permissions and times for many links. Changing it changes them all, and deleting it revokes them."))
	default:
		body = append(body, p.drawPolicyTable(all), ui.P("hint", "Delete a policy and every link that names it stops working."))
	}
	return app.Section().DataSet("testid", "policies").Body(append(body, p.drawPolicyForm(all))...)
}

func (p *Page) drawPolicyTable(all []sas.Policy) app.UI {
	head := []app.UI{}
	for _, name := range []string{"Identifier", "May", "Valid (UTC)", "State"} {
		head = append(head, app.Th().Scope("col").Text(name))
	}
	head = append(head, app.Th().Body(ui.Span("sr-only", "Actions")))
	var rows []app.UI
	for i, policy := range all {
		state, class := policyState(policy, p)
		selected := p.policies.edit != nil && p.policies.edit.before.ID == policy.ID
		rows = append(rows, app.Tr().DataSet("policy", i).DataSet("testid", "policy").Aria("selected", selected).Body(
			app.Td().Body(app.Button().Type("button").Class("link").DataSet("testid", "edit-policy").Title("Edit "+policy.ID).OnClick(p.onEditPolicy).Text(policy.ID)),
			app.Td().Text(cmp.Or(policy.Permissions, "–")), app.Td().Text(validText(policy)),
			app.Td().Class(class).Text(state),
			app.Td().Body(ui.IconButton(ui.Tiny, ui.IconTrash, "Delete "+policy.ID, p.onDeletePolicy).DataSet("testid", "delete-policy"))))
	}
	return app.Table().Class("policy-table").Aria("label", "Stored access policies").Body(app.THead().Body(app.Tr().Body(head...)), app.TBody().Body(rows...))
}

// validText writes the days on which a policy is valid.
func validText(policy sas.Policy) string {
	day := func(text string) string {
		if at, ok := sas.ParseTime(text); ok {
			return at.Format("2006-01-02")
		}
		return "…"
	}
	if policy.Start == "" && policy.Expiry == "" {
		return "–"
	}
	return day(policy.Start) + " – " + day(policy.Expiry)
}

func policyState(policy sas.Policy, p *Page) (text, class string) {
	now := p.now()
	v, _, _ := sas.Token{Policy: policy}.Validity(now)
	if start, starts := sas.ParseTime(policy.Start); v == sas.Unknown && starts && now.Before(start) {
		v = sas.NotYet
	}
	switch v {
	case sas.Expired:
		return "expired", "expired"
	case sas.NotYet:
		return "not yet", ""
	case sas.Ending:
		return "ending", "ending"
	}
	return "active", "active"
}

func (p *Page) drawPolicyForm(all []sas.Policy) app.UI {
	e := p.policies.edit
	if e == nil {
		return app.Div().Hidden(true)
	}
	problems := e.problems(all)
	if e.policy == (sas.Policy{}) {
		problems = nil // nothing is wrong before something is typed
	}
	field := func(name, label, placeholder, text string) app.UI {
		return &ui.Keyed{Key: "policy-" + name + e.before.ID, Draw: func() app.UI {
			return app.Input().ID("policy-"+name).Class("input code").Type("text").Aria("label", label).Placeholder(placeholder).AutoComplete(false).Spellcheck(false).
				DataSet("testid", "policy-"+name).DataSet("field", name).Value(text).OnInput(p.onPolicyField)
		}}
	}
	body := []app.UI{
		row("Identifier", "Id", problems["id"], "", field("id", "Identifier", "partner-read", e.policy.ID)),
		row("Permissions", "Permission", "", "none: the link has them", letters(e.policy.Permissions, tableLetters, false, p.onPolicyLetter)),
		row("Start", "Start", problems["start"], "", field("start", "Start of the policy", "left to the link", e.policy.Start)),
		row("Expiry", "Expiry", problems["expiry"], "", field("expiry", "Expiry of the policy", "left to the link", e.policy.Expiry)),
	}
	if e.err != nil {
		body = append(body, ui.Failure(e.err).DataSet("testid", "policy-error"))
	}
	body = append(body, ui.Div("row", ui.SubmitButton("Save policy", e.busy).DataSet("testid", "save-policy"), ui.Button(ui.Quiet, "Cancel", p.onCancelPolicy)))
	return app.Form().Class("set-form small").OnSubmit(p.onSavePolicy).Body(body...)
}

func (p *Page) onReloadPolicies(app.Context, app.Event) { p.loadPolicies() }

func (p *Page) onAddPolicy(ctx app.Context, _ app.Event) {
	p.policies.edit = &policyEdit{}
	browser.Focus(ctx, "policy-id")
}

func (p *Page) policyAt(event app.Event) (int, bool) {
	all, _ := p.policies.loaded.Data()
	i, err := strconv.Atoi(ui.Data(event, "policy"))
	return i, err == nil && i < len(all)
}

func (p *Page) onEditPolicy(ctx app.Context, event app.Event) {
	if i, ok := p.policyAt(event); ok {
		all, _ := p.policies.loaded.Data()
		p.policies.edit = &policyEdit{before: all[i], policy: all[i]}
		browser.Focus(ctx, "policy-id")
	}
}

func (p *Page) onCancelPolicy(app.Context, app.Event) { p.policies.edit = nil }

func (p *Page) onPolicyField(_ app.Context, event app.Event) {
	if e := p.policies.edit; e != nil {
		e.set(ui.Data(event, "field"), ui.Text(event))
	}
}

func (e *policyEdit) set(field, text string) {
	switch field {
	case "id":
		e.policy.ID = text
	case "start":
		e.policy.Start = text
	case "expiry":
		e.policy.Expiry = text
	}
	e.err = nil
}

func (p *Page) onPolicyLetter(_ app.Context, event app.Event) {
	if e := p.policies.edit; e != nil {
		e.policy.Permissions = sas.Toggle(e.policy.Permissions, ui.Data(event, "letter"), sas.TablePermissions)
	}
}

func (p *Page) onSavePolicy(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.savePolicy()
}

// savePolicy stores the policy of the form. What the service refuses stays there.
func (p *Page) savePolicy() {
	e := p.policies.edit
	if e == nil || e.busy {
		return
	}
	policy := e.policy // as it will be read again
	policy.Start, policy.Expiry = sas.NormalizeTime(policy.Start), sas.NormalizeTime(policy.Expiry)
	p.writePolicies(e, policy)
}

func (p *Page) onDeletePolicy(_ app.Context, event app.Event) {
	if i, ok := p.policyAt(event); ok {
		p.deletePolicy(i)
	}
}

func (p *Page) deletePolicy(i int) {
	all, _ := p.policies.loaded.Data()
	p.Session.Ask(ui.Question{Title: "Delete the policy " + all[i].ID + "?", Text: "Every link that names it stops working.", Confirm: "Delete policy"}, func() {
		p.writePolicies(&policyEdit{before: all[i]})
	})
}

// writePolicies stores policies in place of the one that is edited, none to delete
// it, and closes the form if that succeeds.
func (p *Page) writePolicies(e *policyEdit, after ...sas.Policy) {
	table, shown := p.policies.table, e.before
	replacement[[]sas.Policy]{
		name:    "policies",
		read:    func(c context.Context) ([]sas.Policy, error) { return p.client().Policies(c, table) },
		replace: func(all []sas.Policy) ([]sas.Policy, error) { return replacePolicy(all, shown, after...) },
		write: func(c context.Context, _, next []sas.Policy) ([]sas.Policy, error) {
			return next, p.client().SetPolicies(c, table, next)
		},
		open: func() bool { return p.policies.edit == e },
		show: func(stored []sas.Policy, done bool) {
			if p.policies.table == table {
				p.showPolicies(stored, shown.ID, done)
			}
		},
	}.run(p, &e.saving)
}

// showPolicies shows what is stored after an attempt to change a policy. The form of
// that policy is closed, or else goes on with the policy as it is now.
func (p *Page) showPolicies(stored []sas.Policy, id string, done bool) {
	p.policies.loaded = remote.Of(stored)
	p.refreshPolicy(stored)
	e := p.policies.edit
	switch {
	case e == nil || e.before.ID != id:
	case done:
		p.policies.edit = nil
	default:
		e.before = policyOf(stored, id)
	}
}

// refreshPolicy gives the builder the policy as it is now.
func (p *Page) refreshPolicy(all []sas.Policy) {
	t := &p.builder.token
	t.Policy = policyOf(all, t.Policy.ID)
	p.builder.changes++
	p.Session.Wrote()
}
