package engine

import "sandtable/odata"

// Stats says how a store is kept in memory and in its storage.
type Stats struct {
	Blocks   int // of all tables
	Resident int // of these, in memory
	Memory   int // bytes of the resident ones
	Budget   int // bytes that they may have, see [Options]
	// Checkpointed is the Timestamp of the last write that is in blocks; later
	// ones are in the WAL. It is 0 for a store without a checkpoint.
	Checkpointed odata.DateTime
	// Failing is set while checkpoints fail.
	Failing *CheckpointFailure
}

// CheckpointFailure says that the last checkpoints failed. Nothing is lost, and
// writes go on as long as there is space for the WAL; but the WAL grows, so the
// next opening takes longer. The checkpoint is retried as the WAL grows, and of an
// idle store after half a second, then after twice as long each time, up to a
// minute.
type CheckpointFailure struct {
	Err      error          // of the last attempt
	Since    odata.DateTime // of the first attempt
	Attempts int            // in a row
}

// Stats returns the current numbers. It takes a lock only briefly.
func (db *DB) Stats() Stats {
	s := Stats{
		Blocks: db.current.Load().blocks(), Budget: db.cache.budget, Checkpointed: odata.DateTime(db.checkpointed.Load()), Failing: db.failing.Load(),
	}
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	s.Resident, s.Memory = db.cache.clock.Len(), db.cache.bytes
	return s
}
