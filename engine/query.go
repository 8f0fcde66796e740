package engine

import (
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
)

// Kind says how much of a table a query had to walk.
type Kind uint8

// The kinds of queries, from the cheapest to the dearest.
const (
	// Point is at most one key.
	Point Kind = iota
	// RowRange is a range of keys within one partition.
	RowRange
	// PartitionScan is the whole of one partition.
	PartitionScan
	// TableScan is more than one partition.
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

// kindOf returns the kind of a query of this range.
func kindOf(r odata.KeyRange) Kind {
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

// Query asks for the entities of a table that match, in the order of their keys.
type Query struct {
	// Filter is what an entity has to match; nil for all.
	Filter filter.Expr
	// Within is a range beside the one that follows from the filter.
	Within odata.KeyRange
	// From is where a page begins, itself included: the Next of the one before.
	From odata.Key
	// Limit is how many entities a page has at most; 0 for any number.
	Limit int
	// Each, unless it is nil, gets the entities in the place of the page, each
	// while the query is at it: nothing is made for one that stands in a block.
	// The entity and its properties are good for the call alone, its texts for
	// ever. When it returns false the page ends with this entity, as if that were
	// its limit.
	Each func(*odata.Entity) bool
	// Select, unless it is nil, names the custom properties that Each is shown;
	// others may be there as well.
	Select []string
	// Deadline is asked now and then, and ends the page early when it returns
	// true; nil for none. A page always gets further.
	Deadline func() bool
}

// Page is the answer to a query, or the beginning of it.
type Page struct {
	Entities []*odata.Entity // nil for a Query with Each
	// Next is where the next page begins, nil at the end. A page that its limit
	// ended knows of another match, unless the deadline kept it from looking.
	Next    *odata.Key
	Explain Explain
}

// Explain says what a query did.
type Explain struct {
	Kind     Kind // of the whole query, not of this page
	Blocks   int  // walked; what has changed since the last checkpoint stands in none
	Examined int  // entities
	Returned int  // entities
}

// The deadline is asked after so many entities, or so many bytes of blocks, of
// which a few entities may have many; and when the storage was waited for.
const (
	deadlineEvery = 256
	deadlineBytes = 64 << 10
)

// queryTurn is about how long a query works before it lets others have their
// turn. It looks at the time, which is a call into JavaScript in a browser, only
// after so many stretches of deadlineEvery or deadlineBytes.
const (
	queryTurn     = 4 * time.Millisecond
	turnStretches = 4
)

// Query returns one page. It walks no more than the range that the filter,
// Within and From have in common. The error, beside [ErrTableNotFound] and
// [ErrClosed], is about blocks that the storage could not give out now, and wraps
// [ErrStorage]. A block that is lost is passed over: see [DB.Corruption].
func (t *Table) Query(q Query) (Page, error) {
	c, err := t.contents()
	if err != nil {
		return Page{}, err
	}
	keys := q.Within
	if q.Filter != nil {
		keys = keys.Intersect(filter.Bounds(q.Filter))
	}
	page := Page{Explain: Explain{Kind: kindOf(keys)}}
	keys = keys.Intersect(odata.KeyRange{From: q.From})
	if keys.IsEmpty() {
		return page, nil
	}
	w := walk{Query: &q, tx: t.tx, contents: c, page: &page, keys: keys}
	if err := w.run(); err != nil {
		return Page{}, err
	}
	return page, nil
}
