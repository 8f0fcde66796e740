package block

import (
	"math"
	"slices"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// program is a filter compiled for the entities of one shape: tests, each of
// which knows which test follows if it holds and which if it does not. What the
// shape alone decides needs no test.
type program struct {
	shape string // its encoding; "" for a program that is not compiled yet
	tests []test
	first int // the test to begin with

	// number is the first test if it compares an integer or an instant, and one of its
	// outcomes is a mismatch; else nil.
	number *test
}

// What may stand in place of the next test.
const (
	match    = -1
	mismatch = -2
)

// test compares the property in a column with a constant.
type test struct {
	*filter.Comparison
	column
	yes, no int // the next test

	// The constant: a text, or the numbers from low up to low+width.
	text       string
	low, width uint64
}

// compile adds the tests of x, the last one first, and returns where they begin:
// yes or no if the shape decides.
func (p *program) compile(b *Block, s shape, x filter.Expr, yes, no int) int {
	switch x := x.(type) {
	case *filter.Comparison:
		return p.compare(b.column(s, x.Property), x, yes, no)
	case *filter.Property:
		isTrue := &filter.Comparison{Property: x.Name, Operator: filter.Equal, Constant: odata.BooleanValue(true)}
		return p.compare(b.column(s, x.Name), isTrue, yes, no)
	case *filter.Constant:
		if x.Value == odata.BooleanValue(true) {
			return yes
		}
		return no
	case *filter.Not:
		return p.compile(b, s, x.Operand, no, yes)
	case *filter.And:
		for _, operand := range slices.Backward(x.Operands) {
			yes = p.compile(b, s, operand, yes, no)
		}
		return yes
	case *filter.Or:
		for _, operand := range slices.Backward(x.Operands) {
			no = p.compile(b, s, operand, yes, no)
		}
		return no
	default:
		return yes // no filter; there is no other Expr
	}
}

// compare adds the test of a comparison with the property in a column.
func (p *program) compare(c column, x *filter.Comparison, yes, no int) int {
	if c.kind == missingColumn {
		return no
	}
	constant, ok := x.ConstantFor(c.edmType())
	if !ok {
		if x.Operator.Holds(-1) {
			return yes
		}
		return no
	}
	t := test{Comparison: x, column: c, yes: yes, no: no, text: constant.Text()}
	switch c.kind {
	case encoding.Int32, encoding.Int64:
		t.testRange(constant.Int())
	case encoding.DateTime, timestampColumn:
		t.testRange(int64(constant.DateTime()))
	}
	p.tests = append(p.tests, t)
	return len(p.tests) - 1
}

// testRange turns the six comparisons of numbers into one: is it in a range?
// Three of them ask for the opposite, so they swap yes and no.
func (t *test) testRange(constant int64) {
	low, high := constant, constant
	switch t.Operator {
	case filter.GreaterThanOrEqual, filter.LessThan:
		high = math.MaxInt64
	case filter.LessThanOrEqual, filter.GreaterThan:
		low = math.MinInt64
	}
	t.low, t.width = uint64(low), uint64(high)-uint64(low)
	switch t.Operator {
	case filter.NotEqual, filter.LessThan, filter.GreaterThan:
		t.yes, t.no = t.no, t.yes
	}
}

// firstNumber returns what number is set to.
func (p *program) firstNumber() *test {
	if p.first < 0 {
		return nil
	}
	t := &p.tests[p.first]
	isNumber := t.kind == encoding.Int32 || t.kind == encoding.Int64 || t.kind == encoding.DateTime
	if !isNumber || t.yes != mismatch && t.no != mismatch {
		return nil
	}
	return t
}
