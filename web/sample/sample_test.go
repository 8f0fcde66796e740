package sample

import (
	"slices"
	"testing"

	"sandtable/odata"
)

// TestSets: each table has the entities and the partitions that it says, in key order.
func TestSets(t *testing.T) {
	partitions := map[string]int{"Customers": 34, "Orders": 24, "Sensors": 50}
	entities := map[string]int{"Retail orders": 20705, "Sensor readings": 100_000}
	for _, s := range Sets() {
		if got := s.Entities(); got != entities[s.Name] {
			t.Errorf("%s: %d entities, want %d", s.Name, got, entities[s.Name])
		}
		for _, table := range s.Tables {
			var counts []int
			var last odata.Key
			for e := range table.Each {
				key := e.Key()
				if len(counts) > 0 && !last.Less(key) {
					t.Fatalf("%s: %v follows %v", table.Name, key, last)
				}
				if len(counts) == 0 || last.PartitionKey != key.PartitionKey {
					counts = append(counts, 0)
				}
				counts[len(counts)-1]++
				last = key
			}
			if len(counts) != partitions[table.Name] || !slices.Equal(counts, table.Partitions) {
				t.Errorf("%s: %d partitions of %v, want %d of %v", table.Name, len(counts), counts, partitions[table.Name], table.Partitions)
			}
		}
	}
}
