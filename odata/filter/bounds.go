package filter

import (
	"strings"

	"sandtable/odata"
)

// Bounds returns a range of keys that holds the keys of all entities that fit
// the filter; whoever looks for them need not look outside of it. For
// comparisons of PartitionKey and RowKey joined by and it is the smallest such
// range. It can be larger than needed below an or, where it spans the ranges of
// all operands and what is between them. If no entity can fit, the range is
// empty; if the filter does not say anything about keys, it holds every key.
//
// What was found is a range and no more: entities in it have still to be
// matched.
func Bounds(x Expr) odata.KeyRange { return areaOf(x, false).keyRange() }

// area is a set of keys: those with a PartitionKey in one span and a RowKey in
// another that are also in a range of keys. The spans keep what a range cannot
// say (the same rows of several partitions) until it is known whether there is
// one partition only; the range keeps what the spans cannot say (from this row
// of one partition to that row of another).
type area struct {
	partitions span
	rows       span
	keys       odata.KeyRange
}

// areaOf returns an area with the keys of all entities that fit x or, if
// inverted, of all that do not fit x. Inverting is exact for keys because every
// entity has them and their type is known.
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

// noArea is the area without keys, which the zero area, with all keys, is not.
var noArea = area{keys: odata.KeyRange{Bounded: true}}

// joinedArea returns the area of operands that must all fit, or of which one
// must.
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

// cover returns an area that holds both a and b.
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

// keyRange returns the smallest range that holds the spans' keys, cut to the
// area's own.
func (a area) keyRange() odata.KeyRange {
	if a.partitions.isEmpty() || a.rows.isEmpty() {
		return noArea.keys
	}
	r := odata.KeyRange{From: odata.Key{PartitionKey: a.partitions.from, RowKey: a.rows.from}}
	if a.partitions.bounded {
		r.Bounded = true
		r.To = odata.Key{PartitionKey: a.partitions.to}
		if last, ok := strings.CutSuffix(a.partitions.to, successor); ok && a.rows.bounded {
			// The last partition is known, and with it the last row.
			r.To = odata.Key{PartitionKey: last, RowKey: a.rows.to}
		}
	}
	if r = r.Intersect(a.keys); r.IsEmpty() {
		return noArea.keys
	}
	return r
}

// successor makes of a key the next one: nothing is between "a" and "a\x00".
const successor = "\x00"

// span is a run of values of one key, from the first up to but without the
// last if it is bounded. The zero span holds every value.
type span struct {
	from    string
	to      string
	bounded bool
}

// comparedSpan returns the values that compare so with the constant.
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
	default: // All but one value: that is no span.
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

// cover returns the smallest span that holds both s and t, none of them empty.
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
