package tables

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
)

// row is a table in the list. It is a component so that only what has changed is drawn
// again: there can be thousands.
type row struct {
	app.Compo
	Account, Name, Count string
	Selected             bool
}

// Render draws the row.
func (r *row) Render() app.UI {
	there := page.Route{Account: r.Account, Table: r.Name}
	return app.Tr().DataSet("table", r.Name).Aria("selected", r.Selected).Body(
		app.Td().Class("check-cell").Body(app.Button().Type("button").Class("tick").Role("checkbox").Aria("checked", r.Selected).
			Aria("label", "Select "+r.Name).DataSet("testid", "select-table")),
		app.Td().Title(r.Name).Body(app.A().Href(there.Href()).Text(r.Name)),
		app.Td().Class("num").Text(r.Count))
}
