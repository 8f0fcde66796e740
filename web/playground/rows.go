package playground

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// rows returns the list in a body, such as of a query, and what its columns are: the
// keys first. It reports false for a body without a list.
func (a answer) rows() (list []map[string]json.RawMessage, columns []string, ok bool) {
	var body struct {
		Value []map[string]json.RawMessage `json:"value"`
	}
	if json.Unmarshal([]byte(a.body), &body) != nil || body.Value == nil {
		return nil, nil, false
	}
	names := map[string]bool{}
	for _, row := range body.Value {
		for name := range row {
			names[name] = !strings.Contains(name, "odata.")
		}
	}
	for _, key := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if names[key] {
			columns = append(columns, key)
			delete(names, key)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			columns = append(columns, name)
		}
	}
	return body.Value, columns, true
}

// drawRows draws a list as a table.
func drawRows(list []map[string]json.RawMessage, columns []string) app.UI {
	if len(list) == 0 {
		return ui.P("hint", "The list is empty.")
	}
	var rows []app.UI
	for _, row := range list[:min(len(list), shownEntities)] {
		var cells []app.UI
		for _, name := range columns {
			cells = append(cells, drawJSONCell(row, name))
		}
		rows = append(rows, app.Tr().Body(cells...))
	}
	return app.Div().Class("scroller").DataSet("testid", "rows").Body(
		app.Table().Class("playground-table").Body(ui.Heads(columns...), app.TBody().Body(rows...)),
		app.P().Class("hint").Hidden(len(rows) == len(list)).Text("The first "+humanize.Number(len(rows))+" of "+humanize.Number(len(list))+"."))
}

func drawJSONCell(row map[string]json.RawMessage, name string) app.UI {
	value, text := row[name], ""
	if json.Unmarshal(value, &text) != nil { // not a string
		text = string(value)
	}
	switch control.TypeOf(row, name) {
	case "":
		return app.Td().Class("is-none").Text("–")
	case "Int32", "Int64", "Double":
		return app.Td().Class("num", "is-number").Text(text)
	case "Boolean":
		return app.Td().Class("is-boolean").Text(text)
	case "DateTime":
		return app.Td().Class("is-date").Text(text)
	}
	return app.Td().Text(text)
}
