package entity

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/ui"
)

// Exhibit shows the comparison after a conflict, before and after the choice.
func Exhibit() ui.Exhibit {
	return ui.Exhibit{Name: "Conflict", Draw: func() []app.UI {
		var all []app.UI
		for _, chosen := range []map[string]draft.Side{nil, {"Tier": draft.Mine}} {
			m := merging{Merge: draft.MergeOf(tier("silver", 42, 1646), tier("gold", 43, 1646), tier("platinum", 42, 1802.5), chosen), chosen: chosen}
			m.theirs = client.Entity{Entity: m.Theirs}
			all = append(all, m.table(ui.Nothing), m.same(ui.Nothing), m.advice(), m.preview())
		}
		return all
	}}
}

func tier(tier string, age int32, balance float64) *odata.Entity {
	return &odata.Entity{PartitionKey: "EU-West", RowKey: "00001020", Timestamp: odata.MinDateTime, Properties: []odata.Property{
		{Name: "Name", Value: odata.StringValue("Dmitri Volkov")}, {Name: "Age", Value: odata.Int32Value(age)},
		{Name: "Balance", Value: odata.DoubleValue(balance)}, {Name: "Tier", Value: odata.StringValue(tier)}}}
}
