package playground

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func (p *Page) consoleLabel() string {
	if p.http {
		return "Response"
	}
	return "Console"
}

// The two ways to show a body.
const (
	prettyBody = "pretty"
	rawBody    = "raw"
)

// drawAnswers draws what the requests of the last run got.
func (p *Page) drawAnswers() app.UI {
	var body []app.UI
	if p.signed != nil {
		body = append(body, p.signed.draw())
	}
	answers := answersIn(p.console.lines)
	if len(answers) > 0 {
		chosen := prettyBody
		if p.raw {
			chosen = rawBody
		}
		body = append(body, ui.Div("row answer-form",
			app.Span().Class("grow"),
			ui.Segments("How answers are shown", chosen, []ui.Choice{{Value: prettyBody, Label: "Pretty"}, {Value: rawBody, Label: "Raw"}}, p.onRaw)))
	}
	for _, a := range answers {
		body = append(body, p.drawAnswer(a))
	}
	end := p.console.end
	switch {
	case p.failed != nil:
		body = append(body, ui.Failure(p.failed))
	case end != nil && (end.Failure != nil || end.Message != ""):
		body = append(body, p.drawEnd(*end))
	case len(body) == 0 && !p.console.running && !p.starting:
		body = append(body, ui.Empty(ui.IconCode, "Send a request", "Its answer appears here, with what it read and why it was refused. Put the caret into a request and press Ctrl+Enter. "+sandboxed))
	}
	return app.Div().Class("playground-console").Role("log").Body(body...)
}

func (p *Page) onRaw(_ app.Context, event app.Event) { p.raw = ui.Data(event, "choice") == rawBody }

func (p *Page) drawAnswer(a answer) app.UI {
	state, resource := "fine", a.Method+" "+a.resource()
	if a.failed() {
		state = "refused"
	}
	body := []app.UI{ui.Div("row",
		app.B().Class("outcome", state).Text(a.title()),
		app.Span().Class("grow", "resource").Text(resource),
		ui.Span("ms", humanize.Bytes(a.Bytes)),
		p.drawPlace(a.line))}
	if r, ok := p.recorded(a); ok {
		body = append(body, drawOutcome(r))
	}
	if p.raw {
		body = append(body, app.Pre().DataSet("testid", "raw").Text(a.raw()))
	} else {
		body = append(body, drawHeaders(a.Headers), app.Pre().Hidden(a.body == "").Text(a.pretty()))
	}
	if a.Cut {
		body = append(body, ui.P("hint", "The body is longer; the rest is not shown."))
	}
	return app.Section().Class("answer").Aria("label", resource).Body(body...)
}

// recorded returns the record of the request that got an answer.
func (p *Page) recorded(a answer) (control.Recorded, bool) {
	list, _ := p.requests.Data()
	id := a.header("x-ms-request-id")
	for _, r := range list {
		if id != "" && r.RequestID == id {
			return r, true
		}
	}
	return control.Recorded{}, false
}

// drawOutcome draws what a request read, or why it was refused.
func drawOutcome(r control.Recorded) app.UI {
	if !r.Failed() {
		return app.Div().Body(drawPlan(r)...)
	}
	why := inspect.Why(control.RecordedDetail{Recorded: r})
	there := page.Route{Page: "requests"}.With("id", strconv.FormatUint(r.ID, 10))
	return app.Div().Class("note error").DataSet("testid", "why").Body(
		app.B().Text(why.Title),
		app.Span().Hidden(why.Do == "").Text(why.Do),
		app.A().Href(there.Href()).Text("All about this request"))
}

func drawHeaders(all [][2]string) app.UI {
	var fields []app.UI
	for _, h := range all {
		fields = append(fields, app.Dt().Text(h[0]), app.Dd().Body(app.Code().Text(h[1])))
	}
	return app.Details().Body(
		app.Summary().Text("Headers "+humanize.Number(len(all))),
		app.Dl().Class("fields").Body(fields...))
}

// draw draws what was signed, line by line.
func (s *signed) draw() app.UI {
	var fields []app.UI
	for i, line := range strings.SplitN(s.text, "\n", len(signedParts)) {
		value := app.UI(app.Code().Text(line))
		if line == "" {
			value = app.Small().Text("an empty line")
		}
		fields = append(fields, app.Dt().Text(signedParts[i]), app.Dd().Body(value))
	}
	return app.Section().Class("answer").Aria("label", "String to sign").DataSet("testid", "string-to-sign").Body(
		app.B().Text("The string that was signed"),
		ui.Span("resource", s.method),
		app.Dl().Class("fields").Body(fields...),
		ui.P("hint", "Its HMAC-SHA256 with the key of "+s.account+", in Base64, is the signature in Authorization. It holds for 15 minutes, and as long as these lines stay as they are and the data is not reset."))
}
