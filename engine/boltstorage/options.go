//go:build !js

package boltstorage

import "time"

// Durability says when a write is acknowledged.
type Durability uint8

const (
	// Strict is when the disk has it: it survives a power failure, as far as
	// the disk tells the truth.
	Strict Durability = iota
	// Relaxed is when the operating system has it. It survives the end of the
	// process, however sudden. It does not survive a power failure or a crash
	// of the operating system, which may take the whole store with it: pages
	// reach the disk in any order, and a root may be there before its branches,
	// or before the log that it refers to.
	// It is for data that can be made again.
	Relaxed
)

// String returns "strict" or "relaxed".
func (d Durability) String() string {
	if d == Relaxed {
		return "relaxed"
	}
	return "strict"
}

// DefaultTimeout is how long Open waits for a store that is in use, unless
// [Options] say otherwise: as long as a process needs to end.
const DefaultTimeout = time.Second

// Options are what a storage can be told when it is opened. The zero value is
// the careful one.
type Options struct {
	Durability Durability
	// Timeout is how long to wait for a store that is in use; 0 is
	// [DefaultTimeout].
	Timeout time.Duration
	// Progress is called by [Salvage] and [Compact], which have no other use for
	// it, with how many bytes they have copied so far; nil for nobody. An error
	// of it ends them, and the store is as it was.
	Progress func(copied int64) error
}

// tell tells Progress, if it is wanted.
func (o *Options) tell(copied int64) error {
	if o.Progress == nil {
		return nil
	}
	return o.Progress(copied)
}
