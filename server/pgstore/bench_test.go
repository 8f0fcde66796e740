//go:build unix

package pgstore_test

import (
	"fmt"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server"
)

// filled returns a store with partitions of 500 entities, like those of "make
// bench-peers".
func filled(b *testing.B) *benchStore {
	s, _ := openWithTable(b)
	for p := range 10 {
		for g := range 5 {
			keys := make([]odata.Key, 100)
			for i := range keys {
				keys[i] = key(fmt.Sprintf("p%05d", p), fmt.Sprintf("r%07d", g*100+i))
			}
			err := change(b, s, keys, func(table server.Table) error {
				for i, k := range keys {
					if _, err := table.Insert(k, customer(i)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return &benchStore{s}
}

type benchStore struct{ server.Store }

func customer(n int) []odata.Property {
	since, _ := odata.ParseDateTime("2024-03-12T12:00:00Z")
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue(fmt.Sprintf("Customer number %d", n))}, {Name: "City", Value: odata.StringValue("Springfield")},
		{Name: "Rank", Value: odata.Int32Value(int32(n))}, {Name: "Price", Value: odata.DoubleValue(float64(n) + 0.25)},
		{Name: "Stock", Value: odata.Int64Value(int64(n) * 1_000_003)}, {Name: "Active", Value: odata.BooleanValue(n%2 == 0)},
		{Name: "Since", Value: odata.DateTimeValue(since)},
	}
}

// BenchmarkPage reads a partition of 500 entities.
func BenchmarkPage(b *testing.B) {
	s := filled(b)
	x, err := filter.Parse("PartitionKey eq 'p00003'")
	if err != nil {
		b.Fatal(err)
	}
	q := engine.Query{Filter: x, Limit: odata.MaxPageSize}
	for b.Loop() {
		n := 0
		err := s.View(b.Context(), &server.Scope{Account: account, Table: tableName, Query: &q}, func(tx server.Tx) error {
			table, err := tx.Table()
			if err != nil {
				return err
			}
			rows := table.Query(q)
			defer rows.Close()
			for n = 0; rows.Next(); n++ {
			}
			return rows.Err()
		})
		if err != nil || n != 500 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkGet reads one entity.
func BenchmarkGet(b *testing.B) {
	s := filled(b)
	k := key("p00003", "r0000123")
	for b.Loop() {
		if get(b, s, k) == nil {
			b.Fatal("no entity")
		}
	}
}

// BenchmarkInsert inserts one entity; the database does not wait for the disk.
func BenchmarkInsert(b *testing.B) {
	s := filled(b)
	for n := 0; b.Loop(); n++ {
		k := key("new", fmt.Sprintf("r%07d", n))
		err := change(b, s, []odata.Key{k}, func(table server.Table) error { _, err := table.Insert(k, customer(n)); return err })
		if err != nil {
			b.Fatal(err)
		}
	}
}
