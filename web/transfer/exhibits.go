package transfer

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/tabular"
	"sandtable/web/ui"
)

func importExhibits() []ui.Exhibit {
	return []ui.Exhibit{
		{Name: "Problems by line", Draw: func() []app.UI {
			return []app.UI{ui.Div("transfer", problemTable("line", []tabular.Problem{
				{Line: 4182, Column: "Balance", Text: "1.234,50: a Double is a number such as 3.5", Reason: "decimal comma"},
				{Line: 88940, Text: "the same keys as line 12077", Reason: "duplicate keys"},
			}, 3, ui.Button(ui.Quiet, "Show more", ui.Nothing)))}
		}},
		{Name: "Progress of an import", Draw: func() []app.UI {
			partitions := []partition{{"Asia", 900, 9}, {"EU-West", 2400, 24}, {"US-East", 1200, 12}}
			parts, _ := fill(partitions, 20)
			return []app.UI{ui.Div("transfer",
				sheet(ui.IconFile, "Importing customers.csv into Customers", "4,500 entities in 45 transactions", ui.Nothing, []app.UI{
					ui.Track("Import", 0.44),
					ui.Div("tiles", tile("Rate", "13,870 rows/s", "", spark([]float64{9, 12, 13, 14, 13, 14})), tile("Remaining", about(3*time.Second), "4.5 s so far")),
					strip(partitions, parts)}, nil))}
		}},
	}
}

func exportExhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Options of an export", Draw: func() []app.UI {
		return []app.UI{ui.Div("options",
			option("Format", "as Storage Explorer writes and reads it", ui.Segments("Format", "0", []ui.Choice{{Value: "0", Label: "CSV"}, {Value: "1", Label: "JSON"}}, ui.Nothing)),
			option("Columns", "", check("type columns", "types", true, ui.Nothing)))}
	}}}
}
