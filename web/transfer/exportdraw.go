package transfer

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/rowfile"
	"sandtable/web/humanize"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the page.
func (p *Export) Render() app.UI {
	drawn := p.drawOptions()
	if w := p.writing; w != nil && time.Since(w.start) > time.Second {
		drawn = p.drawWriting(w)
	}
	return ui.Div("page", p.Session.Head(), app.Div().Class("desk").ID(dialogID).TabIndex(-1).Body(drawn))
}

func (p *Export) drawWriting(w *writing) app.UI {
	phase, read, remaining, rate := w.state()
	fraction := 0.0
	of := ""
	if w.total > 0 {
		fraction = float64(read) / float64(w.total)
		of = "of " + humanize.Count(w.total, "entity", "entities")
	}
	return sheet(ui.IconShare, "Exporting "+p.fileName(), phase, p.onClose, []app.UI{
		ui.Div("count", app.B().Text(humanize.Number(read)), ui.Span("hint grow", of)),
		ui.Track("Export", fraction),
		ui.Div("tiles",
			tile("Rate", humanize.Number(int(rate))+" rows/s", ""),
			tile("Remaining", about(remaining), exactly(time.Since(w.start))+" so far")),
	}, []app.UI{
		ui.Span("hint grow", "the file is offered when it is complete"),
		ui.Button(ui.Danger, "Cancel", p.onStop).DataSet("testid", "cancel-export")})
}

func (p *Export) drawOptions() app.UI {
	content := []app.UI{p.drawWhat()}
	if p.err != nil {
		content = append(content, ui.Failure(p.err, app.Span().Text("Nothing was exported.")))
	}
	content = append(content, p.drawFormat(), p.drawPreview())
	label := "Export"
	count, known := p.count()
	if known {
		label = "Export " + humanize.Count(count, "entity", "entities")
	}
	_, size := p.preview()
	about := ""
	if size > 0 {
		about = "about " + humanize.Bytes(size)
	}
	extension := p.writer(nil).Extension()
	copyLabel := "Copy"
	if p.copied {
		copyLabel = "Copied"
	}
	busy := p.writing != nil || p.sample.State() != remote.Loaded
	return sheet(ui.IconShare, "Export from "+p.Route.Table, "the file is written while it is read", p.onClose, content, []app.UI{
		app.Input().Class("input code name").Type("text").Attr("value", strings.TrimSuffix(p.fileName(), extension)).Aria("label", "Name of the file").
			Spellcheck(false).DataSet("testid", "file-name").OnChange(p.onName),
		ui.Span("mono", extension),
		app.Span().Class("hint grow").DataSet("testid", "size").Text(about),
		ui.Button(ui.Plain, copyLabel, p.onCopy).Disabled(busy || !copyable(size, known)).DataSet("testid", "copy-export"),
		ui.Button(ui.Plain, "Cancel", p.onClose),
		ui.Button(ui.Primary, label, p.onExport).Disabled(busy).DataSet("testid", "export-file")})
}

// mostCopied is how many bytes are copied to the clipboard at most.
const mostCopied = 10 << 20

// drawWhat draws the choice of the entities.
func (p *Export) drawWhat() app.UI {
	filter := cmp.Or(strings.TrimSpace(p.Route.Arg(filterArg)), "no filter")
	queryCount, wholeCount := "", ""
	if n, known := p.tableCount(); known {
		wholeCount = humanize.Number(n)
	}
	if first, ok := p.sample.Data(); p.matching > 0 {
		queryCount = humanize.Number(p.matching)
	} else if ok && p.source == fromQuery {
		queryCount = humanize.Number(len(first.Entities))
		if first.Next != nil {
			queryCount += "+"
		}
	}
	return app.Div().Class("whats").Role("radiogroup").Aria("label", "What to export").Body(
		p.pick(fromQuery, "This query", queryCount, filter, p.hasQuery()),
		p.pick(fromTable, "Whole table", wholeCount, "all partitions, in key order", true),
		p.pick(fromRows, "Selected rows", humanize.Number(len(p.rows.Entities)), p.rowsNote(), len(p.rows.Entities) > 0))
}

// rowsNote returns which rows are selected.
func (p *Export) rowsNote() string {
	rows := p.rows.Entities
	switch {
	case p.rows.Missing > 0:
		return humanize.Count(p.rows.Missing, "more is", "more are") + " no longer in memory"
	case len(rows) == 0:
		return "select rows of the grid first"
	case len(rows) == 1:
		return rows[0].PartitionKey + " / " + rows[0].RowKey
	}
	return "in the order of the grid"
}

func (p *Export) pick(value source, title, count, note string, enabled bool) app.UI {
	return app.Label().Class("pick").Body(
		app.Input().Type("radio").Name("what").Value(string(value)).Checked(p.source == value).Disabled(!enabled).OnChange(p.onWhat).DataSet("testid", "what-"+string(value)),
		app.B().Text(title), ui.Span("mono", count),
		ui.Span("hint", note))
}

func (p *Export) drawFormat() app.UI {
	o := p.options
	csv := o.Format == rowfile.CSV
	formats := []ui.Choice{{Value: "0", Label: "CSV"}, {Value: "1", Label: "JSON"}, {Value: "2", Label: "JSON Lines"}}
	formatNote := "as Storage Explorer writes and reads it"
	if !csv {
		formatNote = "types as in the service's own answers"
	}
	columns := []app.UI{}
	if n := len(p.selectedColumns()); n > 0 && p.source == fromQuery {
		columns = append(columns, ui.Segments("Columns", boolean(o.Shown), []ui.Choice{{Value: "1", Label: strconv.Itoa(n) + " shown"}, {Value: "0", Label: "all"}}, p.onColumns))
	}
	typesNote := ""
	if csv {
		columns = append(columns, check("type columns", "types", o.Types, p.onTypes))
		if !o.Types {
			typesNote = "without types, everything comes back as text"
		}
	}
	if p.hasTimestamp() {
		columns = append(columns, check("Timestamp", "timestamp", o.Timestamp, p.onTimestamp))
	} else if typesNote == "" {
		typesNote = "only the columns that the query selects, without Timestamp"
	}
	zoneNote := ""
	if o.Local {
		zoneNote = "local times lose the zone: not for importing again"
	}
	markNote := ""
	if !o.Mark {
		markNote = "Excel needs the mark for UTF-8"
	}
	delimiters := []ui.Choice{{Value: "44", Label: "comma"}, {Value: "59", Label: "semicolon"}, {Value: "9", Label: "tab"}}
	return ui.Div("options",
		option("Format", formatNote, ui.Segments("Format", strconv.Itoa(int(o.Format)), formats, p.onFormat)),
		option("Columns", typesNote, columns...),
		option("Delimiter", markNote, ui.Segments("Delimiter", strconv.Itoa(int(o.Delimiter)), delimiters, p.onDelimiter), check("byte order mark", "mark", o.Mark, p.onMark)).Hidden(!csv),
		option("Dates", zoneNote, ui.Segments("Dates", boolean(o.Local), []ui.Choice{{Value: "0", Label: "UTC"}, {Value: "1", Label: "local"}}, p.onZone)).Hidden(!csv))
}

func boolean(b bool) string { return map[bool]string{true: "1", false: "0"}[b] }

func option(label, note string, controls ...app.UI) app.HTMLDiv {
	return ui.Div("option", app.B().Text(label), ui.Div("checks", controls...),
		ui.Span("hint", note))
}

func check(label, name string, on bool, h app.EventHandler) app.UI {
	return app.Label().Class("check").Body(app.Input().Type("checkbox").Checked(on).DataSet("testid", "option-"+name).OnChange(h), app.Text(label))
}

func (p *Export) drawPreview() app.UI {
	switch {
	case p.sample.State() == remote.Failed:
		return ui.Retry(p.sample.Err(), p.onAgain)
	case p.sample.State() != remote.Loaded:
		return ui.Bones(4)
	}
	text, _ := p.preview()
	var lines []app.UI
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		lines = append(lines, app.Code().Text(strings.TrimRight(line, "\r")))
	}
	note := humanize.Count(len(p.columns()), "property", "properties")
	if p.options.Format == rowfile.CSV {
		note = "line ends CR LF · " + note
	}
	return ui.Div("preview",
		ui.Div("row", caption("First lines"), ui.Span("hint grow", note)),
		app.Pre().TabIndex(0).Aria("label", "First lines of the file").DataSet("testid", "preview").OnKeyDown(p.onPreviewKey).Body(lines...))
}
