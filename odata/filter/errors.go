package filter

import (
	"errors"
	"strconv"

	"sandtable/odata"
)

// ErrNotImplemented means a valid filter that the service does not implement:
// functions, arithmetic, and comparisons of anything but one property with one
// constant. The service answers 501.
var ErrNotImplemented = errors.New("the requested operation is not implemented on the specified resource")

// SyntaxError means a malformed filter. The service answers 400.
type SyntaxError struct {
	// Position is the offset of the error in the filter, in UTF-16 code units. For an
	// unexpected token it is the token's end, because the service reports the
	// position of its scanner.
	Position int

	message string
}

// Error returns the service's message.
func (e *SyntaxError) Error() string { return e.message }

// syntaxError returns a SyntaxError in the usual form.
func syntaxError(problem string, position int, text string) *SyntaxError {
	message := problem + " at position " + strconv.Itoa(position) + " in '" + text + "'."
	return &SyntaxError{position, message}
}

// Problems of a syntaxError.
const (
	unexpectedToken    = "Syntax error"
	unterminatedString = "There is an unterminated string literal"
	unterminated       = "There is an unterminated literal"
	digitExpected      = "A digit was expected"
	expressionExpected = "Expression expected"
	parenExpected      = "')' or operator expected"
	commaExpected      = "')' or ',' expected"
)

// invalidCharacter is the problem of a character that cannot start a token.
func invalidCharacter(c string) string { return "Syntax error: character '" + c + "' is not valid" }

// unrecognizedLiteral is a constant with the form of a type but an invalid value.
func unrecognizedLiteral(literal string, position int, typ odata.Type, text string) *SyntaxError {
	message := "Unrecognized '" + typ.String() + "' literal '" + literal + "' at '" +
		strconv.Itoa(position) + "' in '" + text + "'."
	return &SyntaxError{position, message}
}

// tooDeep is a filter nested deeper than maxDepth.
func tooDeep(position int) *SyntaxError {
	return &SyntaxError{position, "Recursion depth exceeded allowed limit."}
}

// tooLong is a filter with more than maxOperands operands.
func tooLong(position int) *SyntaxError {
	return &SyntaxError{position, "Number of comparisons exceeded allowed limit."}
}

// TypeError means that operands have incompatible static types. The service
// answers 400.
type TypeError struct {
	// Position is the offset of the operator, or of the operand if the error is
	// only about that, in UTF-16 code units.
	Position int
	// Null means that an operand is null, which the service refuses only when it runs
	// the query.
	Null bool

	message string
}

// Error returns the service's message.
func (e *TypeError) Error() string { return e.message }

func incompatibleOperands(position int, o operator, left, right odata.Type) *TypeError {
	return &TypeError{Position: position, message: "A binary operator with incompatible types was detected. Found operand types '" +
		typeName(left) + "' and '" + typeName(right) + "' for operator kind '" + o.kind + "'."}
}

func incompatibleOperand(position int, typ odata.Type) *TypeError {
	return &TypeError{Position: position, message: "A unary operator with an incompatible type was detected. Found operand type '" +
		typeName(typ) + "' for operator kind 'Not'."}
}

// notCondition is a filter that is not a condition, such as "1".
func notCondition(position int) *TypeError {
	return &TypeError{Position: position, message: "The $filter expression must evaluate to a single boolean value."}
}

// nullOrdered is null in an ordering comparison.
func nullOrdered(position int, o operator) *TypeError {
	return &TypeError{Position: position, message: "The operator '" + o.kind +
		"' is not supported for the 'null' literal; only equality checks are supported."}
}

// nullRefused is null anywhere else. Null properties are not stored, so a filter
// cannot test for them.
func nullRefused(position int) *TypeError {
	return &TypeError{Position: position, Null: true, message: "One of the request inputs is not valid."}
}

// typeName returns a type's name in the service's type errors. Custom properties
// have no static type.
func typeName(t odata.Type) string {
	if t == 0 {
		return "<null>"
	}
	return t.String()
}
