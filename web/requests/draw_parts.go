package requests

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
	"sandtable/web/query"
	"sandtable/web/ui"
)

// drawWhy explains why a request was refused.
func drawWhy(d control.RecordedDetail, c inspect.Call) []app.UI {
	why := inspect.Why(d)
	body := []app.UI{app.Div().Class("note notice").DataSet("testid", "why").Body(
		app.B().Text(why.Title), app.Span().Hidden(why.Text == "").Text(why.Text), app.Span().Hidden(why.Do == "").Text(why.Do))}
	if d.StringToSign != "" {
		body = append(body, drawStrings(d))
	}
	if allows := inspect.Allows(c); allows != "" {
		body = append(body, section("What the token allows", app.P().Text(allows)))
	}
	if parts, err := inspect.Parts(d); err == nil && len(parts) > 0 {
		for i, part := range parts {
			if part.Status >= 400 {
				body = append(body, section("Operation "+strconv.Itoa(i)+" was refused", drawPart(i, part, true)))
			}
		}
	}
	if filter := c.Option("$filter"); filter != "" && d.Status == 400 {
		body = append(body, section("The filter", drawFilterTree(filter)))
	}
	return body
}

// drawStrings draws the string that was signed, where it is known, and the one
// that the endpoint expected, with their first difference marked.
func drawStrings(d control.RecordedDetail) app.UI {
	if d.Signed == "" {
		_, expected := inspect.Compare(d.StringToSign, d.StringToSign)
		return ui.Div("signed", drawString("We expected", expected))
	}
	left, right := inspect.Compare(d.Signed, d.StringToSign)
	return app.Div().Class("signed pair").DataSet("testid", "strings").Body(drawString("They signed", left), drawString("We expected", right))
}

func drawString(title string, lines []inspect.Line) app.UI {
	var body []app.UI
	for _, l := range lines {
		body = append(body, app.Text(l.Before))
		if l.Differs {
			body = append(body, app.Mark().Text(cmp.Or(l.Marked, " ")), app.Text(l.After)) // a space where something is missing
		}
		body = append(body, app.Text("\n"))
	}
	return ui.Div("string", app.H3().Text(title), app.Pre().TabIndex(0).Aria("label", title).Body(body...))
}

func section(title string, content ...app.UI) app.UI {
	return app.Section().Body(append([]app.UI{app.H3().Text(title)}, content...)...)
}

// drawRequest draws what was sent.
func (p *Page) drawRequest(d control.RecordedDetail, c inspect.Call) []app.UI {
	if p.detail.raw {
		text := d.Method + " " + d.URL + "\n"
		for _, f := range c.Header {
			text += f.Name + ": " + f.Value + "\n"
		}
		return []app.UI{drawText("Request as it was sent", text+"\n"+bodyText(d.RequestBody)), truncation(d)}
	}
	facts := []ui.Fact{{Name: "Operation", Value: orNone(c.Operation)}, {Name: "Account", Value: orNone(c.Account)}}
	if c.Path.Table != "" {
		facts = append(facts, ui.Fact{Name: "Table", Value: c.Path.Table})
	}
	if c.Path.Resource == odata.EntityResource {
		facts = append(facts, ui.Fact{Name: "PartitionKey", Value: strconv.Quote(c.Path.Key.PartitionKey)}, ui.Fact{Name: "RowKey", Value: strconv.Quote(c.Path.Key.RowKey)})
	}
	body := []app.UI{ui.Facts(facts)}
	if filter := c.Option("$filter"); filter != "" {
		body = append(body, section("Filter", drawFilterTree(filter)))
	}
	if len(c.Options) > 0 {
		var options client.Header
		for _, o := range c.Options {
			options = append(options, client.Field{Name: o.Name, Value: o.Value})
		}
		body = append(body, section("Options", drawFields(options, inspect.NoteOnOption)))
	}
	body = append(body, section("Headers", drawFields(c.Header, inspect.NoteOn)))
	return append(body, drawSent(d, c)...)
}

// drawSent draws the body of a request; that of a batch is unfolded.
func drawSent(d control.RecordedDetail, c inspect.Call) []app.UI {
	if c.Operation == inspect.Transaction || c.Path.Resource == odata.BatchResource {
		parts, err := inspect.Parts(d)
		if err != nil {
			return []app.UI{section("Operations", ui.Problem(err.Error()))}
		}
		var all []app.UI
		for i, part := range parts {
			all = append(all, drawPart(i, part, len(parts) == 1 || part.Status >= 400))
		}
		return []app.UI{section(humanize.Count(len(parts), "operation", "operations"), app.Div().Class("operations").DataSet("testid", "operations").Body(all...))}
	}
	if d.RequestBody != nil && *d.RequestBody == "" {
		return nil
	}
	return []app.UI{section("Body", drawText("Body", pretty(d.RequestBody))), truncation(d)}
}

// drawPart draws an operation of a batch, unfolded or not.
func drawPart(i int, part inspect.Part, open bool) app.UI {
	outcome := app.Span().Hidden(true)
	if part.Status > 0 {
		outcome = app.Span().Class("outcome", answerClass(part.Status)).Text(strings.TrimSpace(strconv.Itoa(part.Status) + " " + part.Code))
	}
	body := []app.UI{ui.Facts([]ui.Fact{{Name: "Operation", Value: orNone(part.Call.Operation)}}), drawFields(part.Call.Header, inspect.NoteOn)}
	if len(part.Call.Body) > 0 {
		body = append(body, drawText("Body", inspect.Pretty(part.Call.Body)))
	}
	if len(part.Answer) > 0 {
		body = append(body, drawText("Answer", inspect.Pretty(part.Answer)))
	}
	return app.Details().Class("part").Open(open).Body(
		app.Summary().Body(ui.Span("number", strconv.Itoa(i)), ui.Verb(part.Call.Method), ui.Span("label", part.Label()), outcome),
		ui.Div("inside", body...))
}

// drawResponse draws what was answered.
func (p *Page) drawResponse(d control.RecordedDetail) []app.UI {
	header := sortedHeader(d.ResponseHeaders)
	if p.detail.raw {
		text := "HTTP " + statusText(d.Status) + "\n"
		for _, f := range header {
			text += f.Name + ": " + f.Value + "\n"
		}
		return []app.UI{drawText("Response as it was sent", text+"\n"+bodyText(d.ResponseBody)), truncation(d)}
	}
	body := []app.UI{
		ui.Facts([]ui.Fact{{Name: "Status", Value: strings.TrimSpace(statusText(d.Status) + " " + d.Code)}, {Name: "Time", Value: milliseconds(d.Milliseconds) + " ms in the engine"}}),
		section("Headers", drawFields(header, inspect.NoteOn)),
	}
	if d.ResponseBody != nil && *d.ResponseBody == "" {
		return body
	}
	return append(body, section("Body", drawText("Body", pretty(d.ResponseBody))), truncation(d))
}

// drawPlan draws how a query was answered.
func drawPlan(d control.RecordedDetail) []app.UI {
	if d.Statistics == nil {
		return []app.UI{ui.P("hint", "Only queries have a plan. This request took "+milliseconds(d.Milliseconds)+" ms in the engine.")}
	}
	s := d.Statistics
	return []app.UI{
		ui.Explain(ui.Explanation{Kind: s.Kind, Returned: s.Returned, Examined: s.Examined, Blocks: s.Blocks, Elapsed: milliseconds(d.Milliseconds) + " ms",
			Advice: inspect.PlanAdvice(s.Kind)}),
	}
}

// drawFields draws names and values, each with what it means and a link.
func drawFields(fields client.Header, noteOn func(string) inspect.HeaderNote) app.UI {
	var body []app.UI
	for _, f := range fields {
		note := noteOn(f.Name)
		name := app.UI(app.Text(f.Name))
		if note.Link != "" {
			name = app.A().Href(note.Link).Target("_blank").Rel("noreferrer").Text(f.Name)
		}
		body = append(body, app.Dt().Body(name), app.Dd().Body(app.Code().Text(f.Value), app.Small().Hidden(note.Text == "").Text(note.Text)))
	}
	return app.Dl().Class("fields").Body(body...)
}

func drawFilterTree(text string) app.UI {
	root, err := inspect.Tree(text)
	if err != nil {
		return drawWrongFilter(text)
	}
	return app.Ul().Class("filter-tree").DataSet("testid", "filter-tree").Body(drawNode(root))
}

// drawWrongFilter draws a filter that cannot be read, with the word that is wrong.
func drawWrongFilter(text string) app.UI {
	before, wrong, after := text, "", ""
	if p := query.Diagnose(text); p != nil {
		before, wrong, after = text[:p.From], text[p.From:p.To], text[p.To:]
	}
	wrong = cmp.Or(wrong, " ") // something is missing here
	return app.Pre().Class("text").DataSet("testid", "wrong-filter").Body(app.Text(before), app.Mark().Text(wrong), app.Text(after))
}

func drawNode(n inspect.Node) app.UI {
	if n.Group == "" {
		return app.Li().Body(app.B().Text(n.Property), app.Text(" "+n.Operator+" "), app.Code().Text(n.Value), app.Small().Text(n.Type))
	}
	var parts []app.UI
	for _, part := range n.Parts {
		parts = append(parts, drawNode(part))
	}
	return app.Li().Body(ui.Span("group", n.Group), app.Ul().Body(parts...))
}

func drawText(label, text string) app.UI {
	return app.Pre().Class("text").TabIndex(0).Aria("label", label).Text(text)
}

func truncation(d control.RecordedDetail) app.UI {
	return app.P().Class("hint").Hidden(!d.Truncated).Text("A body of this request is longer than what is recorded, or bodies are not recorded.")
}

func bodyText(body *string) string {
	if body == nil {
		return "(not recorded)"
	}
	return *body
}

func pretty(body *string) string {
	if body == nil {
		return "(not recorded)"
	}
	return inspect.Pretty([]byte(*body))
}

func orNone(text string) string { return cmp.Or(text, "none") }

func sortedHeader(fields map[string]string) client.Header {
	return inspect.CallOf(control.RecordedDetail{RequestHeaders: fields}).Header
}
