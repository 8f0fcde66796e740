package filter

// String implements [Expr].
func (x *Comparison) String() string { return string(x.AppendText(nil)) }

// AppendText implements [Expr].
func (x *Comparison) AppendText(b []byte) []byte {
	b = append(append(b, x.Property...), ' ')
	b = append(append(b, x.Operator.String()...), ' ')
	return appendLiteral(b, x.Constant)
}

// String implements [Expr].
func (x *Property) String() string { return x.Name }

// AppendText implements [Expr].
func (x *Property) AppendText(b []byte) []byte { return append(b, x.Name...) }

// String implements [Expr].
func (x *Constant) String() string { return string(x.AppendText(nil)) }

// AppendText implements [Expr].
func (x *Constant) AppendText(b []byte) []byte { return appendLiteral(b, x.Value) }

// String implements [Expr].
func (x *Not) String() string { return string(x.AppendText(nil)) }

// AppendText implements [Expr]. The parentheses around a comparison are not
// needed here, but OData's own grammar, unlike this service's, would apply not
// to the property alone.
func (x *Not) AppendText(b []byte) []byte {
	b = append(b, "not "...)
	switch x.Operand.(type) {
	case *Comparison, *And, *Or:
		return appendInParens(b, x.Operand)
	default:
		return x.Operand.AppendText(b)
	}
}

// String implements [Expr].
func (x *And) String() string { return string(x.AppendText(nil)) }

// AppendText implements [Expr].
func (x *And) AppendText(b []byte) []byte {
	for i, operand := range x.Operands {
		if i > 0 {
			b = append(b, " and "...)
		}
		if _, ok := operand.(*Or); ok {
			b = appendInParens(b, operand)
		} else {
			b = operand.AppendText(b)
		}
	}
	return b
}

// String implements [Expr].
func (x *Or) String() string { return string(x.AppendText(nil)) }

// AppendText implements [Expr].
func (x *Or) AppendText(b []byte) []byte {
	for i, operand := range x.Operands {
		if i > 0 {
			b = append(b, " or "...)
		}
		b = operand.AppendText(b)
	}
	return b
}

func appendInParens(b []byte, x Expr) []byte {
	return append(x.AppendText(append(b, '(')), ')')
}
