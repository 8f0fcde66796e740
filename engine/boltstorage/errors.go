//go:build !js

package boltstorage

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"sandtable/engine"
)

// Errors of the storage, beside [engine.ErrClosed], [engine.ErrBlockNotFound],
// [engine.ErrFormat] and [engine.ErrCorrupt].
var (
	// ErrInUse is a folder whose store is open: in another process, or in this
	// one.
	ErrInUse = errors.New("in use by another process")
	// ErrFull is a write that the disk has no room for. Nothing of it was
	// written, and the next may find room again. It wraps [engine.ErrNoSpace].
	ErrFull = fmt.Errorf("%w on the disk", engine.ErrNoSpace)
	// ErrFailed is a storage whose disk refused a write in a way that leaves
	// open what is on it. Nothing more is written until the store is opened
	// again.
	ErrFailed = errors.New("an earlier write failed: open the store again")
)

// openError says what an error of bbolt's Open means here.
func openError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrInUse
	case errors.Is(err, berrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", engine.ErrFormat, err)
	case errors.As(err, new(syscall.Errno)):
		return err
	}
	// What is left is bbolt's words for a file that is none of its.
	return fmt.Errorf("%w: %w", engine.ErrCorrupt, err)
}

// isFull reports whether a write failed for want of room.
func isFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return true
	}
	// This is how bbolt says, without wrapping it, that a file cannot grow,
	// which it tries before it writes anything.
	return strings.HasPrefix(err.Error(), "file resize error")
}

// full marks a write that failed for want of room.
func full(err error) error {
	if err == nil || !isFull(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFull, err)
}

// catch turns a panic into an error: bbolt trusts its file, and panics over
// one that contradicts itself. Reading a mapped page that the disk cannot give
// is a fault, which [debug.SetPanicOnFault] makes a panic, too; that says
// nothing about what is on the disk, and the next try may succeed.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = fmt.Errorf("the file's pages cannot be read: %v", p)
	default:
		*err = fmt.Errorf("%w: %v", engine.ErrCorrupt, p)
	}
}
