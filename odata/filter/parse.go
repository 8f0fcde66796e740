package filter

import (
	"math"
	"strings"

	"sandtable/odata"
)

// maxOperands limits the properties and constants of a filter, which is what
// evaluating it for one entity costs. A comparison has two of them. The
// documentation allows 15 comparisons; clients are said to use more.
const maxOperands = 1000

// Parse parses the decoded text of a $filter option. The error is a
// [*SyntaxError], a [*TypeError] or [ErrNotImplemented], in this order of
// priority. An empty text is a syntax error, although the option may be empty:
// the caller handles that.
//
// Invalid UTF-8 is read as U+FFFD, as the service does.
func Parse(text string) (Expr, error) {
	p := parser{scanner: scanner{text: strings.ToValidUTF8(text, "\uFFFD")}}
	p.next()
	whole := p.binary(anyLevel)
	if p.token.kind != end {
		p.fail(syntaxError(unexpectedToken, p.token.end, p.scanner.text))
	}
	return p.result(whole)
}

// result returns the result for the whole text.
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

// operator returns the token as an operator.
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

// afterNot parses the comparison after not. A parenthesis directly after it has
// the same depth, so the parentheses that the printer adds do not make a filter
// too deep.
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
			p.fail(unrecognizedLiteral(t.text, t.position, literalTypes[t.kind], p.scanner.text))
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

// closing skips a closing parenthesis.
func (p *parser) closing(problem string) {
	switch {
	case p.token.kind == rightParen:
		p.next()
	case p.syntax == nil: // an error ends the text, so every level comes here
		p.fail(syntaxError(problem, p.token.position, p.scanner.text))
	}
}

// countOperand fails if the token is one operand too many.
func (p *parser) countOperand() {
	if p.operands++; p.operands > maxOperands {
		p.fail(tooLong(p.token.position))
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

// call parses the arguments of a function. The service implements none.
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
