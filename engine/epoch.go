package engine

import "sync/atomic"

// epoch is the time between two checkpoints: its versions have the same blocks.
// The checkpoint at its end replaces some; they stay in the storage until no
// reader pins this epoch or an earlier one.
type epoch struct {
	readers atomic.Int64
	garbage []BlockID // known at its end
}

// pin returns the current version, with its epoch pinned. The caller unpins it
// by readers.Add(-1).
func (db *DB) pin() *version {
	for {
		e := db.current.Load().epoch
		e.readers.Add(1)
		// A checkpoint publishes the next epoch before it looks for readers.
		if v := db.current.Load(); v.epoch == e {
			return v
		}
		e.readers.Add(-1)
	}
}
