package samples

import (
	"embed"
	"math"

	"sandtable/odata"
)

// Files are the samples, named "format-1.json" by version: the directory of a
// store and its blocks, as encoding/json writes the engine's types.
//
//go:embed format-*.json
var Files embed.FS

// Entities returns the entities of each table of a sample: every type with its
// edge cases, and unusual keys.
func Entities() []odata.Entity {
	return []odata.Entity{
		{PartitionKey: "", RowKey: ""},
		{PartitionKey: "p", RowKey: "\U0001F600"},
		{PartitionKey: "p", RowKey: "\uFFFD", Properties: []odata.Property{
			{Name: "Binary", Value: odata.BinaryValue([]byte{0, 1, 0xFF})},
			{Name: "NoBytes", Value: odata.BinaryValue(nil)},
			{Name: "True", Value: odata.BooleanValue(true)},
			{Name: "False", Value: odata.BooleanValue(false)},
			{Name: "First", Value: odata.DateTimeValue(odata.MinDateTime)},
			{Name: "Last", Value: odata.DateTimeValue(odata.MaxDateTime)},
			{Name: "Double", Value: odata.DoubleValue(-0.1)},
			{Name: "NaN", Value: odata.DoubleValue(math.NaN())},
			{Name: "Infinite", Value: odata.DoubleValue(math.Inf(-1))},
			{Name: "NegativeZero", Value: odata.DoubleValue(math.Copysign(0, -1))},
			{Name: "Guid", Value: odata.GuidValue(odata.Guid{0: 1, 15: 0xFE})},
			{Name: "Min32", Value: odata.Int32Value(math.MinInt32)},
			{Name: "Max32", Value: odata.Int32Value(math.MaxInt32)},
			{Name: "Min64", Value: odata.Int64Value(math.MinInt64)},
			{Name: "Max64", Value: odata.Int64Value(math.MaxInt64)},
			{Name: "Empty", Value: odata.StringValue("")},
			{Name: "Größe", Value: odata.StringValue("\x00\"\\\u2028")},
		}},
	}
}
