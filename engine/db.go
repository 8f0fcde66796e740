package engine

import (
	"slices"
	"sync/atomic"
	"time"

	"sandtable/odata"
)

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
	full    bool          // the leader's: the last record did not fit, and the storage has a reserve for deletions
	writer  writer        // the leader's, and the running checkpoint's

	verifying chan struct{} // one element while a Verify runs
}

// commitBuffers are kept from one group to the next. They belong to the leader.
type commitBuffers struct {
	record []byte
	ops    []op
}

// newDB returns a DB without data; see load.
func newDB(storage Storage, clock func() time.Time, budget int) *DB {
	db := &DB{storage: storage, clock: clock, writer: newWriter(), verifying: make(chan struct{}, 1)}
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
	return db.view(db.pin(), f)
}

// view calls f with a version that is pinned for it.
func (db *DB) view(v *version, f func(*Tx) error) error {
	tx := newReadTx(v, db.cache, db.clock)
	tx.yield = db.yield
	defer func() {
		tx.done = true
		v.epoch.readers.Add(-1)
	}()
	return f(tx)
}

// Subscribe calls f with the changes of every later commit, in commit order, when
// they are durable and visible. Cancel ends the subscription; it does not wait for a
// call that is running or about to begin.
//
// Calls come one at a time, in a goroutine of their own: f may use the DB, and
// no writer waits for it. Changes are kept for a slow f, up to 65,536 or 16 MiB of
// their texts; beyond that all are dropped for a single change of the kind
// [ChangesMissed]. The slice is f's to keep.
func (db *DB) Subscribe(f func([]Change)) (cancel func()) { return db.feed.subscribe(f) }

// Close waits for accepted updates and a running checkpoint, and closes the storage.
// Later calls of View and Update return [ErrClosed]; closing again does nothing.
func (db *DB) Close() error {
	if !db.queue.close() {
		return nil
	}
	return db.storage.Close()
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

// Corruption lists the corruption that was found and put into quarantine, when the
// store was opened or when a block was first read. A block in quarantine reads as if
// it had no entities.
//
// A corrupt block that a checkpoint has replaced is not listed. Transactions
// that began before that checkpoint get an error that wraps [ErrReading].
func (db *DB) Corruption() []Corruption {
	q := &db.quarantine
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.found)
}

// Stats are the numbers of a store in memory and in its storage.
type Stats struct {
	Blocks   int // of all tables
	Resident int // of these, in memory
	Memory   int // bytes of the resident ones
	Budget   int // limit of Memory, see [Options]
	WAL      int // bytes of the records since the last checkpoint
	// Checkpointed is the Timestamp of the last write that is in blocks; later
	// ones are in the WAL. It is 0 for a store without a checkpoint.
	Checkpointed odata.DateTime
	// Failing is set while checkpoints fail.
	Failing *CheckpointFailure
}

// CheckpointFailure means that the last checkpoints failed. Nothing is lost, and
// writes continue as long as there is space for the WAL; but the WAL grows, so the
// next opening takes longer. The checkpoint is retried as the WAL grows. In an idle
// store it is retried after half a second, then after twice as long each time, up to
// a minute.
type CheckpointFailure struct {
	Err      error          // of the last attempt
	Since    odata.DateTime // of the first attempt
	Attempts int            // in a row
}

// Stats returns the current numbers. It takes a lock only briefly.
func (db *DB) Stats() Stats {
	s := Stats{
		Blocks: db.current.Load().blocks(), Budget: db.cache.budget, WAL: int(db.wal.bytes.Load()),
		Checkpointed: odata.DateTime(db.checkpointed.Load()), Failing: db.failing.Load(),
	}
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	s.Resident, s.Memory = db.cache.clock.Len(), db.cache.bytes
	return s
}
