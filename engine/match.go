package engine

import (
	"math"
	"slices"

	"sandtable/odata"
	"sandtable/odata/filter"
)

// matcher is the filter of a query, as it looks at the entities of blocks. It
// says of each what [filter.Match] does, and finds out once for all entities of
// a shape what does not depend on their values.
type matcher struct {
	filter filter.Expr // nil for none
	row    *row        // for what is read with its help
	block  *block
	shape  int         // of the entity before; -1 for none
	use    *predicate  // that of the shape
	made   []predicate // by the numbers of their shapes
}

// mostPredicates is how many are kept. In a block of more shapes there is
// hardly an entity for which making one would be worth it.
const mostPredicates = 64

// next returns the first entity of a block, from i on and before stop, that
// matches; or stop.
func (m *matcher) next(b *block, i, stop int) int {
	switch {
	case m.filter == nil:
		return i
	case b.shapes > mostPredicates:
		return m.nextRow(b, i, stop)
	}
	if m.block != b {
		m.block, m.shape = b, -1
	}
	for ; i < stop; i++ {
		size, rowKey := b.uvarint(b.offset(i))
		shape, values := b.uvarint(rowKey + size + 8)
		if shape != m.shape {
			m.shape, m.use = shape, m.predicate(shape)
		}
		if m.matches(i, values) {
			break
		}
	}
	return i
}

// nextRow is next without predicates.
func (m *matcher) nextRow(b *block, i, stop int) int {
	for ; i < stop; i++ {
		m.row.at(b, i)
		if filter.Match(m.filter, m.row) {
			break
		}
	}
	return i
}

// predicate returns that of a shape. Most blocks of a table have the same
// shapes, under the same numbers.
func (m *matcher) predicate(shape int) *predicate {
	for len(m.made) <= shape {
		m.made = append(m.made, predicate{})
	}
	b, p := m.block, &m.made[shape]
	if text := b.text[b.shapeStart(shape):b.shapeStart(shape+1)]; p.shape != text {
		*p = predicate{shape: text}
		p.first = p.add(b, b.shape(shape), m.filter, match, mismatch)
	}
	return p
}

// matches reports whether an entity does, whose values stand somewhere.
func (m *matcher) matches(i, values int) bool {
	at := m.use.first
	for at >= 0 {
		if t := &m.use.tests[at]; m.holds(t, i, values) {
			at = t.yes
		} else {
			at = t.no
		}
	}
	return at == match
}

// holds does a test.
func (m *matcher) holds(t *test, i, values int) bool {
	var number int64
	switch b := m.block; t.kind {
	case storedInt32:
		number = int64(int32(b.uint32(values + t.at)))
	case storedInt64, storedDateTime:
		number = int64(b.uint64(values + t.at))
	case columnTimestamp:
		stamp, _ := b.timestamp(i)
		number = int64(stamp)
	case columnRowKey:
		return t.Operator.Holds(odata.Compare(b.rowKey(i), t.text))
	case storedString:
		return t.Operator.Holds(odata.Compare(b.textOf(&t.column, values), t.text))
	case storedBoolean, storedDouble:
		return t.Holds(b.fixed(t.kind, values+t.at))
	default:
		m.row.at(b, i)
		return t.Holds(m.row.value(&t.column, values))
	}
	return uint64(number)-t.low <= t.width
}

// predicate is a filter made for the entities of one shape: tests, each of
// which knows the one that comes next if it holds, and if it does not. What the
// shape decides takes none.
type predicate struct {
	shape string // its text; "" is none
	tests []test
	first int // where to begin
}

// What may stand in the place of the next test.
const (
	match    = -1
	mismatch = -2
)

// test is a comparison with the property in a column.
type test struct {
	*filter.Comparison
	column
	yes, no int // the next one
	// What it is compared with: a text, or all numbers from low to the one that
	// is larger by width.
	text       string
	low, width uint64
}

// add adds the tests of x, the last of them first, and returns where they
// begin: with yes or with no where there are none.
func (p *predicate) add(b *block, s shape, x filter.Expr, yes, no int) int {
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
		return p.add(b, s, x.Operand, no, yes)
	case *filter.And:
		for _, operand := range slices.Backward(x.Operands) {
			yes = p.add(b, s, operand, yes, no)
		}
		return yes
	case *filter.Or:
		for _, operand := range slices.Backward(x.Operands) {
			no = p.add(b, s, operand, yes, no)
		}
		return no
	default:
		return yes // no filter; there is no other Expr
	}
}

// compare adds the test of a comparison with the property in a column.
func (p *predicate) compare(c column, x *filter.Comparison, yes, no int) int {
	if c.kind == columnMissing {
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
	case storedInt32, storedInt64:
		t.lookAmong(constant.Int())
	case storedDateTime, columnTimestamp:
		t.lookAmong(int64(constant.DateTime()))
	}
	p.tests = append(p.tests, t)
	return len(p.tests) - 1
}

// lookAmong makes one question of the six that there are about numbers: is it
// among these? Three of the six ask for the opposite.
func (t *test) lookAmong(constant int64) {
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
