package filter

import (
	"math"
	"strings"

	"sandtable/odata"
)

// maxDepth is how deep parentheses, calls and prefixes can be nested. It is
// what keeps the stack small, here and in everything that walks an Expr.
const maxDepth = 200

// maxOperands limits the properties and constants of a filter, which is what
// evaluating it for one entity costs. A comparison has two of them. The
// documentation allows 15 comparisons; clients are said to use more.
const maxOperands = 1000

// level is how tightly an operator binds; higher is tighter.
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
	compares Operator // 0 if it does not
}

// operators is the one table of precedence.
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

// Parse reads the decoded text of a $filter option. The error is a
// [*SyntaxError], a [*TypeError] or [ErrNotImplemented]; where a text has more
// than one fault, it is of the first of these kinds. An empty text is a syntax
// error here, although the option may be empty: that there is no filter is for
// the caller to see.
//
// Bytes that are not UTF-8 are read as U+FFFD, as the service decodes them.
func Parse(text string) (Expr, error) {
	p := parser{scanner: scanner{text: strings.ToValidUTF8(text, "\uFFFD")}}
	p.next()
	whole := p.binary(anyLevel)
	if p.token.kind != end {
		p.fail(syntaxError(unexpectedToken, p.token.end, p.scanner.text))
	}
	return p.result(whole)
}

// parser reads a filter by recursive descent, one token ahead.
type parser struct {
	scanner  scanner
	token    token
	depth    int
	operands int // so far

	// The first fault of each kind, in the order in which they count.
	syntax      *SyntaxError
	types       *TypeError
	unsupported error
}

// next moves on to the next token.
func (p *parser) next() {
	t, err := p.scanner.scan()
	if err != nil {
		p.fail(err)
		return
	}
	p.token = t
}

// fail notes a syntax error and ends the text, so that all that is being
// parsed returns.
func (p *parser) fail(err *SyntaxError) {
	if p.syntax == nil {
		p.syntax = err
	}
	p.scanner.offset = len(p.scanner.text)
	p.token = token{}
}

// mistyped notes a type error. What is noted after it does not count.
func (p *parser) mistyped(err *TypeError) {
	if p.types == nil {
		p.types = err
	}
}

// refuse notes something that could be read but is not evaluated.
func (p *parser) refuse(err error) {
	if p.unsupported == nil {
		p.unsupported = err
	}
}

// result returns what the whole text is.
func (p *parser) result(whole operand) (Expr, error) {
	if p.syntax != nil {
		return nil, p.syntax
	}
	if !whole.isCondition() {
		p.mistyped(notCondition(whole.position))
	}
	p.refuseNull(whole)
	switch {
	case p.types != nil:
		return nil, p.types
	case p.unsupported != nil:
		return nil, p.unsupported
	}
	return whole.expr, nil
}

// enter goes one level deeper; every enter has its leave.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(tooDeep(p.token.position, p.scanner.text))
	}
}

func (p *parser) leave() { p.depth-- }

// binary parses operands and the operators between them that bind at least as
// tightly as lowest. All operators associate to the left.
func (p *parser) binary(lowest level) operand {
	left := p.prefix()
	for {
		at, o, ok := p.token.position, operator{}, false
		if o, ok = p.operator(); !ok || o.level < lowest {
			return left
		}
		p.next()
		right := p.binary(o.level + 1)
		left = p.join(at, o, left, right)
	}
}

// operator returns the operator that the token is.
func (p *parser) operator() (operator, bool) {
	if p.token.kind == name {
		for _, o := range operators {
			if o.word == p.token.text {
				return o, true
			}
		}
	}
	return operator{}, false
}

func (p *parser) prefix() operand {
	switch at := p.token.position; {
	case p.token.is("not"):
		p.next()
		return p.negate(at, p.afterNot())
	case p.token.kind == minus:
		p.next()
		p.enter()
		p.prefix()
		p.leave()
		p.refuse(ErrNotImplemented)
		return operand{position: at}
	default:
		return p.primary()
	}
}

// afterNot parses the comparison after not. A parenthesis in front of it is of
// the same depth as the not: so a text that the printer adds parentheses to
// does not become too deep by them.
func (p *parser) afterNot() operand {
	if p.token.kind != leftParen {
		p.enter()
		defer p.leave()
	}
	return p.binary(comparison)
}

func (p *parser) primary() operand {
	switch t := p.token; t.kind {
	case leftParen:
		return p.parens()
	case name:
		return p.named()
	case stringLiteral, integerLiteral, int64Literal, doubleLiteral, dateTimeLiteral, guidLiteral, binaryLiteral:
		v, ok := literalValue(t)
		if !ok {
			p.fail(unrecognizedLiteral(t, literalTypes[t.kind], p.scanner.text))
			return operand{}
		}
		p.countOperand()
		p.next()
		return constant(t, v)
	default:
		p.fail(syntaxError(expressionExpected, t.position, p.scanner.text))
		return operand{}
	}
}

func (p *parser) parens() operand {
	p.enter()
	p.next()
	x := p.binary(anyLevel)
	p.closing(parenExpected)
	p.leave()
	return x
}

// closing moves past a closing parenthesis.
func (p *parser) closing(problem string) {
	if p.token.kind != rightParen {
		p.fail(syntaxError(problem, p.token.position, p.scanner.text))
		return
	}
	p.next()
}

// countOperand fails if the token is one operand too many.
func (p *parser) countOperand() {
	if p.operands++; p.operands > maxOperands {
		p.fail(tooLong(p.token.position, p.scanner.text))
	}
}

// named parses what starts with a word: a constant, a function or a property.
func (p *parser) named() operand {
	t := p.token
	p.countOperand()
	p.next()
	switch t.text {
	case "true", "false":
		return constant(t, odata.BooleanValue(t.text == "true"))
	case "null":
		return operand{position: t.position, null: true}
	case "NaN":
		return constant(t, odata.DoubleValue(math.NaN()))
	case infinity:
		return constant(t, odata.DoubleValue(math.Inf(1)))
	}
	if p.token.kind == leftParen {
		p.call()
		return operand{position: t.position}
	}
	return property(t)
}

// call parses the arguments of a function. The service has none.
func (p *parser) call() {
	p.enter()
	p.next()
	if p.token.kind != rightParen {
		p.binary(anyLevel)
		for p.token.kind == comma {
			p.next()
			p.binary(anyLevel)
		}
	}
	p.closing(commaExpected)
	p.leave()
	p.refuse(ErrNotImplemented)
}
