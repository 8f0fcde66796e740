package playground

import (
	"errors"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/editor"
	"sandtable/web/httpfile"
	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

const editorID = "playground-code"

// sandboxed says what a program can do, which may be a stranger's from a link.
const sandboxed = "Code runs in a sandbox on a throw-away account. It cannot reach your tables, this page or the network."

// Render draws the page.
func (p *Page) Render() app.UI {
	if p.course.on && !p.course.ready() {
		return p.drawNoLesson()
	}
	return ui.Div("page playground",
		p.drawHead(), p.drawPanes(),
		app.Div().Class(p.splitClass()...).Body(p.drawLesson(), p.drawEditor(), p.drawOutput()),
		app.Footer().Class("status").Body(
			app.Span().Role("status").DataSet("testid", "run-summary").Text(p.summary()),
			app.Span().Class("grow"),
			ui.Span("optional", sandboxed).Hidden(p.tab == consoleTab && p.untouched())))
}

func (p *Page) summary() string {
	if p.starting {
		return "Starting"
	}
	text := p.console.summary()
	if list, _ := p.requests.Data(); p.requests.State() == remote.Loaded && !p.console.running { // until it is loaded, it is of the run before
		text += " · " + humanize.Count(p.requestCount(list), "request", "requests")
		if n := tableScans(list); n > 0 {
			text += " · " + humanize.Count(n, "table scan", "table scans")
		}
	}
	return text + p.course.summary()
}

func tableScans(list []control.Recorded) int {
	n := 0
	for _, r := range list {
		if r.Statistics != nil && r.Statistics.Kind == client.PlanTableScan {
			n++
		}
	}
	return n
}

// untouched reports whether the console invites to run the program, and names the sandbox.
func (p *Page) untouched() bool {
	return len(p.console.lines) == 0 && p.console.end == nil && p.failed == nil && p.signed == nil && !p.console.running && !p.starting
}

func (p *Page) drawHead() app.UI {
	options := []app.UI{app.Option().Value("").Selected(true).Disabled(true).Text("Examples")}
	for _, s := range samples {
		options = append(options, app.Option().Value(s.Name).Text(s.Title))
	}
	busy := p.starting || p.console.running
	if p.course.on {
		return p.drawLessonHead(busy)
	}
	return ui.Div("head",
		&ui.Keyed{Key: strconv.Itoa(p.editors), Draw: func() app.UI {
			return app.Select().Class("input").Aria("label", "Example").OnChange(p.onSample).DataSet("testid", "sample").Body(options...)
		}},
		p.drawLanguage(),
		app.Span().Class("grow"),
		ui.Button(ui.Quiet, "Reset data", p.onReset).Disabled(busy || p.account == "").Title("Deletes what the programs have stored. The code stays.").DataSet("testid", "reset-data"),
		ui.TerseButton(ui.Quiet, ui.IconShare, "Share", p.onShare).DataSet("testid", "share"),
		ui.Button(ui.Quiet, "Save file", p.onSaveFile).Class("wide").Title("Saves the program as a file").DataSet("testid", "save-file"),
		ui.Button(ui.Quiet, "Node project", p.onSaveProject).Class("wide").Hidden(p.http).Title("Saves a Node.js project that runs this program, as a ZIP file").DataSet("testid", "save-project"),
		p.drawOpenTab(),
		ui.Button(ui.Plain, "Authorize", p.onAuthorize).Hidden(!p.http).Disabled(busy).Title("Sign the request at the caret with the account's key (Shared Key)").DataSet("testid", "authorize"),
		ui.Div("playground-run", append([]app.UI{p.drawStop()}, p.drawRun(busy)...)...),
	)
}

func (p *Page) drawStop() app.UI {
	return ui.Button(ui.Plain, "Stop", p.onStop).Disabled(p.stop == nil).DataSet("testid", "stop")
}

func (p *Page) drawOpenTab() app.UI {
	return ui.IconButton(ui.Square, ui.IconTab, "Open this code in a new tab", p.onOpenTab).Class("wide").DataSet("testid", "open-tab")
}

func (p *Page) drawEditor() app.UI {
	problem := app.UI(app.Div().Hidden(true))
	if p.problem != nil {
		problem = ui.Error("", ui.Sentence(p.problem.Error())).DataSet("testid", "code-problem")
	}
	code := editor.Editor{
		ID: editorID, Key: strconv.Itoa(p.editors), Text: p.initial, ErrorLine: p.errorLine(),
		Language: editor.JavaScript, Label: "JavaScript program", Described: "editor-keys",
	}
	keys := "Ctrl+Enter runs."
	if p.http {
		code.Language, code.Label, keys = editor.HTTP, "HTTP requests", "Ctrl+Enter sends the request at the caret."
	}
	return app.Section().Class("playground-editor").Aria("label", "Program").Body(problem,
		code.Draw(p.onInput),
		app.Small().ID("editor-keys").Class("hint").Text("Tab indents; press Esc first to leave with Tab. "+keys))
}

func (p *Page) onInput(_ app.Context, event app.Event) { p.edited(ui.Text(event)) }

// errorLine is the line of the code in the editor that cannot be read, or where its
// last run failed; 0 for none.
func (p *Page) errorLine() int {
	var unread *httpfile.Error
	if errors.As(p.problem, &unread) {
		return unread.Line
	}
	if end := p.console.end; end != nil && end.Failure != nil && p.console.editor == p.editors {
		return end.Failure.Line
	}
	return 0
}

func (p *Page) drawOutput() app.UI {
	choices := []ui.Choice{{Value: consoleTab, Label: p.consoleLabel()}, {Value: requestsTab, Label: "Requests"}, {Value: changesTab, Label: "Changes"}, {Value: tablesTab, Label: "Tables"}}
	if list, ok := p.requests.Data(); ok {
		choices[1].Label += " " + humanize.Number(p.requestCount(list))
	}
	if d, ok := p.changes.Data(); ok {
		choices[2].After = drawCounts(d.Differing)
	}
	if list, ok := p.tables.Data(); ok {
		choices[3].Label += " " + humanize.Number(len(list))
	}
	if p.course.on { // each run starts with the lesson's data, and the column is narrow: what was read instead of what changed
		choices = append([]ui.Choice{{Value: readTab, Label: "Read"}}, slices.Delete(choices, 2, 3)...)
	}
	draw := map[string]func() app.UI{readTab: p.drawRead, consoleTab: p.drawConsole, requestsTab: p.drawRequests, changesTab: p.drawChanges, tablesTab: p.drawTables}[p.tab]
	return app.Section().Class("playground-output").Aria("label", "Output").Body(
		ui.Div("playground-tabs", ui.Segments("What the last run did", p.tab, choices, p.onTab)),
		&ui.Keyed{Key: p.tab, Draw: func() app.UI {
			return app.Div().Class("playground-result").TabIndex(0).DataSet("testid", "result-"+p.tab).Body(draw())
		}})
}

func (p *Page) drawConsole() app.UI {
	if p.http || p.console.http {
		return p.drawAnswers()
	}
	var body []app.UI
	lines := p.console.lines
	if n := len(lines); n > shownLines && !p.console.all {
		lines = lines[n-shownLines:]
		body = append(body, ui.Div("line", app.Span().Text("The last "+humanize.Number(shownLines)+" of "+humanize.Number(n)+" lines."),
			ui.Button(ui.Quiet, "Show all", p.onShowAll).DataSet("testid", "show-all")))
	}
	for _, o := range lines {
		body = append(body, p.drawLine(o))
	}
	switch {
	case p.failed != nil:
		body = append(body, ui.Retry(p.failed, p.onRun))
	case p.console.end != nil:
		body = append(body, p.drawEnd(*p.console.end))
	case p.untouched():
		body = append(body, ui.Empty(ui.IconCode, "Run the program", "What it prints appears here, the requests that it sends and the data that it stores in the other tabs. "+sandboxed))
	}
	return app.Div().Class("playground-console").Role("log").Body(body...)
}

// shownLines is how many lines of output are drawn: with objects, each takes about half a millisecond.
const shownLines = 100

func (p *Page) onShowAll(app.Context, app.Event) { p.console.all = true }

// showEnd scrolls to the error or the limit that ended the program, below all that it printed.
func (p *Page) showEnd() {
	p.ctx.Defer(func(app.Context) {
		if note := app.Window().Get("document").Call("querySelector", ".playground-console > .note:last-child"); note.Truthy() {
			note.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

func (p *Page) drawLine(o output) app.UI {
	row := app.Div().Class("line", o.Level)
	var content app.UI = app.Pre().Text(o.Text)
	if len(o.Trees) > 0 {
		content = drawValues(o.Trees)
	}
	if o.Level == "table" {
		var rows []app.UI
		for _, cells := range o.Rows {
			var row []app.UI
			for _, cell := range cells {
				row = append(row, app.Td().Text(cell))
			}
			rows = append(rows, app.Tr().Body(row...))
		}
		content = app.Table().Class("playground-table").Body(ui.Heads(o.Columns...), app.TBody().Body(rows...))
	}
	return row.Body(content, p.drawPlace(o.Line))
}

// drawPlace draws a button that goes to a line of the code.
func (p *Page) drawPlace(line int) app.UI {
	text := "line " + strconv.Itoa(line)
	return app.Button().Type("button").Class("btn quiet small place").Hidden(line < 1).Aria("label", "Go to "+text).
		DataSet("line", line).OnClick(p.onPlace).Text(text)
}

// onPlace selects a line in the editor.
func (p *Page) onPlace(_ app.Context, event app.Event) {
	if line, err := strconv.Atoi(ui.Data(event, "line")); err == nil {
		editor.SelectLine(editorID, line)
	}
}

func (p *Page) drawEnd(e end) app.UI {
	if f := e.Failure; f != nil {
		body := []app.UI{ui.Div("row", app.B().Class("code-name").Text(f.title()), app.Span().Class("grow"), p.drawPlace(f.Line)),
			app.Pre().Text(f.Message)}
		if hint := f.hint(); hint != "" {
			body = append(body, app.Span().Text(hint))
		}
		return app.Div().Class("note error").Role("alert").DataSet("testid", "failure").Body(body...)
	}
	if e.Message != "" {
		return app.Div().Class("note notice").Role("status").DataSet("testid", "ended").Text(e.Message)
	}
	return app.P().Class("hint").DataSet("testid", "ended").Text("Finished. Nothing is left running.")
}
