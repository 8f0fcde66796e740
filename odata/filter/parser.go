package filter

// maxDepth limits the nesting of parentheses, calls and prefixes, and so the stack
// here and in everything that walks an Expr.
const maxDepth = 200

// parser is a recursive descent parser with one token of lookahead.
type parser struct {
	scanner  scanner
	token    token
	depth    int
	operands int // so far

	// The first error of each kind, in order of priority.
	syntax      *SyntaxError
	types       *TypeError
	unsupported error
}

// next advances to the next token.
func (p *parser) next() {
	t, err := p.scanner.scan()
	if err != nil {
		p.fail(err)
		return
	}
	p.token = t
}

// fail records a syntax error and ends the text, which unwinds the parser.
func (p *parser) fail(err *SyntaxError) {
	if p.syntax == nil {
		p.syntax = err
	}
	p.scanner.offset = len(p.scanner.text)
	p.token = token{}
}

// mistyped records a type error.
func (p *parser) mistyped(err *TypeError) {
	if p.types == nil {
		p.types = err
	}
}

// refuse records something that is valid but not implemented.
func (p *parser) refuse(err error) {
	if p.unsupported == nil {
		p.unsupported = err
	}
}

// enter goes one level deeper, until leave.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(tooDeep(p.token.position))
	}
}

func (p *parser) leave() { p.depth-- }
