package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

func (p *Page) onSaveCSV(app.Context, app.Event) { p.saveRows(tabular.CSV, "text/csv;charset=utf-8") }

func (p *Page) onSaveLines(app.Context, app.Event) {
	p.saveRows(tabular.JSONLines, "application/x-ndjson")
}

// saveRows offers the selected rows as a file that can be imported again.
func (p *Page) saveRows(format tabular.Format, mediaType string) {
	rows := p.chosen()
	text, extension := rowsFile(rows, format, p.results.asked.Arg(selectArg) == "")
	var file browser.Download
	_, _ = file.Write(text) // a blob does not fail
	file.Save(p.Route.Table+"-selected"+extension, mediaType)
	words := "Saved " + ui.Count(len(rows), "row", "rows")
	if lost := len(p.selected) - len(rows); lost > 0 {
		words += "; " + ui.Number(lost) + " are no longer in memory. Use Export for all rows of the query"
	}
	p.Session.Notify(words)
}

// rowsFile writes rows with all their properties and types. The Timestamp is
// known only where the query returned whole entities.
func rowsFile(rows []client.Entity, format tabular.Format, whole bool) (text []byte, extension string) {
	var columns []string
	known := map[string]bool{}
	for _, e := range rows {
		for _, property := range e.Properties {
			if !known[property.Name] {
				known[property.Name] = true
				columns = append(columns, property.Name)
			}
		}
	}
	w := &tabular.Writer{Format: format, Types: true, Timestamp: whole, Delimiter: ',', Columns: columns}
	text = w.Begin(nil)
	for _, e := range rows {
		text = w.Append(text, e.Entity)
	}
	return w.End(text), w.Extension()
}
