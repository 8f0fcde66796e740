//go:build js && wasm

package idbstorage

import (
	"errors"
	"fmt"
	"syscall/js"

	"sandtable/engine"
)

// Errors of the storage, besides [engine.ErrClosed] and
// [engine.ErrBlockNotFound].
var (
	// ErrUnavailable means that there is no IndexedDB, or that the browser denies
	// access to it.
	ErrUnavailable = errors.New("IndexedDB is not available")
	// ErrTimeout means that IndexedDB did not answer in time. When opening or
	// deleting a database, another context may keep it open.
	ErrTimeout = errors.New("IndexedDB did not answer in time")
	// ErrQuota means that a write exceeds the browser's quota. Nothing was
	// written. It wraps [engine.ErrNoSpace].
	ErrQuota = fmt.Errorf("%w in the browser's storage", engine.ErrNoSpace)
	// ErrLost means that the database was deleted or replaced while in use. It
	// wraps [engine.ErrClosed]: this storage cannot be used any more, but another
	// one can be opened.
	ErrLost = fmt.Errorf("the database was deleted by another context: %w", engine.ErrClosed)
	// ErrFenced means that another worker owns the database: it has acquired it
	// since this storage did, or has written to it before this storage could
	// complete a deferred acquisition. Nothing was written, and nothing will be
	// through this storage; a block may be missing because the owner has replaced
	// it. It wraps [engine.ErrClosed].
	ErrFenced = fmt.Errorf("the database is owned by another worker: %w", engine.ErrClosed)
)

// errDisconnected means that the connection was lost; the call can be retried on
// a new one.
var errDisconnected = errors.New("connection to the database is lost")

// exception is a JavaScript error with its name, such as "AbortError".
type exception struct{ name, message string }

func (e *exception) Error() string {
	if e.message == "" {
		return e.name
	}
	return e.name + ": " + e.message
}

// errorOf converts a DOMException, or null, to the error that it means here.
func errorOf(v js.Value) error {
	if !v.Truthy() {
		// An abort has no error if a script requested it, which we never do, or
		// if the browser gave up.
		return fmt.Errorf("%w: aborted without an error", errDisconnected)
	}
	e := &exception{name: stringField(v, "name"), message: stringField(v, "message")}
	switch e.name {
	case "QuotaExceededError":
		return fmt.Errorf("%w: %w", ErrQuota, e)
	case "ConstraintError":
		return ErrFenced // only fences and new records are added
	case "VersionError":
		return fmt.Errorf("%w: %w", engine.ErrFormat, e)
	case "InvalidStateError", "AbortError", "UnknownError", "TransactionInactiveError":
		return fmt.Errorf("%w: %w", errDisconnected, e)
	}
	return e
}

// isUnreadable reports whether an error may mean that the browser cannot read a value that
// it has. It is "UnknownError" in Firefox and WebKit, which can mean other things, too, and
// one of the others in Chromium, which stores large values in files.
func isUnreadable(err error) bool {
	var e *exception
	return errors.As(err, &e) && (e.name == "UnknownError" || e.name == "DataError" || e.name == "NotReadableError")
}

func stringField(v js.Value, name string) string {
	if t := v.Get(name); t.Type() == js.TypeString {
		return t.String()
	}
	return ""
}

// catch converts a panic of syscall/js, which is how exceptions arrive, to an
// error. Other panics continue.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case js.Error:
		*err = errorOf(p.Value)
	default:
		panic(p)
	}
}
