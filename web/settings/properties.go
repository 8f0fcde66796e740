package settings

import (
	"context"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func (p *Page) loadProperties() {
	p.stored = p.stored.Asked()
	page.Background(p.ctx, func(c context.Context) func() {
		properties, err := p.client().Properties(c)
		return func() { p.take(properties, err) }
	})
}

// take makes the stored properties those of the form.
func (p *Page) take(properties client.Properties, err error) {
	p.stored = p.stored.Answered(properties, err)
	if err == nil {
		p.form = form{next: properties, reset: p.form.reset + 1}
	}
}

// changes returns the elements that differ from what is stored.
func (p *Page) changes() []string {
	stored, held := p.stored.Data()
	if !held {
		return nil
	}
	return p.form.next.Changes(stored)
}

func (p *Page) unsaved() bool { return len(p.changes()) > 0 }

func (p *Page) unsavedText() string {
	if n := len(p.changedFields()); n > 0 {
		return humanize.Count(n, "change", "changes") + " not saved"
	}
	return ""
}

// changedFields says what each changed field was.
func (p *Page) changedFields() (all []string) {
	stored, _ := p.stored.Data()
	next := p.form.next
	was := func(name string, before, now bool) {
		if before != now {
			all = append(all, name+map[bool]string{true: " was on", false: " was off"}[before])
		}
	}
	kept := func(name string, before, now client.Retention) {
		if before != now && !before.Enabled {
			all = append(all, name+" was without limit")
		} else if before != now {
			days, _ := strconv.Atoi(before.Days)
			all = append(all, name+" was "+humanize.Count(days, "day", "days"))
		}
	}
	was("Read", stored.Logging.Read, next.Logging.Read)
	was("Write", stored.Logging.Write, next.Logging.Write)
	was("Delete", stored.Logging.Delete, next.Logging.Delete)
	kept("Keep logs", stored.Logging.Retention, next.Logging.Retention)
	for _, m := range []struct {
		name        string
		before, now client.Metrics
	}{{"hour metrics", stored.Hour, next.Hour}, {"minute metrics", stored.Minute, next.Minute}} {
		was("Record "+m.name, m.before.Enabled, m.now.Enabled)
		was("Per operation of "+m.name, m.before.APIs, m.now.APIs)
		kept("Keep "+m.name, m.before.Retention, m.now.Retention)
	}
	return all
}

func (p *Page) drawProperties() []app.UI {
	head := app.H2().Body(app.Text("Service properties "), app.Small().Body(app.Text("what clients read and write with "), app.Code().Text("?restype=service&comp=properties")))
	_, held := p.stored.Data()
	switch {
	case p.stored.State() == remote.Failed:
		return []app.UI{ui.Div("set-form", head, ui.Retry(p.stored.Err(), p.onReload))}
	case !held:
		return []app.UI{ui.Div("set-form", head, ui.Bones(4))}
	}
	n := &p.form.next
	logging := ui.Div("ticks",
		tick("Read", "log-read", n.Logging.Read, false, p.onTick), tick("Write", "log-write", n.Logging.Write, false, p.onTick), tick("Delete", "log-delete", n.Logging.Delete, false, p.onTick))
	rules := strconv.Itoa(len(n.CORS)) + " of " + strconv.Itoa(client.MaxCORSRules) + " rules"
	note := "Logging and metrics are stored and returned, and nothing is logged here. Requests shows every call."
	if p.Connected() {
		note = "These are the account's own settings at its endpoint."
	}
	return []app.UI{
		app.Div().Class("set-form").DataSet("testid", "properties").Body(head,
			row("Logging", "1.0", n.Logging.Retention.Problem(), "", logging, ui.Span("hint", "keep"), p.days("log", "Logging", n.Logging.Retention), ui.Span("hint", "days")),
			p.drawMetrics("Hour metrics", "hour", n.Hour),
			p.drawMetrics("Minute metrics", "minute", n.Minute),
			row("CORS", "", "", "", app.Span().Text(rules), app.A().Class("parent").Href(p.Route.At("access").Href()).Text("Access"))),
		ui.Div("sas-result", append([]app.UI{ui.P("hint", note)}, p.drawChanges()...)...),
	}
}

func tick(label, name string, on, disabled bool, h app.EventHandler) app.UI {
	return ui.Toggle(label, "", on, h).Disabled(disabled).DataSet("tick", name).DataSet("testid", name)
}

func (p *Page) drawMetrics(label, name string, m client.Metrics) app.UI {
	return row(label, "1.0", m.Retention.Problem(), "",
		app.Span().DataSet("metrics", name).DataSet("testid", "metrics-"+name).Body(ui.Segments(label, strconv.FormatBool(m.Enabled), []ui.Choice{{Value: "false", Label: "off"}, {Value: "true", Label: "on"}}, p.onMetrics)),
		tick("per operation", name+"-apis", m.Enabled && m.APIs, !m.Enabled, p.onTick),
		ui.Span("hint", "keep"), p.days(name, label, m.Retention), ui.Span("hint", "days"))
}

// days draws the field of a retention; empty means forever.
func (p *Page) days(name, label string, r client.Retention) app.UI {
	text := ""
	if r.Enabled {
		text = r.Days
	}
	return &ui.Keyed{Key: "days-" + name + strconv.Itoa(p.form.reset), Draw: func() app.UI {
		return app.Input().Class("input code days").Type("text").Attr("inputmode", "numeric").Aria("label", label+": days to keep").Placeholder("all").AutoComplete(false).
			DataSet("testid", "days-"+name).DataSet("days", name).Value(text).OnInput(p.onDays)
	}}
}

// problem reports whether the service would refuse what is entered.
func (f *form) problem() bool {
	n := f.next
	return n.Logging.Retention.Problem()+n.Hour.Retention.Problem()+n.Minute.Retention.Problem() != ""
}

// drawChanges draws the request that saves, and its buttons.
func (p *Page) drawChanges() []app.UI {
	changes := p.changes()
	if len(changes) == 0 {
		return nil
	}
	stored, _ := p.stored.Data()
	text := []app.UI{app.Text("PUT " + p.endpoint() + "/?restype=service&comp=properties\n")}
	for _, part := range marked(string(client.PropertiesXML(changes)), string(client.PropertiesXML(stored.Changes(p.form.next)))) {
		if part.changed {
			text = append(text, app.Mark().Text(part.text))
		} else {
			text = append(text, app.Text(part.text))
		}
	}
	body := []app.UI{ui.Div("copyable",
		ui.Div("label", app.Span().Text("Will be sent")),
		app.Pre().TabIndex(0).DataSet("testid", "will-be-sent").Body(text...))}
	if p.form.err != nil {
		body = append(body, ui.Failure(p.form.err).DataSet("testid", "properties-error"))
	}
	return append(body, ui.Div("row",
		ui.Button(ui.Primary, "Save service properties", p.onSave).DataSet("testid", "save-properties").Disabled(p.form.busy || p.form.problem()),
		ui.Button(ui.Plain, "Discard", p.onDiscard).DataSet("testid", "discard-properties"),
		ui.Span("hint", strings.Join(p.changedFields(), ", "))))
}

func (p *Page) onReload(app.Context, app.Event) { p.loadProperties() }

func (p *Page) onDiscard(app.Context, app.Event) {
	stored, _ := p.stored.Data()
	p.take(stored, nil)
}

func (p *Page) onTick(_ app.Context, event app.Event) { p.form.tick(ui.Data(event, "tick")) }

func (f *form) tick(name string) {
	n := &f.next
	for known, on := range map[string]*bool{"log-read": &n.Logging.Read, "log-write": &n.Logging.Write, "log-delete": &n.Logging.Delete, "hour-apis": &n.Hour.APIs, "minute-apis": &n.Minute.APIs} {
		if known == name {
			*on = !*on
		}
	}
	f.err = nil
}

func (p *Page) onMetrics(_ app.Context, event app.Event) {
	p.form.metrics(ui.Data(event, "metrics")).Enabled = ui.Data(event, "choice") == "true"
	p.form.err = nil
}

func (f *form) metrics(name string) *client.Metrics {
	if name == "hour" {
		return &f.next.Hour
	}
	return &f.next.Minute
}

func (p *Page) onDays(_ app.Context, event app.Event) {
	p.form.keep(ui.Data(event, "days"), ui.Text(event))
}

// keep sets for how many days something is kept.
func (f *form) keep(name, text string) {
	text = strings.TrimSpace(text)
	retention := client.Retention{Enabled: text != "", Days: text}
	if f.err = nil; name == "log" {
		f.next.Logging.Retention = retention
		return
	}
	f.metrics(name).Retention = retention
}

func (p *Page) onSave(app.Context, app.Event) { p.save() }

// save sends what has changed. What the service refuses stays in the form. The page may be
// gone by then.
func (p *Page) save() {
	changes, next := p.changes(), p.form.next
	if len(changes) == 0 || p.form.busy || p.form.problem() {
		return
	}
	p.form.busy, p.form.err = true, nil
	p.Session.Background(func(c context.Context) func() {
		err := p.client().SetProperties(c, changes)
		return func() {
			p.form.busy, p.form.err = false, err
			switch {
			case err == nil:
				p.stored = remote.Of(next)
				p.Session.Notify("The service properties were saved")
			case !p.Mounted():
				p.Session.Notify("The service properties were not saved: " + err.Error())
			}
		}
	})
}
