package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
)

// Exhibit is an entry of the gallery: one part of the page in several states.
type Exhibit struct {
	Name string
	Draw func() []app.UI
}

// Nothing is a handler for exhibits.
func Nothing(app.Context, app.Event) {}

// Sample returns an entity with a property of each type, for exhibits.
func Sample() *odata.Entity {
	return &odata.Entity{PartitionKey: "EU-West", RowKey: "00001020", Properties: []odata.Property{
		{Name: "Name", Value: odata.StringValue("Dmitri Volkov")},
		{Name: "Age", Value: odata.Int32Value(42)},
		{Name: "Balance", Value: odata.DoubleValue(1646)},
		{Name: "Active", Value: odata.BooleanValue(true)},
		{Name: "Since", Value: odata.DateTimeValue(odata.MinDateTime)},
		{Name: "Visits", Value: odata.Int64Value(9007199254740993)},
		{Name: "Device", Value: odata.GuidValue(odata.Guid{0xA4})},
		{Name: "Photo", Value: odata.BinaryValue([]byte("sand"))},
	}}
}
