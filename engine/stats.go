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
}

// Stats returns the numbers of this moment. It waits for nothing but a short
// lock.
func (db *DB) Stats() Stats {
	s := Stats{Budget: db.cache.budget, Checkpointed: odata.DateTime(db.checkpointed.Load())}
	db.current.Load().roots.Scan(func(r root) bool {
		if r.contents.blocks != nil {
			s.Blocks += r.contents.blocks.Len()
		}
		return true
	})
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	s.Resident, s.Memory = db.cache.row.Len(), db.cache.bytes
	return s
}
