package engine_test

import (
	"fmt"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// customer returns an entity with seven properties of six types, as in e2e/peers.
// If mixed, every tenth has another shape.
func customer(i int, mixed bool) []odata.Property {
	properties := []odata.Property{
		{Name: "Name", Value: odata.StringValue(fmt.Sprint("Customer number ", i))},
		{Name: "City", Value: odata.StringValue("Springfield")},
		{Name: "Rank", Value: odata.Int32Value(int32(i * 7919 % 10_000))},
		{Name: "Price", Value: odata.DoubleValue(float64(i%1000) + 0.25)},
		{Name: "Stock", Value: odata.Int64Value(int64(i) * 1_000_003)},
		{Name: "Active", Value: odata.BooleanValue(i%2 == 0)},
		{Name: "Since", Value: odata.DateTimeValue(odata.MinDateTime + odata.DateTime(i%28))},
	}
	if mixed && i%10 == 0 {
		properties = append(properties, odata.Property{Name: "Note", Value: odata.StringValue("other")})
	}
	return properties
}

// BenchmarkFilter scans entities with several kinds of filters that match few of
// them or none.
func BenchmarkFilter(b *testing.B) {
	const n = 20_000
	for _, mixed := range []bool{false, true} {
		m := &engine.MemoryStorage{}
		db := open(b, m, engine.Options{CheckpointAfter: 1})
		createTable(b, db, "Bench")
		for range 2 {
			update(b, db, inTable("Bench", func(table *engine.Table) error {
				for i := range n {
					if _, err := table.Replace(benchKey(i), customer(i, mixed), engine.Upsert); err != nil {
						return err
					}
				}
				return nil
			}))
			db.Settle()
		}
		must(b, db.Close())
		db = open(b, m, engine.Options{CheckpointAfter: -1})
		for _, c := range []struct{ name, filter string }{
			{"integer", "Rank eq 10001"},
			{"integer, half of them", "Rank lt 5000 and Rank gt 10000"},
			{"string", "City eq 'Shelbyville'"},
			{"double", "Price gt 5000.0"},
			{"double and an integer", "Price gt 5000"},
			{"boolean", "Active and not Active"},
			{"instant", "Since lt datetime'1601-01-01'"},
			{"Timestamp", "Timestamp lt datetime'1601-01-02'"},
			{"row keys", "RowKey eq 'none'"},
			{"partitions", "PartitionKey ne 'none' and Rank gt 10000"},
			{"missing", "Missing eq 1"},
			{"several", "Rank ge 0 and City ne 'Shelbyville' and (Stock lt 0 or Price gt 5000.0)"},
		} {
			x := parseFilter(b, c.filter)
			b.Run(fmt.Sprintf("%s/mixed=%v", c.name, mixed), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					view(b, db, inTable("Bench", func(table *engine.Table) error {
						page, err := table.Query(engine.Query{Filter: x, Limit: 1000}).Page()
						if err == nil && page.Explain.Examined != n {
							b.Fatalf("examined %d of %d", page.Explain.Examined, n)
						}
						return err
					}))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
			})
		}
	}
}
