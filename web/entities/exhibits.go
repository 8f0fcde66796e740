package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/grid"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	return []ui.Exhibit{
		{Name: "Explain", Draw: func() []app.UI {
			return []app.UI{
				ui.Explain(ui.Explanation{Kind: "row range", Returned: 48, Examined: 52, Blocks: 2, Elapsed: "0.4 ms"}),
				ui.Explain(ui.Explanation{Kind: "table scan", Returned: 12, Examined: 18204, Blocks: 310, Elapsed: "41 ms", Advice: advice("table scan", "Age ge 21")}),
			}
		}},
		{Name: "Grid", Draw: gridExhibit},
	}
}

func gridExhibit() []app.UI {
	entities := []*odata.Entity{ui.Sample(), {PartitionKey: "EU-West", RowKey: "00001021"}}
	columns, _ := grid.Columns(entities, false)
	return []app.UI{ui.Grid(ui.Sheet{Columns: columns, Entities: entities, Window: grid.Window{To: 2}, Row: RowHeight, Active: 0,
		Open: func(e *odata.Entity) bool { return e.RowKey == "00001021" }}, ui.Nothing, ui.Nothing, ui.Nothing)}
}
