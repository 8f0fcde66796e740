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
				ui.Div("body fault-form", p.drawFields(catalog)...),
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

// drawFields draws the fields that the effect has.
func (p *Page) drawFields(tables []client.Table) []app.UI {
	f := &p.form
	fields := []app.UI{
		field("Operation", "", p.selectOf("operation", f.operation, control.FaultOperations).ID("fault-operation")),
		field("Where", "", ui.Span("fault-account", p.Route.Account), p.selectOf("table", f.table, tableNames(tables, f.table))),
		field("What happens", "", p.drawEffects()),
		app.P().Class("hint").DataSet("testid", "fault-meaning").Text(meaning[f.effect]),
	}
	switch f.effect {
	case control.FaultLatency:
		fields = append(fields,
			field("Distribution", f.problems["median"]+f.problems["p99"], app.Text("median"), p.text("median", f.median, "Median, in milliseconds"),
				app.Text("ms, 99th"), p.text("p99", f.p99, "99th percentile, in milliseconds"), app.Text("ms")),
			drawBars(f.median, f.p99))
	case control.FaultThrottle:
		fields = append(fields, field("Lets pass", f.problems["rate"], p.text("rate", f.rate, "Entities per second"), app.Text("entities a second"),
			ui.Segments("Counted", f.per, []ui.Choice{{Value: "partition", Label: "per partition"}, {Value: "account", Label: "in the account"}}, p.onPer)))
	}
	if f.effect != control.FaultThrottle {
		value := []app.UI{p.text("share", f.share, "Share, in percent"), app.Text("%")}
		if f.often == "every" {
			n, _ := strconv.Atoi(f.every)
			value = []app.UI{p.text("every", f.every, "Every n-th request"), app.Text(ending(n) + " request")}
		}
		fields = append(fields, field("How often", f.problems["share"]+f.problems["every"],
			append([]app.UI{ui.Segments("How often", f.often, []ui.Choice{{Value: "share", Label: "a share"}, {Value: "every", Label: "every n-th"}}, p.onOften)}, value...)...))
	}
	fields = append(fields, field("Seed", f.problems["seed"], p.text("seed", f.seed, "Seed").Class("wide"),
		ui.Button(ui.Plain, "New", p.onSeed), ui.Span("hint", "the same for all rules; another one counts from the start")))
	return append(fields, p.drawUntil())
}

func (p *Page) drawUntil() app.UI {
	f := &p.form
	value := app.UI(app.Span())
	switch {
	case f.until == "hits":
		value = app.Span().Class("row").Body(p.text("hits", f.hits, "Hits"), app.Text("hits"))
	case f.until == "time" && f.ends != nil && f.minutes == "10":
		value = ui.Span("hint", f.ends.UTC().Format("2006-01-02 15:04:05")+" UTC")
	case f.until == "time":
		value = app.Span().Class("row").Body(p.text("minutes", f.minutes, "Minutes"), app.Text("minutes from now"))
	}
	return field("Until", f.problems["hits"]+f.problems["minutes"],
		ui.Segments("Until", f.until, []ui.Choice{{Value: "off", Label: "switched off"}, {Value: "hits", Label: "n hits"}, {Value: "time", Label: "a time"}}, p.onUntil), value)
}

func field(label, problem string, controls ...app.UI) app.UI {
	body := []app.UI{ui.Span("set-name", label), ui.Div("set-controls", controls...)}
	if problem != "" {
		body = append(body, ui.Problem(problem))
	}
	return app.Div().Class("fault-field").Role("group").Aria("label", label).Body(body...)
}

// text draws the field of a text, which its handler finds with [ui.Data](e, "field").
func (p *Page) text(name, value, label string) app.HTMLInput {
	in := app.Input().Class("input code days").Type("text").Value(value).Aria("label", label).DataSet("field", name).DataSet("testid", "fault-"+name).
		AutoComplete(false).Spellcheck(false).OnInput(p.onField).Attr("inputmode", "decimal")
	if p.form.problems[name] != "" {
		in = in.Aria("invalid", true)
	}
	return in
}

func (p *Page) selectOf(name, chosen string, names []string) app.HTMLSelect {
	var options []app.UI
	for _, n := range names {
		label := n
		if n == "" {
			label = "any table"
		}
		options = append(options, app.Option().Value(n).Selected(n == chosen).Text(label))
	}
	label := map[string]string{"operation": "Operation", "table": "Table"}[name]
	return app.Select().Class("input").Aria("label", label).DataSet("field", name).DataSet("testid", "fault-"+name).OnChange(p.onField).Body(options...)
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

func (p *Page) drawEffects() app.UI {
	var all []app.UI
	for _, e := range effects {
		all = append(all, ui.Toggle(e.Label, "", e.Value == p.form.effect, p.onEffect).DataSet("effect", e.Value))
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
	p.form.until, p.form.ends = ui.Data(event, "choice"), nil
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
