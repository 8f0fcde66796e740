package listing

import (
	"cmp"

	"sandtable/odata"
	"sandtable/web/client"
)

// Compare returns the order of a column: absent values last, then by type where
// types differ, then by value. Descending turns values around, absent ones stay
// last. Equal rows stay in the order of their keys.
func Compare(column string, descending bool) func(a, b client.Entity) int {
	return func(a, b client.Entity) int {
		x, y := value(a, column), value(b, column)
		switch {
		case x.IsZero() || y.IsZero():
			return order(x.IsZero(), y.IsZero())
		case x.Type() != y.Type() && !(x.Type().IsNumber() && y.Type().IsNumber()):
			return int(x.Type()) - int(y.Type())
		}
		n, ok := odata.CompareValues(x, y)
		if !ok {
			n = compareNumbers(x, y)
		}
		if descending {
			return -n
		}
		return n
	}
}

func value(e client.Entity, column string) odata.Value {
	if column == odata.TimestampName {
		return odata.DateTimeValue(e.Timestamp)
	}
	v, _ := client.ValueOf(e.Entity, column)
	return v
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// compareNumbers compares numbers of different types, near 2^53 as closely as a
// Double can. NaN comes first.
func compareNumbers(x, y odata.Value) int { return cmp.Compare(float(x), float(y)) }

func float(v odata.Value) float64 {
	if v.Type() == odata.EdmDouble {
		return v.Float()
	}
	return float64(v.Int())
}
