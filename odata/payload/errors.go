package payload

import "errors"

// Errors of request and response bodies.
var (
	// ErrSyntax is a body that is no JSON, has not the shape that is asked
	// for, or has a value that does not fit its type.
	ErrSyntax = errors.New("payload is malformed")
	// ErrDuplicateProperty is a member that is there twice, with the same name.
	ErrDuplicateProperty = errors.New("property is specified more than once")
)

// Errors of the keys in request bodies.
var (
	// ErrKeyMissing is a key that is absent or null.
	ErrKeyMissing = errors.New("key is missing")
	// ErrKeyType is a key that is no string.
	ErrKeyType = errors.New("key is not a string")
	// ErrNoTableName is a table to be created whose name is absent, null or empty.
	ErrNoTableName = errors.New("table name is missing")
)
