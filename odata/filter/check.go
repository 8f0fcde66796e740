package filter

import "sandtable/odata"

// operand is a part of a filter during parsing, with its static type.
type operand struct {
	position int
	expr     Expr       // nil if it is not implemented
	typ      odata.Type // 0 if it depends on the entity
	null     bool       // the literal null
}

func constant(t token, v odata.Value) operand {
	return operand{t.position, &Constant{node{t.position}, v}, v.Type(), false}
}

func property(t token) operand {
	return operand{t.position, &Property{node{t.position}, t.text}, staticType(t.text), false}
}

// condition returns a Boolean operand.
func condition(x Expr) operand {
	return operand{x.Position(), x, odata.EdmBoolean, false}
}

// unknown returns a condition that has an error.
func unknown(position int) operand {
	return operand{position: position, typ: odata.EdmBoolean}
}

// staticType returns the type of a system property. Custom properties can have a
// different type in each entity.
func staticType(property string) odata.Type {
	switch property {
	case odata.PartitionKeyName, odata.RowKeyName:
		return odata.EdmString
	case odata.TimestampName:
		return odata.EdmDateTime
	default:
		return 0
	}
}

// isCondition reports whether the operand can be true or false.
func (x operand) isCondition() bool { return x.typ == 0 || x.typ == odata.EdmBoolean }

// refuseNull records an error if the operand is null.
func (p *parser) refuseNull(x operand) {
	if x.null {
		p.refuse(nullRefused(x.position))
	}
}

// join combines two operands and the operator between them.
func (p *parser) join(at int, o operator, left, right operand) operand {
	switch {
	case o.level == comparison:
		return p.compare(at, o, left, right)
	case o.level < comparison:
		return p.combine(at, o, left, right)
	default:
		p.refuse(ErrNotImplemented)
		return operand{position: left.position}
	}
}

// compare combines two operands by eq, ne, gt, ge, lt or le.
func (p *parser) compare(at int, o operator, left, right operand) operand {
	switch {
	case left.null || right.null:
		if o.compares != Equal && o.compares != NotEqual {
			p.mistyped(nullOrdered(at, o))
		}
		p.refuse(nullRefused(at))
		return unknown(left.position)
	case !comparableTypes(left.typ, right.typ):
		p.mistyped(incompatibleOperands(at, o, left.typ, right.typ))
		return unknown(left.position)
	}
	where := node{left.position}
	switch l := left.expr.(type) {
	case *Property:
		if r, ok := right.expr.(*Constant); ok {
			return condition(&Comparison{where, l.Name, o.compares, r.Value})
		}
	case *Constant:
		if r, ok := right.expr.(*Property); ok {
			return condition(&Comparison{where, r.Name, o.compares.mirrored(), l.Value})
		}
	}
	p.refuse(ErrNotImplemented)
	return unknown(left.position)
}

// comparableTypes reports whether values of the two types can be compared. All
// numbers are comparable.
func comparableTypes(a, b odata.Type) bool {
	return a == 0 || b == 0 || a == b || a.IsNumber() && b.IsNumber()
}

// combine combines two operands by and or or.
func (p *parser) combine(at int, o operator, left, right operand) operand {
	if !left.isCondition() || !right.isCondition() {
		p.mistyped(incompatibleOperands(at, o, left.typ, right.typ))
		return unknown(left.position)
	}
	p.refuseNull(left)
	p.refuseNull(right)
	where := node{left.position}
	if o.level == conjunction {
		return condition(&And{where, append(conjuncts(left.expr), conjuncts(right.expr)...)})
	}
	return condition(&Or{where, append(disjuncts(left.expr), disjuncts(right.expr)...)})
}

// conjuncts returns the operands of an And, so that a chain becomes one flat And
// whatever its parentheses.
func conjuncts(x Expr) []Expr {
	if x, ok := x.(*And); ok {
		return x.Operands
	}
	return []Expr{x}
}

func disjuncts(x Expr) []Expr {
	if x, ok := x.(*Or); ok {
		return x.Operands
	}
	return []Expr{x}
}

// negate applies not to an operand.
func (p *parser) negate(at int, x operand) operand {
	if !x.isCondition() {
		p.mistyped(incompatibleOperand(at, x.typ))
	}
	p.refuseNull(x)
	return condition(&Not{node{at}, x.expr})
}
