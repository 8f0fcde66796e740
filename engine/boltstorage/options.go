//go:build !js

package boltstorage

import (
	"time"

	"sandtable/engine"
)

// DefaultTimeout is how long Open waits for a store that is in use, unless
// [Options] say otherwise: as long as a process needs to end.
const DefaultTimeout = time.Second

// Options are what a storage can be told when it is opened. The zero value is
// the careful one.
type Options struct {
	Durability engine.Durability
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
