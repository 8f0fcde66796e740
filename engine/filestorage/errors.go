package filestorage

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"sandtable/engine"
)

// Errors of the storage, next to [engine.ErrClosed], [engine.ErrBlockNotFound],
// [engine.ErrFormat] and [engine.ErrCorrupt].
var (
	// ErrInUse means that another storage has the folder, in this process or
	// another, or that this cannot be ruled out.
	ErrInUse = errors.New("in use")
	// ErrFenced means that another process has taken the store since. That process
	// has seen everything that was acknowledged, and nothing more will be: it wraps
	// [engine.ErrClosed].
	ErrFenced = fmt.Errorf("another process has taken the store: %w", engine.ErrClosed)
	// ErrFull means that the disk has no space for a write. Nothing was written, and
	// a later write may succeed. It wraps [engine.ErrNoSpace].
	ErrFull = fmt.Errorf("%w on the disk", engine.ErrNoSpace)
	// ErrFailed means that an earlier write failed and may or may not be on the disk.
	// Nothing more is written until the store is opened again.
	ErrFailed = errors.New("an earlier write failed: open the store again")
)

// DefaultTimeout is how long Open waits for a store that is in use: about as long
// as a process takes to end.
const DefaultTimeout = time.Second

// Options configure a storage. The zero value is the careful choice.
type Options struct {
	Durability engine.Durability
	// Timeout is how long to wait for a store that is in use; 0 means
	// [DefaultTimeout].
	Timeout time.Duration
	// Quarantine opens a store whose files are missing or corrupt, with what is
	// left: see [Storage.Quarantined]. Without it Open refuses such a store and
	// changes nothing. It also reads all blocks, and gives up what the disk refuses to
	// read of them and of the WAL.
	Quarantine bool
}

// isFull reports whether a write failed for lack of space.
func isFull(err error) bool {
	return isAny(err, fullDisk)
}

// isUnreadable reports whether the disk refused to read a part of a file.
func isUnreadable(err error) bool { return isAny(err, unreadable) }

func isAny(err error, numbers []syscall.Errno) bool {
	return slices.ContainsFunc(numbers, func(number syscall.Errno) bool { return errors.Is(err, number) })
}

// full marks an error of a write that failed for lack of space.
func full(err error) error {
	if err == nil || !isFull(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFull, err)
}

// hideErrno keeps an error from being taken for a full disk: some file systems
// notice only at a sync that they are full, and then lose data that they had
// accepted.
func hideErrno(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %v", operation, err)
}

// fail notes why nothing more is written. The caller holds s.writing.
func (s *Storage) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
}

// Failed returns [ErrFenced] or [ErrFailed] once nothing more is written until the store
// is opened again, and nil before.
func (s *Storage) Failed() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failed
}
