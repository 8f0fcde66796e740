package engine

import (
	"cmp"
	"runtime"
	"sync/atomic"
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
	// CheckpointAfter is the size of the WAL, in bytes, from which a checkpoint
	// is worth it, counting 256 bytes extra for each record. 0 is
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
	// milliseconds of work, and returns when others had their turn; nil is
	// [runtime.Gosched]. In a browser, where there is one thread, that is not
	// enough for an event to be handled.
	Yield func()
	// OnCorruption is called once for each corruption that is found after the
	// store was opened; nil for none. [DB.Corruption] returns what opening found.
	// It runs in the goroutine that found the corruption and must not wait for
	// updates.
	OnCorruption func(Corruption)
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	storage    Storage
	clock      func() time.Time
	yield      func() // Options.Yield
	cache      *cache
	quarantine quarantine
	feed       feed
	current    atomic.Pointer[version]
	// checkpointed is the Timestamp of the last write that is in blocks.
	checkpointed atomic.Int64
	failing      atomic.Pointer[CheckpointFailure]

	queue   *commitQueue
	wal     walState      // the leader's
	buffers commitBuffers // the leader's
	writer  writer        // the leader's, and the checkpoint's that is under way
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

// newDB returns a DB to be loaded.
func newDB(storage Storage, clock func() time.Time, budget int) *DB {
	db := &DB{storage: storage, clock: clock, writer: newWriter()}
	if clock == nil {
		db.clock = time.Now
	}
	db.quarantine.current = db.current.Load
	db.cache = &cache{storage: storage, budget: budget, quarantine: &db.quarantine}
	db.queue = newCommitQueue(db.wal.full)
	return db
}

// View calls f with a snapshot of the store. It neither waits for writers nor
// blocks them. It returns f's error, or [ErrClosed].
func (db *DB) View(f func(*Tx) error) error {
	if db.queue.closed.Load() {
		return ErrClosed
	}
	v := db.pin()
	tx := newReadTx(v, db.cache, db.clock)
	tx.yield = db.yield
	defer func() {
		tx.done = true
		v.epoch.readers.Add(-1)
	}()
	return f(tx)
}

// Subscribe calls f with the changes of every commit from now on, in the order
// of the commits, when they are durable and visible. Cancel ends that; it does
// not wait for a call that is under way or about to begin.
//
// Calls come one at a time, in a goroutine of their own: f may use the DB, and
// no writer waits for it. Changes are kept for a slow f, up to 65,536; beyond
// that all of them are dropped for a single change of the kind [ChangesMissed].
// The slice is f's to keep.
func (db *DB) Subscribe(f func([]Change)) (cancel func()) { return db.feed.subscribe(f) }

// Close waits for the updates that were accepted, and for a checkpoint that is
// under way, and closes the storage. Later calls of View and Update return
// [ErrClosed]; closing again does nothing.
func (db *DB) Close() error {
	if !db.queue.close() {
		return nil
	}
	return db.storage.Close()
}
