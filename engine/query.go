package engine

import (
	"sandtable/odata"
	"sandtable/odata/filter"
)

// Kind says how much of a table a query has to examine.
type Kind uint8

// The kinds of queries, from the cheapest to the most expensive.
const (
	// Point examines at most one key.
	Point Kind = iota
	// RowRange examines a range of keys within one partition.
	RowRange
	// PartitionScan examines one whole partition.
	PartitionScan
	// TableScan examines more than one partition.
	TableScan
)

var kindNames = [...]string{
	Point: "point", RowRange: "row range", PartitionScan: "partition scan", TableScan: "table scan",
}

// String returns the kind in words, such as "row range".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown kind"
}

// KindOf returns the kind of a query of this range.
func KindOf(r odata.KeyRange) Kind {
	from := odata.Key{PartitionKey: r.From.PartitionKey}
	switch {
	case r.IsEmpty() || r.Bounded && r.To == r.From.Next():
		return Point
	case !r.Bounded || from.NextPartition().Less(r.To):
		return TableScan
	case r.From == from && r.To == from.NextPartition():
		return PartitionScan
	}
	return RowRange
}

// Query selects one page of the entities of a table that match, in key order.
// The zero Query selects all of them.
type Query struct {
	// Filter is what an entity has to match; nil for all.
	Filter filter.Expr
	// Within further limits the range that follows from the filter.
	Within odata.KeyRange
	// From is the key at which the page begins: the [Cursor.Continuation] of the
	// page before.
	From odata.Key
	// Limit is how many entities a page has at most; 0 for any number.
	Limit int
	// Select, unless it is nil, names the custom properties that [Cursor.Row] has
	// to contain; others may be missing.
	Select []string
	// Deadline is called every 64 KiB or 256 entities, and ends the page early
	// when it returns true; nil for none. Every page makes progress.
	Deadline func() bool
}

// Explain says what a query did.
type Explain struct {
	Kind       Kind // of the whole query, not of this page
	Blocks     int  // searched; changes since the last checkpoint are in none
	Partitions int  // that the examined entities belong to
	Examined   int  // entities
	Returned   int  // entities
}

// Page is the result of a query in memory, see [Cursor.Page].
type Page struct {
	Entities []*odata.Entity
	// Next is the [Cursor.Continuation].
	Next    *odata.Key
	Explain Explain
}
