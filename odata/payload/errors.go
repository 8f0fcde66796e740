package payload

import "errors"

// Errors of request and response bodies.
var (
	// ErrSyntax means that a body is malformed, has the wrong structure, or has a
	// value that does not fit its type.
	ErrSyntax = errors.New("payload is malformed")
	// ErrDuplicateProperty means that two members have the same name.
	ErrDuplicateProperty = errors.New("property is specified more than once")
)

// Errors of the keys in request bodies.
var (
	// ErrKeyMissing means that a key is absent or null.
	ErrKeyMissing = errors.New("key is missing")
	// ErrKeyType means that a key is not a string.
	ErrKeyType = errors.New("key is not a string")
	// ErrNoTableName means that the name of a new table is absent, null or empty.
	ErrNoTableName = errors.New("table name is missing")
)
