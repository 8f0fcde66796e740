package engine

import (
	"cmp"
	"fmt"
	"runtime"
	"time"
)

// DefaultCheckpointAfter is the default of Options.CheckpointAfter. In a browser
// a WAL of this size, some 2,600 inserts, is replayed in about 20 ms, and
// checkpointed in about the same time.
const DefaultCheckpointAfter = 1 << 20

// DefaultIdleAfter is the default of Options.IdleAfter.
const DefaultIdleAfter = 500 * time.Millisecond

// Options are the options of [Open].
type Options struct {
	// Now is the clock, nil for [time.Now]. It may go back; Timestamps do not.
	Now func() time.Time
	// CheckpointAfter is the size of the WAL, in bytes, from which a checkpoint is
	// worthwhile, counting 256 bytes extra for each record. 0 is
	// [DefaultCheckpointAfter], a negative value disables checkpoints.
	CheckpointAfter int
	// IdleAfter is how long nothing is written before a shorter WAL is
	// checkpointed, so that the next opening is fast. 0 is [DefaultIdleAfter], a
	// negative value disables it.
	IdleAfter time.Duration
	// MemoryBudget is how many bytes of blocks are kept in memory; 0 is
	// [DefaultMemoryBudget]. A query may hold more while it runs.
	MemoryBudget int
	// Yield is called by a checkpoint, and by a query in a View, after every few
	// milliseconds of work, and returns when other work was done; nil is
	// [runtime.Gosched]. In a browser, which has one thread, that does not let events
	// be handled.
	Yield func()
	// OnCorruption is called once for each corruption that is found after the
	// store was opened; nil for none. [DB.Corruption] returns what opening found.
	// It runs in the goroutine that found the corruption and must not wait for
	// updates.
	OnCorruption func(Corruption)
}

// Open opens a store. What is corrupt is put into quarantine and listed by
// [DB.Corruption]. The error, which wraps [ErrStorage], is about a storage that
// cannot be read at all, or about a store of a newer format ([ErrFormat]).
func Open(storage Storage, options Options) (*DB, error) {
	db := newDB(storage, options.Now, cmp.Or(options.MemoryBudget, DefaultMemoryBudget()))
	db.yield = options.Yield
	if db.yield == nil {
		db.yield = runtime.Gosched
	}
	db.wal.checkpointAfter = cmp.Or(options.CheckpointAfter, DefaultCheckpointAfter)
	db.wal.idleAfter = cmp.Or(options.IdleAfter, DefaultIdleAfter)
	if err := db.load(); err != nil {
		return nil, err
	}
	db.quarantine.notify = options.OnCorruption
	db.watchIdle()
	return db, nil
}

// load makes the current version from the directory, the catalog and the WAL.
// Blocks of other tables are loaded on demand.
func (db *DB) load() error {
	directory, err := db.storage.Load()
	if err != nil {
		return fmt.Errorf("%w: load: %w", ErrStorage, err)
	}
	l := loader{db: db, v: newVersion(), directory: directory, blocks: make(map[TableID][]BlockInfo), listedIn: make(map[TableID]BlockID)}
	db.current.Store(l.v)
	for _, step := range []func() error{l.meta, l.sort, l.catalog, l.tables, l.replayWAL} {
		if err := step(); err != nil {
			return fmt.Errorf("%w: load: %w", ErrStorage, err)
		}
	}
	return nil
}
