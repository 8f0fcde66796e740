package main

import (
	"fmt"
	"strings"

	"sandtable/odata"
)

// shape is what a store contains: entities by their number, in key order.
type shape struct {
	name       string
	n          int
	batch      int // entities of a transaction that loads
	table      func(i int) string
	key        func(i int) odata.Key
	properties func(i int) []odata.Property
}

func one(int) string { return "Table" }

// partitioned are keys in partitions of so many rows.
func partitioned(rows int) func(int) odata.Key {
	return func(i int) odata.Key {
		return odata.Key{PartitionKey: fmt.Sprintf("p%08d", i/rows), RowKey: fmt.Sprintf("r%09d", i)}
	}
}

// four properties: an entity of about a hundred bytes by the service's count.
func four(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue(fmt.Sprint("customer ", i))},
		{Name: "Age", Value: odata.Int32Value(int32(i % 100))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) / 4)},
		{Name: "Active", Value: odata.BooleanValue(i%3 == 0)},
	}
}

func small(n int) shape {
	return shape{name: fmt.Sprint(n), n: n, batch: 100, table: one, key: partitioned(500), properties: four}
}

// unusual are shapes that some stores cannot take.
func unusual() []shape {
	return []shape{
		{"one partition of 1,000,000", 1_000_000, 100, one, partitioned(1_000_000), four},
		{"1,000,000 partitions of one", 1_000_000, 100, one, partitioned(1), four},
		{"1,000 entities of 1 MiB", 1000, 4, one, partitioned(500), large},
		{"20,000 of 252 properties", 20_000, 20, one, partitioned(500), many},
		{"10,000 tables of 100", 1_000_000, 100, func(i int) string { return fmt.Sprintf("Table%05d", i/100) }, partitioned(500), four},
	}
}

// large has 16 properties of 64 KiB, the most that a property may have, a little
// less than 1 MiB in all.
func large(i int) []odata.Property {
	var all []odata.Property
	for p := range 15 {
		all = append(all, odata.Property{Name: fmt.Sprint("Text", p), Value: odata.StringValue(strings.Repeat(string(rune('a'+(i+p)%26)), 32<<10))})
	}
	return all
}

func many(i int) []odata.Property {
	var all []odata.Property
	for p := range 252 {
		all = append(all, odata.Property{Name: fmt.Sprintf("P%03d", p), Value: odata.Int32Value(int32(i + p))})
	}
	return all
}
