package odata

import (
	"errors"
	"fmt"
)

// Errors of table names.
var (
	// ErrTableNameInvalid is a name with other characters than letters and
	// digits, or one that begins with a digit.
	ErrTableNameInvalid = errors.New("table name has invalid characters")
	// ErrTableNameLength is a name of fewer than 3 or more than 63 characters.
	ErrTableNameLength = errors.New("table name length is out of range")
	// ErrTableNameReserved is the name "tables", in any case.
	ErrTableNameReserved = errors.New("table name is reserved")
)

// Errors of properties, keys and entities.
var (
	// ErrPropertyNameInvalid is a name that is no C# identifier.
	ErrPropertyNameInvalid = errors.New("property name is invalid")
	// ErrPropertyNameTooLong is a name of more than 255 characters.
	ErrPropertyNameTooLong = errors.New("property name is too long")
	// ErrPropertyValueTooLarge is a string, a binary or a key beyond its limit.
	ErrPropertyValueTooLarge = errors.New("property value is too large")
	// ErrTooManyProperties is an entity with more than 252 custom properties.
	ErrTooManyProperties = errors.New("entity has too many properties")
	// ErrEntityTooLarge is an entity of more than 1 MiB.
	ErrEntityTooLarge = errors.New("entity is too large")
)

// Errors of resource paths and of the keys in them.
var (
	// ErrKeyCount is an address with another number or kind of keys than
	// the resource has.
	ErrKeyCount = errors.New("wrong number of keys in the address")
	// ErrPathSyntax is an address whose keys do not scan, or have a slash or a
	// backslash in them.
	ErrPathSyntax = errors.New("error in query syntax")
	// ErrKeyOutOfRange is a key in an address with a character that keys cannot have.
	ErrKeyOutOfRange = errors.New("key in the address is out of range")
	// ErrKeyRejected is a key in an address with a control character, which the
	// service's HTTP layer refuses before the service sees it.
	ErrKeyRejected = errors.New("control character in the address")
	// ErrPathNotImplemented is an address below a table or an entity, which the
	// service does not have.
	ErrPathNotImplemented = errors.New("address below a resource is not implemented")
	// ErrPathUnknown is an address that is no resource of the service.
	ErrPathUnknown = errors.New("address is no resource of the service")
)

// OutOfRangeError is a key or a date in a request's body that cannot be.
type OutOfRangeError struct {
	Property string
	Value    string // as the service prints it
}

// Error returns the service's own text.
func (e *OutOfRangeError) Error() string {
	return fmt.Sprintf("The '%s' parameter of value '%s' is out of range.", e.Property, e.Value)
}
