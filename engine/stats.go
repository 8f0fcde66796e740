package engine

import "sandtable/odata"

// Stats says how a store lies in memory and in its storage.
type Stats struct {
	Blocks   int // of all tables
	Resident int // of these, in memory
	Memory   int // bytes of the resident ones
	Budget   int // bytes that they may have, see [Options]
	// Checkpointed is the Timestamp of the last write that is in blocks; what
	// came after it is in the log. It is 0 for a store without a checkpoint.
	Checkpointed odata.DateTime
	// Failing tells of checkpoints that fail, nil if the last one did not.
	Failing *CheckpointFailure
}

// CheckpointFailure says that the store could not be put into blocks. Nothing
// is lost, what was written since the last checkpoint is in the log; and writes
// go on, as long as there is room for them there. But the log grows, so the next
// opening takes longer. It is tried again as more is written, and while nothing
// is: after half a second, and then after twice as long each time, up to a
// minute.
type CheckpointFailure struct {
	Err      error          // of the last attempt
	Since    odata.DateTime // the first of them
	Attempts int            // that failed one after another
}

// Stats returns the numbers of this moment. It waits for nothing but a short
// lock.
func (db *DB) Stats() Stats {
	s := Stats{
		Blocks: db.current.Load().blocks(), Budget: db.cache.budget, Checkpointed: odata.DateTime(db.checkpointed.Load()), Failing: db.failing.Load(),
	}
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	s.Resident, s.Memory = db.cache.row.Len(), db.cache.bytes
	return s
}
