package transfer

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

// Render draws the page.
func (p *Import) Render() app.UI {
	var drawn app.UI
	switch r := p.run(); {
	case r != nil && r.report != nil:
		drawn = p.drawReport(r)
	case r != nil:
		drawn = p.drawRunning(r)
	case p.source != nil && p.err == nil:
		drawn = p.drawPlan()
	default:
		drawn = p.drawChoice()
	}
	return ui.Div("page",
		p.Session.Head(),
		app.Div().Class("desk").ID(dialogID).TabIndex(-1).Body(drawn,
			app.Input().ID(fileID).Type("file").Hidden(true).Multiple(true).Accept(".csv,.tsv,.txt,.json,.jsonl,.ndjson").
				Aria("label", "Files to import").OnChange(p.onFile)))
}

// drawChoice draws the choice of a file, and what is wrong with the one chosen.
func (p *Import) drawChoice() app.UI {
	title := "Import into " + p.Route.Table
	if p.Route.Table == "" {
		title = "Import into a new table of " + p.Route.Account
	}
	var content []app.UI
	switch {
	case p.progress != nil:
		content = []app.UI{p.drawProgress(p.progress.Load())}
	case p.data != nil:
		content = []app.UI{p.drawEncodings()}
	case p.err != nil:
		content = []app.UI{ui.Error(p.file.Name, ui.Sentence(p.err.Error())+".",
			ui.Button(ui.Plain, "Choose another file", p.onBrowse)).DataSet("testid", "refused")}
	default:
		content = []app.UI{ui.Empty(ui.IconFile, "Drop files on this page",
			"CSV as Azure Storage Explorer writes it, or any CSV with a header, with commas, semicolons or tabs; JSON; JSON Lines. Nothing is written before you confirm it.",
			ui.Button(ui.Primary, "Choose files", p.onBrowse).DataSet("testid", "choose-file"))}
	}
	facts := "files stay in this browser"
	if remote, connected := p.Session.Connected(p.Route.Account); connected {
		facts = "rows are sent to " + remote.Endpoint
	}
	return sheet(ui.IconFile, title, p.andNext(facts), p.onClose, content, []app.UI{
		ui.Span("hint grow", "nothing is written yet"),
		p.drawNext("Skip this file"),
		ui.Button(ui.Plain, "Cancel", p.onClose)})
}

// drawProgress draws how far the reading of the file is.
func (p *Import) drawProgress(now *tabular.Progress) app.UI {
	count := ""
	if now.Rows > 0 {
		count = humanize.Count(now.Rows, "row", "rows")
	}
	return ui.Div("reading",
		app.P().Role("status").Text(now.Doing+" "+p.file.Name+"…"),
		ui.Track(now.Doing, now.Fraction),
		app.Span().Class("hint").DataSet("testid", "rows-read").Text(count))
}

// drawEncodings draws the line that is not UTF-8 in each encoding.
func (p *Import) drawEncodings() app.UI {
	wrong := p.err.(*tabular.EncodingError)
	guess := "It looks like " + wrong.Guess.String() + ", as Excel saves it. Choose what makes this line read right:"
	var rows []app.UI
	for _, sample := range wrong.Samples {
		line := app.Code().Text(sample.Text)
		if !sample.Possible {
			line = app.Code().Class("problem").Text("not possible")
		}
		rows = append(rows, app.Label().Class("encoding").Body(
			app.Input().Type("radio").Name("encoding").Value(sample.Encoding.String()).Checked(sample.Encoding == p.encoding).
				Disabled(!sample.Possible).DataSet("encoding", int(sample.Encoding)).OnChange(p.onEncoding),
			app.Span().Text(sample.Encoding.String()), line))
	}
	return app.Div().Class("encodings").Role("group").Aria("label", "Encoding").DataSet("testid", "encodings").Body(
		app.H3().Text(p.file.Name+" is not UTF-8"),
		app.Code().Class("hint").Text("byte 0x"+strings.ToUpper(strconv.FormatUint(uint64(wrong.Byte), 16))+" at line "+humanize.Number(wrong.Line)+", column "+humanize.Number(wrong.Column)),
		app.P().Text(guess),
		ui.Div("choices", rows...),
		ui.Div("row",
			ui.Button(ui.Primary, "Use "+p.encoding.String(), p.onUseEncoding).DataSet("testid", "use-encoding"),
			ui.Button(ui.Quiet, "Choose another file", p.onBrowse)))
}

func (p *Import) onEncoding(_ app.Context, event app.Event) {
	if n, err := strconv.Atoi(ui.Data(event, "encoding")); err == nil {
		p.encoding = tabular.Encoding(n)
	}
}

func (p *Import) onUseEncoding(app.Context, app.Event) {
	p.open(browser.FileOf(p.file.Name, p.data), p.encoding)
}

// facts describes the file in a line.
func (p *Import) facts() string {
	s := p.source
	facts := []string{humanize.Count(s.Rows()+len(s.Broken), "row", "rows"), humanize.Bytes(s.Size), s.Format.String(), s.Encoding}
	if s.Format == rowfile.CSV {
		facts = append(facts, map[rune]string{',': "comma", ';': "semicolon", '\t': "tab"}[s.Delimiter])
	}
	return strings.Join(facts, " · ")
}

// drawPlan draws what the import would do.
func (p *Import) drawPlan() app.UI {
	valid := len(p.plan.Rows)
	title := "Import " + p.file.Name + " into " + p.Route.Table
	content := []app.UI{}
	if p.Route.Table == "" {
		title = "Import " + p.file.Name + " into a new table"
		content = append(content, p.drawTable())
	}
	if p.missesKey() {
		content = append(content, p.drawVerdict(), p.drawColumns(), p.drawKeys(), p.drawProblems(), p.drawModes())
	} else {
		content = append(content, p.drawColumns(), p.drawKeys(), p.drawVerdict(), p.drawProblems(), p.drawModes())
	}
	state := "nothing is written yet"
	if p.progress != nil {
		state = p.progress.Load().Doing + "…"
	}
	return sheet(ui.IconFile, title, p.andNext(p.facts()), p.onClose, content, []app.UI{
		ui.Button(ui.Quiet, "Choose another file", p.onBrowse),
		app.Span().Class("hint grow").Role("status").Text(state),
		p.drawNext("Skip this file"),
		ui.Button(ui.Plain, "Cancel", p.onClose),
		ui.Button(ui.Primary, "Import "+humanize.Count(valid, "entity", "entities"), p.onStart).DataSet("testid", "import").
			Disabled(valid == 0 || p.progress != nil || p.targetProblem() != "")})
}

// drawTable draws the name of a new table.
func (p *Import) drawTable() app.UI {
	problem := p.targetProblem()
	note := ""
	if _, found := p.Session.Catalog().Table(p.Route.Account, p.table); found {
		note = "This table exists: the rows are added to it."
	}
	return ui.Div("option",
		app.Label().For("import-table").Text("New table"),
		app.Input().ID("import-table").Class("input code").Type("text").Attr("value", p.table).Aria("invalid", problem != "").
			Spellcheck(false).AutoComplete(false).DataSet("testid", "table-name").OnInput(p.onTable).OnChange(p.onTableChosen),
		app.Span().Class("hint").Role("status").Text(problem+note))
}

func (p *Import) onTable(_ app.Context, event app.Event) { p.table = strings.TrimSpace(ui.Text(event)) }

func (p *Import) onTableChosen(app.Context, app.Event) { p.countExisting() }

// drawColumns draws what becomes of each column.
func (p *Import) drawColumns() app.UI {
	rows := make([]app.UI, len(p.source.Columns))
	for i, c := range p.source.Columns {
		found := tabular.Found{}
		if i < len(p.plan.Found) {
			found = p.plan.Found[i]
		}
		class := "found"
		if found.Problems > 0 {
			class = "found problem"
		}
		rows[i] = app.Tr().DataSet("testid", "column").Body(
			app.Th().Scope("row").Text(c.Name),
			app.Td().Class("sample").Title(c.Sample).Text(c.Sample),
			app.Td().Class("type").Body(typeMenu(i, c, p.onType)),
			app.Td().Class("arrow").Aria("hidden", true).Body(ui.Icon(ui.IconNext)),
			app.Td().Class("target").Body(targetMenu(i, c, p.onTarget)),
			app.Td().Class(class).Text(found.Text))
	}
	return app.Table().Class("columns").Aria("label", "Columns of the file").Body(
		app.THead().Body(app.Tr().Body(
			app.Th().Scope("col").Text("Column"), app.Th().Scope("col").Text("First value"),
			app.Th().Scope("col").Text("Type"), app.Th().Aria("hidden", true),
			app.Th().Scope("col").Text("Becomes"), app.Th().Scope("col").Text("Found"))),
		app.TBody().Body(rows...))
}

// menu draws a select element. It is mounted again when the program chooses
// another value, because a select keeps what the user chose.
func menu(name string, column int, label, chosen string, values, labels []string, h app.EventHandler) app.UI {
	return &ui.Keyed{Key: name + strconv.Itoa(column) + chosen, Draw: func() app.UI {
		options := make([]app.UI, len(values))
		for i, v := range values {
			options[i] = app.Option().Value(v).Selected(v == chosen).Text(labels[i])
		}
		return app.Select().Class("input short code").Aria("label", label).DataSet("column", column).DataSet("testid", name).
			DataSet("type", chosen).OnChange(h).Body(options...)
	}}
}

// asNamed is the value of the menu that takes the type that each cell names.
const asNamed = "0"

func typeMenu(i int, c tabular.Column, h app.EventHandler) app.UI {
	if c.Target == "" || c.Target == odata.PartitionKeyName || c.Target == odata.RowKeyName {
		return ui.Span("hint", map[bool]string{true: "—", false: "String"}[c.Target == ""])
	}
	var values, labels []string
	if c.Typed {
		values, labels = []string{asNamed}, []string{"as in the file"}
	}
	for _, t := range odata.Types() {
		values, labels = append(values, strconv.Itoa(int(t))), append(labels, strings.TrimPrefix(t.String(), "Edm."))
	}
	return menu("column-type", i, "Type of "+c.Name, strconv.Itoa(int(c.Type)), values, labels, h)
}

func targetMenu(i int, c tabular.Column, h app.EventHandler) app.UI {
	values := []string{odata.PartitionKeyName, odata.RowKeyName}
	labels := []string{odata.PartitionKeyName, odata.RowKeyName}
	if own := rowfile.PropertyName(c.Name); own != odata.PartitionKeyName && own != odata.RowKeyName && own != odata.TimestampName {
		values, labels = append(values, own), append(labels, own)
	}
	values, labels = append(values, ""), append(labels, "left out")
	return menu("column-target", i, c.Name+" becomes", c.Target, values, labels, h)
}

func (p *Import) onType(_ app.Context, event app.Event) {
	i, err := strconv.Atoi(ui.Data(event, "column"))
	t, wrong := strconv.Atoi(ui.Text(event))
	if err == nil && wrong == nil && i < len(p.source.Columns) {
		p.source.Columns[i].Type = odata.Type(t)
		p.check()
	}
}

func (p *Import) onTarget(_ app.Context, event app.Event) {
	if i, err := strconv.Atoi(ui.Data(event, "column")); err == nil && i < len(p.source.Columns) {
		p.source.Assign(i, ui.Text(event))
		p.check()
	}
}

// drawKeys offers keys for files that lack them.
func (p *Import) drawKeys() app.UI {
	if p.source.HasKeys() {
		return app.Div().Hidden(true)
	}
	return app.Div().Class("option").DataSet("testid", "fill-keys").Body(
		app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(p.source.FillKeys).OnChange(p.onFillKeys), app.Text("Fill in missing keys")),
		app.Input().Class("input code").Type("text").Attr("value", p.source.Partition).Placeholder("PartitionKey").Aria("label", "PartitionKey of all rows").
			Spellcheck(false).DataSet("testid", "fill-partition").OnChange(p.onPartition),
		ui.Span("hint", "one PartitionKey for all rows; the RowKey is the number of the "+p.source.Unit()))
}

func (p *Import) onFillKeys(app.Context, app.Event) {
	p.source.FillKeys = !p.source.FillKeys
	p.check()
}

func (p *Import) onPartition(_ app.Context, event app.Event) {
	p.source.Partition, p.source.FillKeys = ui.Text(event), true
	p.check()
}

// missesKey reports whether no row can be imported because a key is missing.
func (p *Import) missesKey() bool { return !p.source.HasKeys() && !p.source.FillKeys }

// drawVerdict draws how many rows can be imported.
func (p *Import) drawVerdict() app.UI {
	if p.missesKey() {
		return app.Div().Class("verdict").Role("status").DataSet("testid", "verdict").Body(
			app.Span().Class("bad").Body(ui.Icon(ui.IconWarning), app.Text("No column becomes the "+p.source.MissingKey()+". Choose one below, or fill in missing keys.")))
	}
	body := []app.UI{app.Span().Class("good").Body(ui.Icon(ui.IconDone), figure(len(p.plan.Rows), "valid"))}
	if n := len(p.plan.Problems); n > 0 {
		body = append(body, app.Span().Class("bad").Body(ui.Icon(ui.IconWarning), figure(n, map[bool]string{true: "problem", false: "problems"}[n == 1])))
		rows := p.plan.ProblemRows()
		if rows > 0 {
			body = append(body, ui.Span("hint grow", "skipped, and offered as a file afterwards"),
				ui.Button(ui.Plain, "Download the "+humanize.Count(rows, "row", "rows"), p.onDownloadProblems).DataSet("testid", "download-problems"))
		}
	}
	return app.Div().Class("verdict").Role("status").DataSet("testid", "verdict").Body(body...)
}

func (p *Import) onDownloadProblems(app.Context, app.Event) {
	var lines []int
	for _, problem := range p.plan.Problems {
		lines = append(lines, problem.Line)
	}
	p.save(p.source.ExtractName(p.file.Name, "problems"), "text/plain;charset=utf-8", p.source.Extract(lines))
}

// fewLines is how many problems are listed at first, mostLines at most.
const (
	fewLines  = 5
	mostLines = 1000
)

func (p *Import) drawProblems() app.UI {
	all := p.plan.Problems
	if len(all) == 0 {
		return app.Div().Hidden(true)
	}
	most := fewLines
	if p.allLines {
		most = mostLines
	}
	return problemTable(p.source.Unit(), all[:min(len(all), most)], len(all), ui.Button(ui.Quiet, "Show more", p.onAllLines).Hidden(p.allLines))
}

func problemTable(unit string, shown []tabular.Problem, all int, more app.UI) app.UI {
	rows := make([]app.UI, len(shown))
	for i, problem := range shown {
		rows[i] = app.Tr().DataSet("testid", "problem").Body(
			app.Th().Scope("row").Text(lineText(unit, problem.Line)), app.Td().Text(problem.Column),
			app.Td().Text(problem.Text), app.Td().Class("reason").Text(problem.Reason))
	}
	rest := app.Div().Class("row").Hidden(true)
	if n := all - len(shown); n > 0 {
		rest = ui.Div("row", ui.Span("hint", "and "+humanize.Number(n)+" more"), more)
	}
	return ui.Div("problems", app.Table().Aria("label", "Problems by "+unit).Body(
		app.THead().Class("sr-only").Body(app.Tr().Body(app.Th().Text(ui.Sentence(unit)), app.Th().Text("Column"), app.Th().Text("Problem"), app.Th().Text("Reason"))),
		app.TBody().Body(rows...)), rest)
}

func lineText(unit string, line int) string {
	if line == 0 {
		return "file"
	}
	return unit + " " + humanize.Number(line)
}

func (p *Import) onAllLines(app.Context, app.Event) { p.allLines = true }

// writes are the ways of writing, in the order of the buttons.
var writes = []struct {
	write client.Write
	label string
}{{client.Insert, "Insert"}, {client.Merge, "Upsert, merge"}, {client.Replace, "Upsert, replace"}}

func writeLabel(w client.Write) string {
	for _, known := range writes {
		if known.write == w {
			return known.label
		}
	}
	return ""
}

// drawModes draws what happens to entities that exist.
func (p *Import) drawModes() app.UI {
	var choices []ui.Choice
	for _, w := range writes {
		choices = append(choices, ui.Choice{Value: strconv.Itoa(int(w.write)), Label: w.label})
	}
	return ui.Div("modes",
		caption("Existing entities"), ui.Segments("Existing entities", strconv.Itoa(int(p.write)), choices, p.onWrite),
		app.Span().Class("hint").Role("status").DataSet("testid", "existing").Text(p.existingText()),
		caption("Order"), ui.Span("mono", humanize.Count(len(p.writes), "transaction", "transactions")),
		ui.Span("hint", "sorted by partition, up to 100 entities and 4 MiB each"))
}

func (p *Import) onWrite(_ app.Context, event app.Event) {
	if w, err := strconv.Atoi(ui.Data(event, "choice")); err == nil {
		p.write = client.Write(w)
	}
}

// existingText says what becomes of entities that exist.
func (p *Import) existingText() string {
	x, valid := p.existing, len(p.plan.Rows)
	if valid == 0 {
		return "no row can be imported yet"
	}
	does := map[client.Write]string{client.Insert: "are refused and listed", client.Merge: "are merged", client.Replace: "are replaced"}[p.write]
	switch {
	case !x.known:
		return "those that exist " + does
	case x.count == 0:
		return "all are new"
	}
	return humanize.Number(x.count) + " exist and " + does + ", " + humanize.Number(valid-x.count) + " are new"
}
