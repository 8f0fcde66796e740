package odata

import (
	"errors"
	"fmt"
)

// Errors of table names.
var (
	// ErrTableNameInvalid means that a name has characters other than ASCII
	// letters and digits, or starts with a digit.
	ErrTableNameInvalid = errors.New("table name has invalid characters")
	// ErrTableNameLength means fewer than 3 or more than 63 characters.
	ErrTableNameLength = errors.New("table name length is out of range")
	// ErrTableNameReserved means the name "tables", in any case.
	ErrTableNameReserved = errors.New("table name is reserved")
)

// Errors of properties, keys and entities.
var (
	// ErrPropertyNameInvalid means that a name is not a C# identifier.
	ErrPropertyNameInvalid = errors.New("property name is invalid")
	// ErrPropertyNameTooLong means a name of more than 255 characters.
	ErrPropertyNameTooLong = errors.New("property name is too long")
	// ErrPropertyValueTooLarge means a string, a binary or a key above its limit.
	ErrPropertyValueTooLarge = errors.New("property value is too large")
	// ErrTooManyProperties means an entity with more than 252 custom properties.
	ErrTooManyProperties = errors.New("entity has too many properties")
	// ErrEntityTooLarge means an entity of more than 1 MiB.
	ErrEntityTooLarge = errors.New("entity is too large")
)

// Errors of resource paths and of the keys in them.
var (
	// ErrKeyCount means that the number or the names of the keys do not fit the
	// resource.
	ErrKeyCount = errors.New("wrong number of keys in the address")
	// ErrPathSyntax means that the keys are malformed, or contain a slash or a
	// backslash.
	ErrPathSyntax = errors.New("error in query syntax")
	// ErrKeyOutOfRange means that a key has a character that is not allowed.
	ErrKeyOutOfRange = errors.New("key in the address is out of range")
	// ErrKeyRejected means that a key has a control character, which the
	// service's HTTP layer refuses before the service sees it.
	ErrKeyRejected = errors.New("control character in the address")
	// ErrPathNotImplemented means a path below a table or an entity, which the
	// service does not support.
	ErrPathNotImplemented = errors.New("address below a resource is not implemented")
	// ErrPathUnknown means that a path is not a resource of the service.
	ErrPathUnknown = errors.New("address is not a resource of the service")
)

// OutOfRangeError means that a key or a date in a request body is out of range.
type OutOfRangeError struct {
	Property string
	Value    string // as the service prints it
}

// Error returns the service's own text.
func (e *OutOfRangeError) Error() string {
	return fmt.Sprintf("The '%s' parameter of value '%s' is out of range.", e.Property, e.Value)
}
