package transfer

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// The arguments of the page of entities that an export takes over.
const (
	filterArg = "filter"
	selectArg = "select"
)

// ExportDefinition registers the page of exports.
func ExportDefinition() page.Definition {
	return page.Definition{
		Name: "export", Title: "Export", Icon: ui.IconShare, Scopes: page.Table, Hidden: true,
		New:      func(p page.Props) app.Composer { return &Export{Props: p} },
		Exhibits: exportExhibits,
	}
}

// options are the choices of an export, which are kept for the next one.
type options struct {
	Format    rowfile.Format
	Shown     bool // only the columns of $select
	Types     bool
	Timestamp bool
	Delimiter rune
	Mark      bool
	Local     bool // dates in the zone of the browser
}

func (o options) valid() bool {
	return o.Format <= rowfile.JSONLines && strings.ContainsRune(",;\t", o.Delimiter)
}

const optionsName = "sandtable.export"

// source is what an export consists of; the values are those of the choice.
type source string

const (
	fromQuery source = "query"
	fromTable source = "whole"
	fromRows  source = "rows"
)

// output is where a file is written; a test has its own.
type output interface {
	Write([]byte) (int, error)
	Save(name, mediaType string)
}

// sampleSize is how many entities are read for the preview and the estimate.
const sampleSize = 1000

// Export is the page of exports of a table.
type Export struct {
	app.Compo
	page.Props

	newOutput func() output
	ctx       app.Context
	release   []func()
	options   options
	source    source
	rows      page.Selection // those of the page before
	name      string         // of the file, without its ending; "" for the proposed one
	sample    remote.Value[client.Page]
	counting  work
	matching  int      // entities that the query returns, 0 while that is not known
	writing   *writing // nil while nothing is written
	err       error
	copied    bool
}

// OnInit takes the choices of the last export.
func (p *Export) OnInit() {
	if p.newOutput == nil {
		p.newOutput = func() output { return &browser.Download{} }
	}
	p.options = options{Types: true, Timestamp: true, Delimiter: ','}
	if app.IsClient {
		if kept, ok := browser.Load(optionsName, options.valid); ok {
			p.options = kept
		}
	}
}

// OnMount reads the first entities.
func (p *Export) OnMount(ctx app.Context) {
	p.start(ctx)
	browser.Focus(ctx, dialogID)
}

// OnPreRender does natively what OnMount does in a browser.
func (p *Export) OnPreRender(ctx app.Context) { p.start(ctx) }

func (p *Export) start(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Keys(p.onKey))
	p.source = fromTable
	if p.hasQuery() {
		p.source = fromQuery
	}
	if rows := p.Session.Selected(); rows.Account == p.Route.Account && rows.Table == p.Route.Table {
		p.rows = rows
		if len(rows.Entities) > 0 {
			p.source = fromRows
		}
	}
	p.read()
}

// OnDismount ends an export in progress.
func (p *Export) OnDismount() {
	page.Release(p.release)
	if p.writing != nil {
		p.Session.Notify("The export was stopped. No file was saved.")
	}
	p.counting.stop()
	p.stop()
}

func (p *Export) hasQuery() bool {
	return strings.TrimSpace(p.Route.Arg(filterArg)) != "" || strings.TrimSpace(p.Route.Arg(selectArg)) != ""
}

// onKey ends an export in progress on Esc, or else closes the page.
func (p *Export) onKey(key page.Key) func() {
	switch {
	case key.Name != "Escape":
		return nil
	case p.writing != nil:
		return p.stop
	}
	return p.close
}

func (p *Export) close() {
	r := p.Route
	r.Page = ""
	p.Session.Navigate(r)
}

func (p *Export) onClose(app.Context, app.Event) { p.close() }

// query is what the file is made of, unless it is made of rows.
func (p *Export) query() client.Query {
	if p.source == fromTable {
		return client.Query{}
	}
	q := client.Query{Filter: p.Route.Arg(filterArg)}
	if p.shownOnly() {
		q.Select = strings.Join(append([]string{odata.PartitionKeyName, odata.RowKeyName, odata.TimestampName}, p.selectedColumns()...), ",")
	}
	return q
}

// shownOnly reports whether the file has only the selected columns.
func (p *Export) shownOnly() bool {
	return p.source == fromQuery && p.options.Shown && len(p.selectedColumns()) > 0
}

// selectedColumns are the properties of $select without the keys and the Timestamp.
func (p *Export) selectedColumns() []string {
	var names []string
	for _, name := range strings.Split(p.Route.Arg(selectArg), ",") {
		name = strings.TrimSpace(name)
		if name != "" && name != "*" && name != odata.PartitionKeyName && name != odata.RowKeyName && name != odata.TimestampName && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// read reads the sample.
func (p *Export) read() {
	p.counting.stop()
	if p.source == fromRows {
		p.sample = remote.Of(client.Page{Entities: p.rows.Entities[:min(sampleSize, len(p.rows.Entities))]})
		return
	}
	q := p.query()
	q.Top = sampleSize
	page.Load(p.ctx, &p.sample, func(c context.Context) (client.Page, error) {
		return p.Session.Client(p.Route.Account).Query(c, p.Route.Table, q)
	}, func() {
		if first, _ := p.sample.Data(); p.sample.Err() == nil && p.source == fromQuery {
			p.countMatching(first)
		}
	})
}

func (p *Export) onAgain(app.Context, app.Event) { p.read() }

// writer returns what writes the entities, with these columns.
func (p *Export) writer(columns []string) *rowfile.Writer {
	o := p.options
	w := &rowfile.Writer{Format: o.Format, Timestamp: o.Timestamp && p.hasTimestamp(), Columns: columns}
	if o.Format == rowfile.CSV {
		w.Types, w.Delimiter, w.Mark = o.Types, o.Delimiter, o.Mark
		if o.Local {
			w.Zone = browser.LocalOffset
		}
	}
	return w
}

// hasTimestamp reports whether the entities have their Timestamp: rows that were read
// with $select do not.
func (p *Export) hasTimestamp() bool { return p.source != fromRows || !p.rows.Partial }

// fileName is the name of the file with its ending.
func (p *Export) fileName() string {
	name := p.name
	if name == "" {
		name = strings.ToLower(p.Route.Table)
		switch p.source {
		case fromQuery:
			name += "-query"
		case fromRows:
			name += "-selected"
		}
	}
	return name + p.writer(nil).Extension()
}

func (p *Export) mediaType() string {
	return map[rowfile.Format]string{rowfile.CSV: "text/csv;charset=utf-8", rowfile.JSON: "application/json", rowfile.JSONLines: "application/jsonl"}[p.options.Format]
}

// previewLines is how many entities are shown as they will be in the file.
const previewLines = 4

// preview returns the first lines of the file, and how large it will be.
func (p *Export) preview() (lines string, size int) {
	first, _ := p.sample.Data()
	columns := p.columns()
	w := p.writer(columns)
	head := w.Begin(nil)
	file := head
	for i, e := range first.Entities {
		file = w.Append(file, e.Entity)
		if i+1 == previewLines {
			lines = string(file)
		}
	}
	if lines == "" {
		lines = string(w.End(slices.Clone(file)))
	}
	if n := len(first.Entities); n > 0 {
		size = len(head) + (len(file)-len(head))/n*n
		if count, known := p.count(); known {
			size = len(head) + int(float64(len(file)-len(head))/float64(n)*float64(count))
		} else if first.Next != nil {
			size = 0
		}
	}
	return strings.TrimPrefix(lines, "\ufeff"), size
}

// columns are those of the sample, or the selected ones.
func (p *Export) columns() []string {
	if p.shownOnly() {
		return p.selectedColumns()
	}
	first, _ := p.sample.Data()
	return addNames(nil, first.Entities)
}

// addNames adds the names of properties that are not among the names yet.
func addNames(names []string, entities []client.Entity) []string {
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	for _, e := range entities {
		for _, property := range e.Properties {
			if !known[property.Name] {
				known[property.Name] = true
				names = append(names, property.Name)
			}
		}
	}
	return names
}

func choice(event app.Event) int {
	n, _ := strconv.Atoi(ui.Data(event, "choice"))
	return n
}

// changed keeps the choices.
func (p *Export) changed() {
	p.copied = false
	browser.Save(optionsName, p.options)
}

func (p *Export) onFormat(_ app.Context, event app.Event) {
	p.options.Format = rowfile.Format(choice(event))
	p.changed()
}

func (p *Export) onDelimiter(_ app.Context, event app.Event) {
	p.options.Delimiter = rune(choice(event))
	p.changed()
}

func (p *Export) onColumns(_ app.Context, event app.Event) {
	p.options.Shown = choice(event) == 1
	p.changed()
	p.read()
}

func (p *Export) onZone(_ app.Context, event app.Event) {
	p.options.Local = choice(event) == 1
	p.changed()
}

func (p *Export) onTypes(app.Context, app.Event) { p.options.Types = !p.options.Types; p.changed() }
func (p *Export) onTimestamp(app.Context, app.Event) {
	p.options.Timestamp = !p.options.Timestamp
	p.changed()
}
func (p *Export) onMark(app.Context, app.Event) { p.options.Mark = !p.options.Mark; p.changed() }

func (p *Export) onWhat(_ app.Context, event app.Event) {
	p.source = source(ui.Text(event))
	p.read()
}

func (p *Export) onName(_ app.Context, event app.Event) {
	p.name = strings.TrimSuffix(strings.TrimSpace(ui.Text(event)), p.writer(nil).Extension())
}
