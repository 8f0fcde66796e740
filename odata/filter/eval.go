package filter

import "sandtable/odata"

// Entity is a set of named values, such as [*odata.Entity] or an encoded entity.
type Entity interface {
	// Property returns the value with this name, and whether it exists.
	Property(name string) (odata.Value, bool)
}

// Match reports whether the entity matches the filter. It evaluates from left to
// right, stops as soon as the result is known, and does not allocate. A nil
// filter matches every entity.
func Match(x Expr, e Entity) bool {
	switch x := x.(type) {
	case *Comparison:
		v, ok := e.Property(x.Property)
		return ok && x.Holds(v)
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
		return true // no filter
	}
}

func isTrue(v odata.Value) bool { return v.Type() == odata.EdmBoolean && v.Bool() }

// Holds reports whether the comparison holds for a stored value.
func (x *Comparison) Holds(stored odata.Value) bool {
	constant, ok := x.ConstantFor(stored.Type())
	if !ok {
		return x.Operator.Holds(-1)
	}
	c, ordered := odata.CompareValues(stored, constant)
	if !ordered {
		return x.Operator == NotEqual // one of them is NaN
	}
	return x.Operator.Holds(c)
}

// ConstantFor converts the constant to the type of stored values. It reports false
// if they are not comparable: the stored value counts as smaller then. A constant
// is only widened to a larger stored number; a stored Edm.Int32 is smaller than
// any Edm.Int64.
//
// Source: the comparison matrix of a live test suite, all types with all types.
func (x *Comparison) ConstantFor(stored odata.Type) (odata.Value, bool) {
	c := x.Constant.Type()
	switch {
	case stored == c:
		return x.Constant, true
	case stored == odata.EdmInt64 && c == odata.EdmInt32:
		return odata.Int64Value(x.Constant.Int()), true
	case stored == odata.EdmDouble && (c == odata.EdmInt32 || c == odata.EdmInt64):
		// An Edm.Int64 beyond 2^53 is rounded to a double first.
		return odata.DoubleValue(float64(x.Constant.Int())), true
	}
	return odata.Value{}, false
}
