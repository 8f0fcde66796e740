package faults

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the page.
func (p *Page) Render() app.UI {
	if p.Connected() {
		return ui.Div("page", p.Session.Head(), ui.Empty(ui.IconPlug, "Only for accounts of this browser",
			"This account is at another endpoint. There the control API sets faults, if it is a Sandtable."))
	}
	f, held := p.state.Data()
	head := []app.UI{app.Span()}
	if held {
		head = []app.UI{p.drawPresetMenu(), ui.AddButton(ui.Plain, "Rule", p.onNew).Class("fault-new").DataSet("testid", "new-rule")}
	}
	main := []app.UI{}
	switch {
	case p.state.State() == remote.Failed:
		main = append(main, ui.Retry(p.state.Err(), p.onReload))
	case !held:
		main = append(main, ui.Bones(5))
	case len(f.Rules) == 0:
		main = append(main, p.drawEmpty())
	default:
		main = append(main, p.drawTable(f), p.drawHits(),
			ui.P("fault-note", "Rules are tried from the top, and moved by dragging or with Alt and the arrow keys. The first that fails a request decides, "+
				"latencies add up. With the same seed and the same requests, the same ones fail: a failing test can be repeated."),
		)
	}
	return ui.Div("page",
		p.Session.Head(head...), p.drawBar(f),
		ui.Div("split", app.Section().Class("results faults").Aria("label", "Rules").Body(main...), p.drawForm()),
		p.drawStatus(f))
}

func (p *Page) drawPresetMenu() app.UI {
	var items []app.UI
	for _, c := range presets {
		items = append(items, app.Button().Type("button").Class("btn quiet").DataSet("preset", c.name).OnClick(p.onPreset).Text(c.title))
	}
	return ui.Div("copy-menu",
		ui.Button(ui.Plain, "Presets", p.onMenu).Aria("expanded", p.menu).DataSet("testid", "presets"),
		app.Div().Class("choices").Hidden(!p.menu).Body(items...))
}

// drawBar draws the switch, and what the faults did so far.
func (p *Page) drawBar(f control.Faults) app.UI {
	if len(f.Rules) == 0 {
		return app.Div().Hidden(true)
	}
	account := p.Route.Account
	class, title, text := "fault-bar", "Faults are off in "+account, "Nothing fails on purpose."
	if f.On {
		class, title, text = "fault-bar on", "Faults are on in "+account, "Requests to this account are failing on purpose. "+
			humanize.Number(f.Failed)+" of "+humanize.Number(f.Requests)+" have failed so far."
	}
	return app.Div().Class(class).DataSet("testid", "fault-bar").Body(
		ui.Icon(ui.IconWarning), app.P().Body(app.B().Text(title), app.Text(" "), app.Span().DataSet("testid", "fault-count").Text(text)),
		ui.Button(ui.Plain, "Reset counters", p.onReset).DataSet("testid", "reset-counters"),
		app.Button().Type("button").Class("switch").Role("switch").Aria("checked", f.On).Aria("label", "Faults").DataSet("testid", "fault-switch").OnClick(p.onSwitch).
			Body(app.Span().Aria("hidden", true).Text(map[bool]string{true: "on", false: "off"}[f.On]), app.I()))
}

func (p *Page) drawEmpty() app.UI {
	var cards []app.UI
	for _, c := range presets {
		cards = append(cards, app.Button().Type("button").Class("fault-preset").DataSet("preset", c.name).DataSet("testid", "preset-"+c.name).OnClick(p.onPreset).
			Body(app.B().Text(c.title), app.Span().Text(c.text)))
	}
	return ui.Div("empty", ui.Icon(ui.IconWarning), app.H2().Text("Nothing fails on purpose"),
		app.P().Text("Rules make requests to "+p.Route.Account+" fail or take longer, to see what your code does then. Begin with one of these, or write a rule."),
		ui.Div("fault-presets", cards...))
}

// drawTable draws the rules in their order.
func (p *Page) drawTable(f control.Faults) app.UI {
	heading := func(text, class string) app.UI { return app.Th().Scope("col").Class(class).Text(text) }
	var rows []app.UI
	for i, r := range f.Rules {
		code, words := status(r)
		row := app.Tr().DataSet("rule", strconv.Itoa(i)).Draggable(true).OnDragStart(p.onDragStart).OnDragOver(p.onDragOver).OnDrop(p.onDrop).OnDragEnd(p.onDragEnd)
		if p.form.open && i == p.form.index {
			row = row.Class("chosen")
		}
		if !r.On {
			row = row.Class("off")
		}
		rows = append(rows, row.Body(
			app.Td().Class("on").Body(app.Label().Class("check").Body(app.Input().Type("checkbox").ID(ruleID(i)).Checked(r.On).OnChange(p.onToggle).
				Aria("label", "Rule "+strconv.Itoa(i+1)+": "+describe(r)).Aria("keyshortcuts", "Alt+ArrowUp Alt+ArrowDown Delete"))),
			app.Td().Class("operation").Body(app.Button().Type("button").Class("link").OnClick(p.onEdit).Aria("label", "Edit rule "+strconv.Itoa(i+1)+": "+r.Operation).Title(r.Operation).Text(
				r.Operation)),
			app.Td().Class("where").Title(where(r)).Text(where(r)),
			app.Td().Class("effect").Title(strings.TrimSpace(code+" "+words)).Body(app.B().Hidden(code == "").Text(code), app.Text(" "+words)),
			app.Td().Class("often").Title(often(r)).Text(often(r)),
			app.Td().Class("seen").Text(humanize.Number(r.Seen)),
			app.Td().Class("hit").Text(humanize.Number(r.Hit))))
	}
	return app.Table().Class("fault-table").DataSet("testid", "fault-rules").Body(
		app.THead().Body(app.Tr().Body(heading("On", "on"), heading("Operation", "operation"), heading("Where", "where"), heading("What happens", "effect"),
			heading("How often", "often"), heading("Seen", "seen"), heading("Hit", "hit"))),
		app.TBody().Body(rows...))
}

func (p *Page) drawHits() app.UI {
	there := page.Route{Page: "requests"}.With("only", p.Route.Account).With("show", "faults")
	var items []app.UI
	for _, r := range p.hits {
		items = append(items, app.Li().Body(
			app.Time().Text(r.Time.UTC().Format("15:04:05.000")), ui.Verb(r.Method),
			app.A().Href(page.RequestRoute(r.ID).Href()).Title(inspect.Resource(r)).Text(inspect.Resource(r)),
			app.Span().Class("fault", map[bool]string{true: "lost", false: "refused"}[r.Fault.Effect == control.FaultLost]).Text(inspect.FaultOf(r))))
	}
	return app.Section().Class("fault-hits").Hidden(len(p.hits) == 0).Aria("label", "Last hits").Body(
		app.Header().Body(app.H2().Text("Last hits"), ui.Span("hint", "also marked in Requests"), app.Span().Class("grow"),
			app.A().Class("btn quiet small").Href(there.Href()).DataSet("testid", "show-hits").Body(app.Text("Show in Requests"), ui.Icon(ui.IconNext))),
		app.Ol().DataSet("testid", "fault-hits").Body(items...))
}

func (p *Page) drawStatus(f control.Faults) app.UI {
	on := 0
	for _, r := range f.Rules {
		if r.On {
			on++
		}
	}
	facts := []string{}
	if len(f.Rules) > 0 {
		facts = append(facts, humanize.Count(len(f.Rules), "rule", "rules")+", "+humanize.Number(on)+" on", "seed "+strconv.FormatUint(f.Seed, 10))
	}
	return app.Footer().Class("status").Body(
		app.Span().DataSet("testid", "fault-status").Text(strings.Join(facts, " · ")), app.Span().Class("grow"),
		ui.Span("optional", "Kept until the engine stops, which browsers do when it is idle · other accounts are not affected"))
}

func (p *Page) onReload(app.Context, app.Event) {
	p.state = p.state.Asked()
	p.load()
}
func (p *Page) onMenu(app.Context, app.Event)           { p.menu = !p.menu }
func (p *Page) onNew(app.Context, app.Event)            { p.edit(-1) }
func (p *Page) onPreset(_ app.Context, event app.Event) { p.add(ui.Data(event, "preset")) }
func (p *Page) onReset(app.Context, app.Event)          { p.resetCounters() }
func (p *Page) onToggle(_ app.Context, event app.Event) { p.toggle(ruleOf(event)) }
func (p *Page) onEdit(_ app.Context, event app.Event)   { p.edit(ruleOf(event)) }
func (p *Page) onSwitch(app.Context, app.Event) {
	f, _ := p.state.Data()
	p.switchAll(!f.On)
}

func (p *Page) onDragStart(_ app.Context, event app.Event) {
	p.dragged = ruleOf(event) + 1
	if data := event.Get("dataTransfer"); data.Truthy() { // Firefox drags nothing without it
		data.Call("setData", "text/plain", strconv.Itoa(p.dragged))
		data.Set("effectAllowed", "move")
	}
}

// onDragOver lets a rule be dropped. Files are the shell's business.
func (p *Page) onDragOver(_ app.Context, event app.Event) {
	if p.dragged > 0 {
		event.PreventDefault()
	}
}

func (p *Page) onDrop(_ app.Context, event app.Event) {
	if p.dragged > 0 {
		event.PreventDefault()
		p.move(p.dragged-1, ruleOf(event))
		p.dragged = 0
	}
}

func (p *Page) onDragEnd(app.Context, app.Event) { p.dragged = 0 }

// ruleOf returns the rule where an event came from, -1 for none.
func ruleOf(event app.Event) int {
	i, err := strconv.Atoi(ui.Data(event, "rule"))
	if err != nil {
		return -1
	}
	return i
}
