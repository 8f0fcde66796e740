//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"
	"syscall/js"

	"sandtable/engine"
)

// Errors of the storage, beside [engine.ErrClosed] and [engine.ErrBlockNotFound].
var (
	// ErrUnavailable is a context without IndexedDB, or one where the browser
	// does not allow it.
	ErrUnavailable = errors.New("IndexedDB is not available here")
	// ErrTimeout is a database that did not answer in time. When it is about
	// opening or deleting, another context may hold the database and not let go
	// of it.
	ErrTimeout = errors.New("IndexedDB did not answer in time")
	// ErrQuota is a write that the browser has no room for. Nothing of it was
	// written. It wraps [engine.ErrNoSpace].
	ErrQuota = fmt.Errorf("%w in the browser's storage", engine.ErrNoSpace)
	// ErrLost is a database that was deleted or replaced while it was in use. It
	// wraps [engine.ErrClosed]: this storage has come to its end, but another
	// one can be opened.
	ErrLost = fmt.Errorf("the database was deleted by another context: %w", engine.ErrClosed)
	// ErrFenced is a write to a database that another worker has loaded since.
	// Nothing of it was written, and nothing ever will be through this storage:
	// it wraps [engine.ErrClosed], as ErrLost does. Also a read of a block that
	// the other one has replaced, and a write to a database that was full when it
	// was loaded, and was written to by whoever had it before.
	ErrFenced = fmt.Errorf("another worker has taken the database over: %w", engine.ErrClosed)
)

// errDisconnected is a connection that ended; a call may be made again on
// another one.
var errDisconnected = errors.New("connection to the database is lost")

// exception is an error of JavaScript by its name, such as "AbortError".
type exception struct{ name, message string }

func (e *exception) Error() string {
	if e.message == "" {
		return e.name
	}
	return e.name + ": " + e.message
}

// errorOf turns a DOMException, or null, into an error that says what it means
// here.
func errorOf(v js.Value) error {
	if !v.Truthy() {
		// An abort has no error when a script asked for it, which we never do,
		// or when the browser gave up.
		return fmt.Errorf("%w: aborted without an error", errDisconnected)
	}
	e := &exception{name: text(v, "name"), message: text(v, "message")}
	switch e.name {
	case "QuotaExceededError":
		return fmt.Errorf("%w: %w", ErrQuota, e)
	case "ConstraintError":
		return ErrFenced // nothing else is ever added
	case "VersionError":
		return fmt.Errorf("%w: %w", engine.ErrFormat, e)
	case "InvalidStateError", "AbortError", "UnknownError", "TransactionInactiveError":
		return fmt.Errorf("%w: %w", errDisconnected, e)
	}
	return e
}

func text(v js.Value, name string) string {
	if t := v.Get(name); t.Type() == js.TypeString {
		return t.String()
	}
	return ""
}

// catch turns a panic of syscall/js, which is how exceptions arrive, into an
// error. Other panics go on.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case js.Error:
		*err = errorOf(p.Value)
	default:
		panic(p)
	}
}
