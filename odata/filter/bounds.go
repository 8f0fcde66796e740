package filter

import (
	"strings"

	"sandtable/odata"
)

// Bounds returns a range of keys that contains all matches of the filter. For a
// conjunction of comparisons of PartitionKey and RowKey it is the smallest such
// range. For an or it spans the ranges of all operands, including the gaps. If
// nothing can match, the range is empty; if the filter has no conditions on keys,
// it contains every key.
//
// Entities in the range still have to match the filter's [Remainder].
func Bounds(x Expr) odata.KeyRange { return areaOf(x, false).keyRange() }

// Remainder returns a filter that the entities within the filter's [Bounds] match if
// and only if they match the filter: without the comparisons of keys that hold for
// all of them. It is nil if they all match.
func Remainder(x Expr) Expr {
	a := areaOf(x, false)
	and, is := x.(*And)
	if !is {
		if a.implies(x) {
			return nil
		}
		return x
	}
	left := make([]Expr, 0, len(and.Operands))
	for _, operand := range and.Operands {
		if !a.implies(operand) {
			left = append(left, operand)
		}
	}
	switch len(left) {
	case 0:
		return nil
	case 1:
		return left[0]
	}
	return &And{and.node, left}
}

// implies reports whether a comparison that is one of the operands that a was made of
// holds for all keys of its range. The range has no partition outside of its span, but
// rows outside of theirs, unless it is in a single partition.
func (a area) implies(x Expr) bool {
	c, is := x.(*Comparison)
	if !is || c.Operator == NotEqual || c.Constant.Type() != odata.EdmString {
		return false
	}
	switch c.Property {
	case odata.PartitionKeyName:
		return true
	case odata.RowKeyName:
		return a.partitions.to == a.partitions.from+successor
	}
	return false
}

// area is the set of keys with a PartitionKey in one span and a RowKey in another
// that are also in a range. The spans represent what a range cannot (the same
// rows of several partitions), the range what the spans cannot (from a row of one
// partition to a row of another).
type area struct {
	partitions span
	rows       span
	keys       odata.KeyRange
}

// areaOf returns an area with the keys of all entities that match x or, if
// inverted, do not match x. Inversion is exact for keys, because every entity has
// them and their type is known.
func areaOf(x Expr, inverted bool) area {
	switch x := x.(type) {
	case *Comparison:
		return comparedArea(x, inverted)
	case *Constant:
		if isTrue(x.Value) == inverted {
			return noArea
		}
	case *Not:
		return areaOf(x.Operand, !inverted)
	case *And:
		return joinedArea(x.Operands, inverted, !inverted)
	case *Or:
		return joinedArea(x.Operands, inverted, inverted)
	}
	return area{}
}

// noArea is the empty area. The zero area contains all keys.
var noArea = area{keys: odata.KeyRange{Bounded: true}}

// joinedArea returns the area of operands that must all match, or at least one.
func joinedArea(operands []Expr, inverted, all bool) area {
	joined := noArea
	if all {
		joined = area{}
	}
	for _, x := range operands {
		if all {
			joined = joined.intersect(areaOf(x, inverted))
		} else {
			joined = joined.cover(areaOf(x, inverted))
		}
	}
	return joined
}

// comparedArea returns the area of one comparison.
func comparedArea(x *Comparison, inverted bool) area {
	o := x.Operator
	if inverted {
		o = o.inverted()
	}
	switch {
	case x.Constant.Type() != odata.EdmString:
		return area{}
	case x.Property == odata.PartitionKeyName:
		return area{partitions: comparedSpan(o, x.Constant.Text())}
	case x.Property == odata.RowKeyName:
		return area{rows: comparedSpan(o, x.Constant.Text())}
	}
	return area{}
}

func (a area) intersect(b area) area {
	return area{a.partitions.intersect(b.partitions), a.rows.intersect(b.rows), a.keys.Intersect(b.keys)}
}

// cover returns an area that contains both a and b.
func (a area) cover(b area) area {
	keysA, keysB := a.keyRange(), b.keyRange()
	switch {
	case keysA.IsEmpty():
		return b
	case keysB.IsEmpty():
		return a
	}
	return area{a.partitions.cover(b.partitions), a.rows.cover(b.rows), keysA.Span(keysB)}
}

// keyRange returns the smallest range that contains the area.
func (a area) keyRange() odata.KeyRange {
	if a.rows.isEmpty() {
		return noArea.keys
	}
	r := odata.KeyRange{From: odata.Key{PartitionKey: a.partitions.from, RowKey: a.rows.from}}
	if a.partitions.bounded {
		r.Bounded = true
		r.To = odata.Key{PartitionKey: a.partitions.to}
		if last, ok := strings.CutSuffix(a.partitions.to, successor); ok && a.rows.bounded {
			// The last partition is included, so the range ends with its last row.
			r.To = odata.Key{PartitionKey: last, RowKey: a.rows.to}
		}
	}
	if r = r.Intersect(a.keys); r.IsEmpty() {
		return noArea.keys
	}
	return r
}

// successor appended to a key gives the next one: nothing is between "a" and
// "a\x00".
const successor = "\x00"

// span is a half-open range of one key. The zero span contains every value.
type span struct {
	from    string
	to      string
	bounded bool
}

// comparedSpan returns the values for which the comparison holds.
func comparedSpan(o Operator, constant string) span {
	switch o {
	case Equal:
		return span{constant, constant + successor, true}
	case GreaterThan:
		return span{from: constant + successor}
	case GreaterThanOrEqual:
		return span{from: constant}
	case LessThan:
		return span{"", constant, true}
	case LessThanOrEqual:
		return span{"", constant + successor, true}
	default: // NotEqual: all but one value
		return span{}
	}
}

func (s span) isEmpty() bool { return s.bounded && odata.Compare(s.from, s.to) >= 0 }

func (s span) intersect(t span) span {
	if odata.Compare(s.from, t.from) < 0 {
		s.from = t.from
	}
	if t.bounded && (!s.bounded || odata.Compare(t.to, s.to) < 0) {
		s.to, s.bounded = t.to, true
	}
	return s
}

// cover returns the smallest span that contains both s and t, which are not
// empty.
func (s span) cover(t span) span {
	if odata.Compare(t.from, s.from) < 0 {
		s.from = t.from
	}
	if !s.bounded || !t.bounded {
		s.to, s.bounded = "", false
	} else if odata.Compare(s.to, t.to) < 0 {
		s.to = t.to
	}
	return s
}
