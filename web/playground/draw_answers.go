package playground

import (
	"cmp"
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

// The ways to show a body.
const (
	prettyBody = "pretty"
	rawBody    = "raw"
	tableBody  = "table"
)

// drawAnswers draws what the requests of the last run got.
func (p *Page) drawAnswers() app.UI {
	var body []app.UI
	if p.signed != nil {
		body = append(body, p.signed.draw())
	}
	answers := answersIn(p.console.lines)
	if len(answers) > 0 {
		body = append(body, ui.Div("row answer-form",
			app.Span().Class("grow"),
			ui.Segments("How answers are shown", cmp.Or(p.body, prettyBody), []ui.Choice{{Value: prettyBody, Label: "Pretty"}, {Value: rawBody, Label: "Raw"}, {Value: tableBody, Label: "Table"}}, p.onBody)))
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
	case p.untouched():
		body = append(body, ui.Empty(ui.IconCode, "Send a request", "Its answer appears here, with what it read and why it was refused. Put the caret into a request and press Ctrl+Enter. "+sandboxed))
	}
	return app.Div().Class("playground-console").Role("log").Body(body...)
}

func (p *Page) onBody(_ app.Context, event app.Event) { p.body = ui.Data(event, "choice") }

func (p *Page) drawAnswer(a answer) app.UI {
	state, resource := "fine", a.Method+" "+a.resource()
	if a.failed() {
		state = "refused"
	}
	r, known := p.recorded(a)
	took := ""
	if known {
		took = strconv.FormatFloat(r.Milliseconds, 'f', 1, 64) + " ms · "
	}
	body := []app.UI{ui.Div("row",
		app.B().Class("outcome", state).Text(a.title()),
		app.Span().Class("grow", "resource").Text(resource),
		ui.Span("ms", took+humanize.Bytes(a.Bytes)).Title("milliseconds in the engine, bytes of the body"),
		p.drawPlace(a.line))}
	if known {
		body = append(body, drawOutcome(r))
	}
	body = append(body, p.drawBody(a)...)
	if a.Cut {
		body = append(body, ui.P("hint", "The body is longer; the rest is not shown."))
	}
	return app.Section().Class("answer").Aria("label", resource).Body(body...)
}

// drawBody draws the headers and the body in the way that was chosen. A body without a
// list has no table.
func (p *Page) drawBody(a answer) []app.UI {
	if p.body == rawBody {
		return []app.UI{app.Pre().DataSet("testid", "raw").Text(a.raw())}
	}
	shown := app.UI(app.Pre().Hidden(a.body == "").Body(colouredJSON(a.pretty())...))
	if list, columns, ok := a.rows(); ok && p.body == tableBody {
		shown = drawRows(list, columns)
	}
	return []app.UI{drawHeaders(a.Headers), shown}
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
	return app.Div().Class("note error").DataSet("testid", "why").Body(
		app.B().Text(why.Title),
		app.Span().Hidden(why.Do == "").Text(why.Do),
		app.A().Href(page.RequestRoute(r.ID).Href()).Text("All about this request"))
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
