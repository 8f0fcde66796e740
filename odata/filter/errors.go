package filter

import (
	"errors"
	"strconv"

	"sandtable/odata"
)

// ErrNotImplemented is a filter that can be read but that the service does not
// evaluate: functions, arithmetic, and comparisons of anything but one
// property with one constant. The service answers it with 501.
var ErrNotImplemented = errors.New("the requested operation is not implemented on the specified resource")

// SyntaxError is a text that is no filter. The service answers it with 400.
type SyntaxError struct {
	// Position counts the UTF-16 code units of Text before the place that the
	// error names. For a token that cannot stand where it is, that place is
	// the token's end: the service names the position of its scanner, which
	// has just read it.
	Position int
	// Text is the filter, decoded.
	Text string

	message string
}

// Error returns the service's own text.
func (e *SyntaxError) Error() string { return e.message }

// syntaxError is a SyntaxError in the form that all but two of them have.
func syntaxError(problem string, position int, text string) *SyntaxError {
	message := problem + " at position " + strconv.Itoa(position) + " in '" + text + "'."
	return &SyntaxError{position, text, message}
}

// The problems of a syntaxError.
const (
	unexpectedToken    = "Syntax error"
	unterminatedString = "There is an unterminated string literal"
	unterminated       = "There is an unterminated literal"
	digitExpected      = "A digit was expected"
	expressionExpected = "Expression expected"
	parenExpected      = "')' or operator expected"
	commaExpected      = "')' or ',' expected"
)

// invalidCharacter is the problem of a character that starts no token.
func invalidCharacter(c string) string { return "Syntax error: character '" + c + "' is not valid" }

// unrecognizedLiteral is a constant with the form of a type but no value of it.
func unrecognizedLiteral(t token, typ odata.Type, text string) *SyntaxError {
	message := "Unrecognized '" + typ.String() + "' literal '" + t.text + "' at '" +
		strconv.Itoa(t.position) + "' in '" + text + "'."
	return &SyntaxError{t.position, text, message}
}

// tooDeep is a filter nested deeper than maxDepth.
func tooDeep(position int, text string) *SyntaxError {
	return &SyntaxError{position, text, "Recursion depth exceeded allowed limit."}
}

// tooLong is a filter with more than maxOperands operands.
func tooLong(position int, text string) *SyntaxError {
	return &SyntaxError{position, text, "Number of comparisons exceeded allowed limit."}
}

// TypeError is a filter whose parts do not fit together whatever the entity.
// The service answers it with 400.
type TypeError struct {
	// Position counts the UTF-16 code units of the filter before the operator,
	// or before the operand if the error is about that alone.
	Position int

	message string
}

// Error returns the service's own text.
func (e *TypeError) Error() string { return e.message }

func incompatibleOperands(position int, o operator, left, right odata.Type) *TypeError {
	return &TypeError{position, "A binary operator with incompatible types was detected. Found operand types '" +
		typeName(left) + "' and '" + typeName(right) + "' for operator kind '" + o.kind + "'."}
}

func incompatibleOperand(position int, typ odata.Type) *TypeError {
	return &TypeError{position, "A unary operator with an incompatible type was detected. Found operand type '" +
		typeName(typ) + "' for operator kind 'Not'."}
}

// notCondition is a filter that is a value but no condition, such as "1".
func notCondition(position int) *TypeError {
	return &TypeError{position, "The $filter expression must evaluate to a single boolean value."}
}

// nullOrdered is null in a comparison that asks for an order.
func nullOrdered(position int, o operator) *TypeError {
	return &TypeError{position, "The operator '" + o.kind +
		"' is not supported for the 'null' literal; only equality checks are supported."}
}

// nullRefused is null anywhere else. A property that is null is not stored, and
// no filter can ask for that.
func nullRefused(position int) *TypeError {
	return &TypeError{position, "One of the request inputs is not valid."}
}

// typeName names a type as the service's type errors do. Custom properties
// have no type before an entity is seen.
func typeName(t odata.Type) string {
	if t == 0 {
		return "<null>"
	}
	return t.String()
}
