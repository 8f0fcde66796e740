package faults

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// drawForm draws the rule that is being written.
func (p *Page) drawForm() app.UI {
	if !p.form.open {
		return app.Aside().Hidden(true)
	}
	f, _ := p.state.Data()
	catalog, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	return app.Aside().Class("panel").Aria("label", "Rule").DataSet("testid", "fault-form").Body(
		&ui.Keyed{Key: strconv.Itoa(p.forms), Draw: func() app.UI {
			return app.Form().OnSubmit(p.onSave).Body(
				p.drawFormHead(len(f.Rules)),
				ui.Div("body fault-form", drawFields(&p.form, p.Route.Account, catalog, fieldHandlers{p.onField, p.onEffect, p.onOften, p.onPer, p.onUntil, p.onSeed})...),
				app.Footer().Body(
					ui.SubmitButton(map[bool]string{true: "Add rule", false: "Save rule"}[p.form.index < 0], false).DataSet("testid", "save-rule"),
					ui.Button(ui.Plain, "Cancel", p.onCancel), app.Span().Class("grow"),
					ui.Button(ui.Danger, "Delete", p.onDelete).Hidden(p.form.index < 0).DataSet("testid", "delete-rule"),
					ui.Button(ui.Quiet, map[bool]string{true: "Copied", false: "Copy as code"}[p.copied], p.onCopy).DataSet("testid", "copy-rules")))
		}})
}

func (p *Page) drawFormHead(rules int) app.UI {
	title, hint := "New rule", "tried last, after rule "+strconv.Itoa(rules)+"; drag it in the list to change that"
	if rules == 0 {
		hint = "the first one; it also switches faults on"
	}
	at := p.form.index
	order := app.UI(app.Span())
	if at >= 0 {
		title, hint = "Rule "+strconv.Itoa(at+1), "of "+strconv.Itoa(rules)+", tried from the top"
		order = app.Span().Class("row").Body(
			ui.IconButton(ui.Tiny, ui.IconUp, "Try it earlier (Alt+Up)", p.onEarlier).Disabled(at == 0),
			ui.IconButton(ui.Tiny, ui.IconDown, "Try it later (Alt+Down)", p.onLater).Disabled(at == rules-1))
	}
	return app.Header().Body(
		ui.Div("row", app.H2().Class("words").Text(title), app.Span().Class("grow"), order,
			ui.CloseButton(p.onCancel)),
		app.Small().Text(hint))
}

// fieldHandlers are those of the form. Texts say their field with data-field.
type fieldHandlers struct{ text, effect, often, per, until, seed app.EventHandler }

// drawFields draws the fields that the effect has.
func drawFields(f *form, account string, tables []client.Table, h fieldHandlers) []app.UI {
	fields := []app.UI{
		field("Operation", "", selectOf("operation", f.operation, control.FaultOperations, h.text).ID("fault-operation")),
		field("Where", "", ui.Span("fault-account", account), selectOf("table", f.table, tableNames(tables, f.table), h.text)),
		field("What happens", "", drawEffects(f.effect, h.effect)),
		app.P().Class("hint").DataSet("testid", "fault-meaning").Text(meaning[f.effect]),
	}
	switch f.effect {
	case control.FaultLatency:
		fields = append(fields,
			field("Distribution", f.problems["median"]+f.problems["p99"], app.Text("median"), text(f, "median", f.median, "Median, in milliseconds", h.text),
				app.Text("ms, 99th"), text(f, "p99", f.p99, "99th percentile, in milliseconds", h.text), app.Text("ms")),
			drawBars(f.median, f.p99))
	case control.FaultThrottle:
		fields = append(fields, field("Lets pass", f.problems["rate"], text(f, "rate", f.rate, "Entities per second", h.text), app.Text("entities a second"),
			ui.Segments("Counted", f.per, []ui.Choice{{Value: "partition", Label: "per partition"}, {Value: "account", Label: "in the account"}}, h.per)))
	}
	if f.effect != control.FaultThrottle {
		value := []app.UI{text(f, "share", f.share, "Share, in percent", h.text), app.Text("%")}
		if f.often == "every" {
			n, _ := strconv.Atoi(f.every)
			value = []app.UI{text(f, "every", f.every, "Every n-th request", h.text), app.Text(ending(n) + " request")}
		}
		fields = append(fields, field("How often", f.problems["share"]+f.problems["every"],
			append([]app.UI{ui.Segments("How often", f.often, []ui.Choice{{Value: "share", Label: "a share"}, {Value: "every", Label: "every n-th"}}, h.often)}, value...)...))
	}
	fields = append(fields, field("Seed", f.problems["seed"], text(f, "seed", f.seed, "Seed", h.text).Class("wide"),
		ui.Button(ui.Plain, "New", h.seed), ui.Span("hint", "the same for all rules; another one counts from the start")))
	return append(fields, drawUntil(f, h))
}

func drawUntil(f *form, h fieldHandlers) app.UI {
	value := app.UI(app.Span())
	switch {
	case f.until == "hits":
		value = app.Span().Class("row").Body(text(f, "hits", f.hits, "Hits", h.text), app.Text("hits"))
	case f.until == "time" && f.was.Until != nil && f.minutes == "10":
		value = ui.Span("hint", f.was.Until.UTC().Format("2006-01-02 15:04:05")+" UTC")
	case f.until == "time":
		value = app.Span().Class("row").Body(text(f, "minutes", f.minutes, "Minutes", h.text), app.Text("minutes from now"))
	}
	return field("Until", f.problems["hits"]+f.problems["minutes"],
		ui.Segments("Until", f.until, []ui.Choice{{Value: "off", Label: "switched off"}, {Value: "hits", Label: "n hits"}, {Value: "time", Label: "a time"}}, h.until), value)
}

func field(label, problem string, controls ...app.UI) app.UI {
	body := []app.UI{ui.Span("set-name", label), ui.Div("set-controls", controls...)}
	if problem != "" {
		body = append(body, ui.Problem(problem))
	}
	return app.Div().Class("fault-field").Role("group").Aria("label", label).Body(body...)
}

func text(f *form, name, value, label string, h app.EventHandler) app.HTMLInput {
	in := app.Input().Class("input code days").Type("text").Value(value).Aria("label", label).DataSet("field", name).DataSet("testid", "fault-"+name).
		AutoComplete(false).Spellcheck(false).OnInput(h).Attr("inputmode", "decimal")
	if f.problems[name] != "" {
		in = in.Aria("invalid", true)
	}
	return in
}

func selectOf(name, chosen string, names []string, h app.EventHandler) app.HTMLSelect {
	var options []app.UI
	for _, n := range names {
		label := n
		if n == "" {
			label = "any table"
		}
		options = append(options, app.Option().Value(n).Selected(n == chosen).Text(label))
	}
	label := map[string]string{"operation": "Operation", "table": "Table"}[name]
	return app.Select().Class("input").Aria("label", label).DataSet("field", name).DataSet("testid", "fault-"+name).OnChange(h).Body(options...)
}

// tableNames are the choices of the menu; a table that is gone stays one.
func tableNames(tables []client.Table, chosen string) []string {
	names, there := []string{""}, chosen == ""
	for _, t := range tables {
		names = append(names, t.Name)
		there = there || t.Name == chosen
	}
	if !there {
		names = append(names, chosen)
	}
	return names
}

func drawEffects(chosen string, h app.EventHandler) app.UI {
	var all []app.UI
	for _, e := range effects {
		all = append(all, ui.Toggle(e.Label, "", e.Value == chosen, h).DataSet("effect", e.Value))
	}
	return ui.Div("fault-effects", all...)
}

// drawBars draws the distribution of delays.
func drawBars(median, p99 string) app.UI {
	m, err := strconv.ParseFloat(median, 64)
	most, failed := strconv.ParseFloat(p99, 64)
	if err != nil || failed != nil || m <= 0 || most < m {
		return app.Div().Hidden(true)
	}
	words := "half under " + number(m) + " ms, 1 of 100 over " + number(most) + " ms"
	if most == m {
		words = "always " + number(m) + " ms"
	}
	var all []app.UI
	for _, height := range bars(m, most, 24) {
		all = append(all, app.I().Style("height", strconv.Itoa(int(height*100))+"%"))
	}
	return app.Div().Class("fault-bars").Role("img").Aria("label", "Distribution of delays: "+words).Body(
		app.Div().Class("columns").Hidden(most == m).Aria("hidden", true).Body(all...),
		app.Small().Aria("hidden", true).Body(app.Span().Text("0"), app.Span().Text(words)))
}

func (p *Page) onSave(_ app.Context, event app.Event) {
	event.PreventDefault()
	p.save()
}

// onField takes in a text or a choice.
func (p *Page) onField(_ app.Context, event app.Event) {
	f := &p.form
	if to := map[string]*string{
		"operation": &f.operation, "table": &f.table, "share": &f.share, "every": &f.every, "median": &f.median, "p99": &f.p99,
		"rate": &f.rate, "hits": &f.hits, "minutes": &f.minutes, "seed": &f.seed,
	}[ui.Data(event, "field")]; to != nil {
		*to = ui.Text(event)
	}
}

func (p *Page) onEffect(_ app.Context, event app.Event) { p.form.choose(ui.Data(event, "effect")) }
func (p *Page) onOften(_ app.Context, event app.Event)  { p.form.often = ui.Data(event, "choice") }
func (p *Page) onPer(_ app.Context, event app.Event)    { p.form.per = ui.Data(event, "choice") }
func (p *Page) onCancel(app.Context, app.Event)         { p.closeForm() }
func (p *Page) onDelete(app.Context, app.Event)         { p.remove(p.form.index) }
func (p *Page) onEarlier(app.Context, app.Event)        { p.move(p.form.index, p.form.index-1) }
func (p *Page) onLater(app.Context, app.Event)          { p.move(p.form.index, p.form.index+1) }

// onUntil changes when the rule ends; a time that was set is entered again.
func (p *Page) onUntil(_ app.Context, event app.Event) {
	p.form.until, p.form.was.Until = ui.Data(event, "choice"), nil
}

func (p *Page) onSeed(app.Context, app.Event) {
	p.form.reseed()
	p.forms++
}

// onCopy copies the call that sets the rules of the list.
func (p *Page) onCopy(app.Context, app.Event) {
	f, _ := p.state.Data()
	page.Copy(p.ctx, p.Session, code(p.Route.Account, f), func() { p.copied = true })
}
