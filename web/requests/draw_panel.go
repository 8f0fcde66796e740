package requests

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/snippet"
	"sandtable/web/ui"
)

func (p *Page) drawPanel() app.UI {
	if p.chosen() == 0 {
		return app.Aside().Hidden(true)
	}
	d, read := p.detail.data.Data()
	if !read {
		d.Recorded, _ = p.list.find(p.detail.id)
	}
	body := []app.UI{p.drawTitle(d, read)}
	switch {
	case p.detail.gone():
		body = append(body, ui.Div("body", ui.Notice("No longer kept.",
			"The endpoint keeps the last 200 requests, in memory. What is above is all that is left of this one.")))
	case p.detail.data.State() == remote.Failed:
		body = append(body, ui.Div("body", ui.Retry(p.detail.data.Err(), p.onReadAgain)))
	case !read:
		body = append(body, ui.Bones(6))
	default:
		body = append(body, p.drawTabs(d), p.drawFooter(d))
	}
	class := "panel request-panel"
	if !p.detail.whole {
		class += " low"
	}
	return app.Aside().Class(class).Aria("label", "Request").DataSet("testid", "request-panel").DataSet("request", d.ID).Body(body...)
}

func (p *Page) onReadAgain(app.Context, app.Event) { p.openDetail() }

func (p *Page) drawTitle(d control.RecordedDetail, read bool) app.UI {
	facts := []string{d.Time.UTC().Format("15:04:05.000") + " UTC", milliseconds(d.Milliseconds) + " ms"}
	if sender := inspect.Sender(control.HeaderOf(d.RequestHeaders)); sender != "" {
		facts = append(facts, sender)
	}
	if d.RequestID != "" {
		facts = append(facts, "request "+d.RequestID)
	}
	replay := ui.Button(ui.Plain, "Replay", p.onReplay).DataSet("testid", "replay")
	if why := replayProblem(d); !read || why != "" || p.detail.replaying {
		replay = replay.Disabled(true).Title(why)
	}
	return app.Header().Body(
		ui.Div("row",
			ui.Verb(d.Method), app.H2().Title(inspect.Resource(d.Recorded)).Text(inspect.Resource(d.Recorded)), app.Span().Class("grow"),
			p.drawMenu(read), replay, ui.CloseButton(p.onClose)),
		app.Span().Class("outcome", answerClass(d.Status)).DataSet("testid", "outcome").Text(
			strings.TrimSpace(statusText(d.Status)+" "+d.Code)),

		drawFault(d.Recorded),
		app.Small().Text(strings.Join(facts, " · ")))
}

func (p *Page) drawMenu(read bool) app.UI {
	var items []app.UI
	for _, l := range snippet.Languages {
		items = append(items, app.Button().Type("button").Class("btn quiet").DataSet("language", l.Name).DataSet("testid", "copy-"+l.Name).
			OnClick(p.onCopy).Text(
			l.Label))
	}
	return ui.Div("copy-menu",
		ui.Button(ui.Plain, "Copy as", p.onMenu).Disabled(!read).Aria("expanded", p.detail.menu).DataSet("testid", "copy-as"),
		app.Div().Class("choices").Hidden(!p.detail.menu).Body(items...))
}

func (p *Page) drawTabs(d control.RecordedDetail) app.UI {
	choices := []ui.Choice{{Value: requestTab, Label: "Request"}, {Value: responseTab, Label: "Response"}}
	if d.Failed() {
		choices = append([]ui.Choice{{Value: whyTab, Label: "Why"}}, choices...)
	}
	choices = append(choices, ui.Choice{Value: planTab, Label: "Plan"})
	c := inspect.CallOf(d)
	var content []app.UI
	switch p.detail.tab {
	case whyTab:
		content = drawWhy(d, c)
	case responseTab:
		content = p.drawResponse(d)
	case planTab:
		content = drawPlan(d)
	default:
		content = p.drawRequest(d, c)
	}
	head := ui.Div("row", ui.Segments("Part of the request", p.detail.tab, choices, p.onTab), app.Span().Class("grow"),
		app.Label().Class("check").Hidden(p.detail.tab != requestTab && p.detail.tab != responseTab).Body(
			app.Input().Type("checkbox").Checked(p.detail.raw).OnChange(p.onRaw).DataSet("testid", "raw"), app.Text("Raw")))
	return app.Div().Class("body loose").TabIndex(0).Body(head, p.drawReplayed(),
		&ui.Keyed{Key: strconv.FormatUint(d.ID, 10) + p.detail.tab + strconv.FormatBool(p.detail.raw), Draw: func() app.UI {
			return app.Div().Class("request-part").DataSet("testid", "part-"+p.detail.tab).Body(content...)
		}})
}

// drawReplayed says what came of sending the request again.
func (p *Page) drawReplayed() app.UI {
	switch again, listed := p.repetition(); {
	case p.detail.problem != nil:
		return ui.Failure(p.detail.problem)
	case listed:
		return app.Div().Class("note").Role("status").DataSet("testid", "replayed").Body(
			app.Span().Body(app.Text("Sent again: "+statusText(again.Status)+" "+again.Code+" "),
				app.A().Href(p.Route.With(idArg, strconv.FormatUint(again.ID, 10)).Href()).Text("Show it")))
	case p.detail.replayed != "":
		return app.Div().Class("note").Role("status").Text("Sent again.")
	}
	return app.Div().Hidden(true)
}

// drawFooter draws what can be done about a refusal; on a narrow screen, where only the
// reason is shown at first, also what shows the rest.
func (p *Page) drawFooter(d control.RecordedDetail) app.UI {
	var why inspect.Refused
	failed := d.Failed() && p.detail.tab == whyTab
	if failed {
		why = inspect.Why(d)
	}
	class := ""
	if !failed {
		class = "sheet-only"
	}
	return app.Footer().Class(class).Body(
		app.A().Class("btn primary").Hidden(!why.Token || d.Account == "").
			Href(page.Route{Account: d.Account, Page: "connect"}.Href()).Text(
			"Make a correct token"),

		app.Span().Class("grow"),
		app.A().Class("reference").Hidden(why.Link == "").Href(why.Link).Target("_blank").Rel("noreferrer").Text("Reference ↗"),
		ui.Button(ui.Plain, "Details", p.onWhole).Class("details").DataSet("testid", "details"))
}

func (p *Page) onWhole(app.Context, app.Event) { p.detail.whole = true }

// drawFault says that a request was to fail, and leads to the rule.
func drawFault(r control.Recorded) app.UI {
	if r.Fault == nil {
		return app.Span().Hidden(true)
	}
	there := page.Route{Account: r.Account, Page: "faults"}
	words := "On purpose: " + inspect.FaultOf(r)
	if r.Fault.Delay > 0 {
		words += ", after " + milliseconds(r.Fault.Delay) + " ms"
	}
	return app.Span().Class("fault").DataSet("testid", "fault").Body(app.Text(words+". "), app.A().Href(there.Href()).Text("Faults of "+r.Account))
}
