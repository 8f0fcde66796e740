package filter

// Operator is the operator of a [Comparison].
type Operator uint8

// The comparisons, named as in the service's errors.
const (
	Equal Operator = iota + 1
	NotEqual
	GreaterThan
	GreaterThanOrEqual
	LessThan
	LessThanOrEqual
)

// String returns the operator's word in a filter, such as "eq".
func (o Operator) String() string {
	for i := range operators {
		if operators[i].compares == o && o != 0 {
			return operators[i].word
		}
	}
	return ""
}

// Holds reports whether the operator holds for a value and a constant whose
// comparison by [odata.CompareValues] gave order.
func (o Operator) Holds(order int) bool {
	switch o {
	case Equal:
		return order == 0
	case NotEqual:
		return order != 0
	case GreaterThan:
		return order > 0
	case GreaterThanOrEqual:
		return order >= 0
	case LessThan:
		return order < 0
	default:
		return order <= 0
	}
}

// mirrored returns the equivalent operator with the sides exchanged.
func (o Operator) mirrored() Operator {
	switch o {
	case GreaterThan:
		return LessThan
	case GreaterThanOrEqual:
		return LessThanOrEqual
	case LessThan:
		return GreaterThan
	case LessThanOrEqual:
		return GreaterThanOrEqual
	default:
		return o
	}
}

// inverted returns the operator that holds if o does not, for values that have an
// order.
func (o Operator) inverted() Operator {
	switch o {
	case Equal:
		return NotEqual
	case NotEqual:
		return Equal
	case GreaterThan:
		return LessThanOrEqual
	case GreaterThanOrEqual:
		return LessThan
	case LessThan:
		return GreaterThanOrEqual
	default:
		return GreaterThan
	}
}

// level is the precedence of an operator; higher binds tighter.
type level int

const (
	anyLevel level = iota
	disjunction
	conjunction
	comparison
	sum
	product
)

// operator is an operator between two operands.
type operator struct {
	word     string
	kind     string // as in the service's errors
	level    level
	compares Operator // 0 if it is not a comparison
}

// operators is the table of precedence.
var operators = []operator{
	{"or", "Or", disjunction, 0},
	{"and", "And", conjunction, 0},
	{"eq", "Equal", comparison, Equal},
	{"ne", "NotEqual", comparison, NotEqual},
	{"gt", "GreaterThan", comparison, GreaterThan},
	{"ge", "GreaterThanOrEqual", comparison, GreaterThanOrEqual},
	{"lt", "LessThan", comparison, LessThan},
	{"le", "LessThanOrEqual", comparison, LessThanOrEqual},
	{"add", "Add", sum, 0},
	{"sub", "Subtract", sum, 0},
	{"mul", "Multiply", product, 0},
	{"div", "Divide", product, 0},
	{"mod", "Modulo", product, 0},
}
