package filter

import (
	"cmp"

	"sandtable/odata"
)

// Entity is what a filter looks at: a set of named values. [*odata.Entity] is
// one; so can be anything that finds a property in an encoded entity.
type Entity interface {
	// Property returns the value with this name, and whether there is one.
	Property(name string) (odata.Value, bool)
}

// Match reports whether the entity fits the filter. It looks properties up
// from left to right and stops as soon as the answer is known, and allocates
// nothing by itself. A nil filter fits every entity.
func Match(x Expr, e Entity) bool {
	switch x := x.(type) {
	case *Comparison:
		v, ok := e.Property(x.Property)
		return ok && x.holds(v)
	case *Property:
		v, ok := e.Property(x.Name)
		return ok && isTrue(v)
	case *Constant:
		return isTrue(x.Value)
	case *Not:
		return !Match(x.Operand, e)
	case *And:
		for _, operand := range x.Operands {
			if !Match(operand, e) {
				return false
			}
		}
		return true
	case *Or:
		for _, operand := range x.Operands {
			if Match(operand, e) {
				return true
			}
		}
		return false
	default:
		return true // no filter; there is no other Expr
	}
}

func isTrue(v odata.Value) bool { return v.Type() == odata.EdmBoolean && v.Bool() }

// holds reports whether the comparison holds for a value that is there.
func (x *Comparison) holds(stored odata.Value) bool {
	c, ordered := order(stored, x.Constant)
	if !ordered {
		return x.Operator == NotEqual
	}
	switch x.Operator {
	case Equal:
		return c == 0
	case NotEqual:
		return c != 0
	case GreaterThan:
		return c > 0
	case GreaterThanOrEqual:
		return c >= 0
	case LessThan:
		return c < 0
	default:
		return c <= 0
	}
}

// order returns the order of a stored value and a constant, or false if there
// is none because one of them is NaN. A stored value of another type is
// smaller than any constant, but for the integers that a wider stored number
// is compared with. The opposite does not hold: a stored Edm.Int32 is smaller
// than any Edm.Int64.
//
// Source: the comparison matrix of a live test suite, all types with all types.
func order(stored, constant odata.Value) (int, bool) {
	s, c := stored.Type(), constant.Type()
	switch {
	case s == c:
		return odata.CompareValues(stored, constant)
	case s == odata.EdmInt64 && c == odata.EdmInt32:
		return cmp.Compare(stored.Int(), constant.Int()), true
	case s == odata.EdmDouble && (c == odata.EdmInt32 || c == odata.EdmInt64):
		// An Edm.Int64 beyond 2^53 is rounded to a double first.
		return odata.CompareValues(stored, odata.DoubleValue(float64(constant.Int())))
	default:
		return -1, true
	}
}
