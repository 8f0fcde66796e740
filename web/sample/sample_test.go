package sample

import (
	"testing"

	"sandtable/odata"
)

func TestSets(t *testing.T) {
	partitions := map[string]int{"Customers": 34, "Orders": 24, "Sensors": 50}
	for _, s := range Sets() {
		for _, table := range s.Tables {
			n, seen := 0, map[string]bool{}
			var last odata.Key
			for e := range table.Each {
				n++
				seen[e.PartitionKey] = true
				if n > 1 && !last.Less(e.Key()) {
					t.Fatalf("%s: %v follows %v", table.Name, e.Key(), last)
				}
				last = e.Key()
			}
			if n != table.Entities || len(seen) != partitions[table.Name] {
				t.Errorf("%s: %d entities in %d partitions, want %d in %d", table.Name, n, len(seen), table.Entities, partitions[table.Name])
			}
		}
	}
}
