package snapshots

import (
	"encoding/json"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Snapshots", Draw: func() []app.UI {
		return []app.UI{drawTable(sampleList(), control.Snapshot{Tables: 4, Entities: 1021017}, "2", ui.Nothing), app.Div().Class("panel snapshot-panel").
			Body(ui.Div("body", drawDifferences(sampleDifferences(), ui.Nothing)...))}
	}}}
}

func sampleList() control.Snapshots {
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 2, 11, 0, time.UTC) }
	return control.Snapshots{State: "now", Bytes: 2_800_000, Limit: 32, Snapshots: []control.Snapshot{
		{ID: "1", Name: "clean sample data", Kind: "taken", Taken: at(18, 9), Tables: 4, Entities: 1020705, Bytes: 1_900_000, State: "1"},
		{ID: "2", Name: "before the price change", Kind: "taken", Taken: at(20, 18), Tables: 4, Entities: 1021026, Bytes: 300_000, State: "2"},
		{ID: "3", Name: "before import of sessions.csv", Kind: "import", Taken: at(20, 11), Tables: 4, Entities: 1020705, Bytes: 100_000, State: "3"},
		{ID: "4", Name: "demo for Tuesday", Kind: "file", Taken: at(19, 16), Tables: 4, Entities: 20, Bytes: 600_000, State: "4", Incomplete: true},
	}}
}

func sampleDifferences() control.Differences {
	entity := func(text string) (e map[string]json.RawMessage) {
		_ = json.Unmarshal([]byte(text), &e)
		return e
	}
	return control.Differences{
		Differing: control.Differing{ComeBack: 12, Go: 3, Change: 40}, Complete: true,
		Tables: []control.TableDiffering{
			{Name: "Customers", Differing: control.Differing{ComeBack: 12, Go: 1, Change: 31}}, {Name: "Orders", Differing: control.Differing{Go: 2, Change: 9}},
			{Name: "Sensors"}, {Name: "Sessions", Deleted: true},
		},
		First: []control.Difference{
			{Table: "Customers", After: entity(`{"PartitionKey":"EU-West","RowKey":"00001044","Age":42}`)},
			{Table: "Customers", Before: entity(`{"PartitionKey":"EU-West","RowKey":"00003001"}`)},
			{Table: "Customers", Before: entity(`{"PartitionKey":"EU-West","RowKey":"00001020","Age":42,"Balance":1646.0}`), After: entity(`{"PartitionKey":"EU-West","RowKey":"00001020","Age":41,"Balance":1580.0}`)},
		},
	}
}
