package entities

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulkedit"
	"sandtable/web/entity"
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
		entity.Exhibit(),
		bulkedit.Exhibit(),
	}
}

func gridExhibit() []app.UI {
	entities := []*odata.Entity{ui.Sample(), {PartitionKey: "EU-West", RowKey: "00001021"}, {PartitionKey: "EU-West", RowKey: "00001022"}, nil}
	schema := grid.Schema{}
	schema.Add(entities[0])
	columns, _ := grid.Shown(schema.Columns(grid.Settings{}))
	is := func(row string) func(*odata.Entity) bool {
		return func(e *odata.Entity) bool { return e.RowKey == row }
	}
	n := ui.Nothing
	return []app.UI{ui.Grid(ui.Sheet{Columns: columns, At: func(i int) *odata.Entity { return entities[i] },
		View: grid.View{Row: RowHeight, Total: len(entities)}, Window: grid.Window{To: len(entities)}, Active: 0, Sort: "Age", Down: true,
		Open: is("00001021"), Selected: is("00001022"), Marked: is("00001020")},
		ui.GridHandlers{Row: n, Key: n, Scroll: n, CheckAll: n, Sort: n, Resize: n, HeadKey: n, DragStart: n, DragOver: n, Drop: n})}
}
