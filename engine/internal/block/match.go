package block

import (
	"sandtable/engine/internal/encoding"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// Matcher finds the entities of blocks that a filter matches. It agrees with
// [filter.Match] about each of them, but evaluates once per shape whatever does
// not depend on an entity's values.
type Matcher struct {
	filter   filter.Expr // nil matches everything
	row      Row
	block    *Block
	shape    int       // of the entity before; -1 for none
	current  *program  // for shape
	programs []program // by shape number
}

// NewMatcher returns a matcher for a filter, nil for one that matches
// everything.
func NewMatcher(x filter.Expr) Matcher { return Matcher{filter: x} }

// maxPrograms is how many shapes a matcher compiles the filter for. In a block
// of more, few shapes have enough entities to be worth it.
const maxPrograms = 64

// Next returns the index of the first entity that matches, from i on and before
// end, or end.
func (m *Matcher) Next(b *Block, i, end int) int {
	switch {
	case m.filter == nil:
		return i
	case b.shapes > maxPrograms:
		return m.interpret(b, i, end)
	}
	if m.block != b {
		m.block, m.shape = b, -1
	}
	var first *test // the number of the current program
	if m.shape >= 0 {
		first = m.current.number
	}
	for ; i < end; i++ {
		if first != nil {
			next := m.skip(first, i, end)
			if next == end {
				return end
			}
			if next == i {
				first = nil // it does not exclude much
			}
			i = next
		}
		size, rowKey := b.uvarint(b.offset(i))
		shape, values := b.uvarint(rowKey + size + 8)
		if shape != m.shape {
			m.shape, m.current = shape, m.program(shape)
			first = m.current.number
		}
		if m.matches(i, values) {
			break
		}
	}
	return i
}

// skip returns the first entity from i on that has another shape than the current one,
// or that t, the number of its program, does not exclude; else end. A loop without calls
// takes half as long.
func (m *Matcher) skip(t *test, i, end int) int {
	b, at, low, width := m.block, t.at, t.low, t.width
	is32, excludes := t.kind == encoding.Int32, t.yes == mismatch
	for ; i < end; i++ {
		size, rowKey := b.uvarint(b.offset(i))
		shape, values := b.uvarint(rowKey + size + 8)
		if shape != m.shape {
			break
		}
		var number uint64
		if is32 {
			number = uint64(int32(b.uint32(values + at)))
		} else {
			number = b.uint64(values + at)
		}
		if (number-low <= width) != excludes {
			break
		}
	}
	return i
}

// interpret is Next without programs.
func (m *Matcher) interpret(b *Block, i, end int) int {
	for ; i < end; i++ {
		m.row.Move(b, i)
		if filter.Match(m.filter, &m.row) {
			break
		}
	}
	return i
}

// program returns the program for a shape of the block. Blocks of a table mostly
// have the same shapes under the same numbers.
func (m *Matcher) program(shape int) *program {
	for len(m.programs) <= shape {
		m.programs = append(m.programs, program{})
	}
	b, p := m.block, &m.programs[shape]
	if data := b.shapeData(shape); p.shape != data {
		*p = program{shape: data}
		p.first = p.compile(b, b.shape(shape), m.filter, match, mismatch)
		p.number = p.firstNumber()
	}
	return p
}

// matches runs the program for the entity whose values are at an offset.
func (m *Matcher) matches(i, values int) bool {
	at := m.current.first
	for at >= 0 {
		if t := &m.current.tests[at]; m.holds(t, i, values) {
			at = t.yes
		} else {
			at = t.no
		}
	}
	return at == match
}

// holds evaluates a test.
func (m *Matcher) holds(t *test, i, values int) bool {
	var number int64
	switch b := m.block; t.kind {
	case encoding.Int32:
		number = int64(int32(b.uint32(values + t.at)))
	case encoding.Int64, encoding.DateTime:
		number = int64(b.uint64(values + t.at))
	case timestampColumn:
		stamp, _ := b.timestamp(i)
		number = int64(stamp)
	case rowKeyColumn:
		return t.Operator.Holds(odata.Compare(b.rowKey(i), t.text))
	case encoding.String:
		return t.Operator.Holds(odata.Compare(b.textIn(&t.column, values), t.text))
	case booleanType, encoding.Double:
		return t.Holds(b.fixed(t.kind, values+t.at))
	default:
		m.row.Move(b, i)
		return t.Holds(m.row.value(&t.column, values))
	}
	return uint64(number)-t.low <= t.width
}
