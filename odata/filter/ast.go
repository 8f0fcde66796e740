package filter

import (
	"iter"

	"sandtable/odata"
)

// Expr is a filter or a part of one: a [Comparison], a [Property], a
// [Constant], a [Not], an [And] or an [Or]; there are no others. It is
// immutable. A nil Expr means no filter.
type Expr interface {
	// String returns a filter that parses to this Expr, with only the necessary
	// parentheses, and those after not.
	String() string
	// AppendText appends what String returns.
	AppendText(b []byte) []byte
	// Position is the offset of the Expr in the parsed text, in UTF-16 code units.
	Position() int

	expr()
}

// node is the common part of all kinds of Expr.
type node struct{ position int }

// Position implements [Expr].
func (n node) Position() int { return n.position }

func (node) expr() {}

// Comparison compares a property with a constant. If the constant was on the left,
// the operator is mirrored: 5 lt A is A gt 5.
type Comparison struct {
	node
	Property string
	Operator Operator
	Constant odata.Value
}

// Property is a property as a condition, which holds if it is true.
type Property struct {
	node
	Name string
}

// Constant is a constant as a condition: true or false.
type Constant struct {
	node
	Value odata.Value
}

// Not holds if its operand does not.
type Not struct {
	node
	Operand Expr
}

// And holds if all its operands do. It has at least two, none of them an And.
type And struct {
	node
	Operands []Expr
}

// Or holds if one of its operands does. It has at least two, none of them an Or.
type Or struct {
	node
	Operands []Expr
}

// Properties returns the names of the filter's properties from left to right,
// with duplicates.
func Properties(x Expr) iter.Seq[string] {
	return func(yield func(string) bool) { eachProperty(x, yield) }
}

func eachProperty(x Expr, yield func(string) bool) bool {
	switch x := x.(type) {
	case *Comparison:
		return yield(x.Property)
	case *Property:
		return yield(x.Name)
	case *Not:
		return eachProperty(x.Operand, yield)
	case *And:
		return eachPropertyOf(x.Operands, yield)
	case *Or:
		return eachPropertyOf(x.Operands, yield)
	default:
		return true // a Constant, or no filter
	}
}

func eachPropertyOf(operands []Expr, yield func(string) bool) bool {
	for _, x := range operands {
		if !eachProperty(x, yield) {
			return false
		}
	}
	return true
}
