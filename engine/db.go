package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultCheckpointAfter is the size of the log, in bytes, that a checkpoint
// waits for unless [Options] say otherwise; a record counts 256 bytes more than
// it has. In a browser a log of this size, some 2,600 inserts, is read and done
// again in about 20 ms, and a checkpoint of as much takes about as long.
const DefaultCheckpointAfter = 1 << 20

// DefaultIdleAfter is how long nothing is written before a checkpoint of a
// short log, unless [Options] say otherwise.
const DefaultIdleAfter = 500 * time.Millisecond

// Options are what a DB can be told when it is opened.
type Options struct {
	// Now is the clock, nil for [time.Now]. It may go back: Timestamps do not.
	Now func() time.Time
	// CheckpointAfter is the size of the log, in bytes, from which a checkpoint
	// is worth it; 0 is [DefaultCheckpointAfter], a negative one means never.
	CheckpointAfter int
	// IdleAfter is how long nothing has to be written before a checkpoint is made
	// of a log that is not as long as that, so that the next opening finds a
	// short one; 0 is [DefaultIdleAfter], a negative one means never.
	IdleAfter time.Duration
	// MemoryBudget is how many bytes of blocks are kept in memory; 0 is
	// [DefaultMemoryBudget]. A query may have more for as long as it takes.
	MemoryBudget int
	// Yield is called by a checkpoint, and by a query in a View, after each few
	// milliseconds of work, and returns when others had their turn; nil is
	// [runtime.Gosched]. In a browser, where a program has one thread, that is not
	// enough for an event to be heard.
	Yield func()
	// OnCorruption is called once with each damage that comes to light after the store
	// was opened; nil for nobody. What opening finds is for [DB.Corruption] to say.
	// It is called by whoever read what is damaged, so it is not to wait for
	// updates.
	OnCorruption func(Corruption)
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	storage Storage
	clock   func() time.Time
	yield   func() // Options.Yield
	cache   *cache
	current atomic.Pointer[version]
	closed  atomic.Bool
	// checkpointed is the Timestamp of the last write that is in blocks.
	checkpointed atomic.Int64
	failing      atomic.Pointer[CheckpointFailure]
	feed         feed
	saved        saved  // the leader's
	writer       writer // the checkpoint's, of which there is one at a time

	quarantine quarantine

	mu      sync.Mutex  // guards what follows
	queue   []*update   // waiting, in the order of their arrival
	leading bool        // one of them, or a checkpoint, uses the storage
	writing bool        // a checkpoint is under way, which now and then leads
	held    bool        // the log is full: nobody but the checkpoint leads
	putOff  int         // updates that wait for blocks, and come again
	turns   []chan bool // of parts of checkpoints, which wait to lead
	alone   []chan bool // of those who wait to lead while no checkpoint is under way
	idle    sync.Cond   // that leading or writing has become false, or putOff 0
	record  []byte      // the leader's buffer
	ops     []op        // and another one
}

// Open reads a store. What is damaged is set aside and listed by
// [DB.Corruption]; the error, which wraps [ErrStorage], is about a storage that
// cannot be read at all, or about one that is newer than this program
// ([ErrFormat]).
func Open(storage Storage, options Options) (*DB, error) {
	db := &DB{storage: storage, clock: options.Now, yield: options.Yield}
	db.idle.L = &db.mu
	if db.yield == nil {
		db.yield = runtime.Gosched
	}
	if db.clock == nil {
		db.clock = time.Now
	}
	db.quarantine.current = db.current.Load
	db.cache = &cache{storage: storage, budget: options.MemoryBudget, quarantine: &db.quarantine}
	if db.cache.budget == 0 {
		db.cache.budget = DefaultMemoryBudget()
	}
	db.saved.after, db.saved.idleAfter, db.writer = options.CheckpointAfter, options.IdleAfter, newWriter()
	if db.saved.idleAfter == 0 {
		db.saved.idleAfter = DefaultIdleAfter
	}
	if db.saved.after == 0 {
		db.saved.after = DefaultCheckpointAfter
	}
	if err := db.load(); err != nil {
		return nil, err
	}
	db.quarantine.notify = options.OnCorruption
	db.watchIdle()
	return db, nil
}

// View calls f with a picture of the store, which nothing changes while f
// runs: neither waits for the other. It returns f's error, or [ErrClosed].
func (db *DB) View(f func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	v := db.enter()
	tx := newReadTx(v, db.cache, db.clock)
	tx.yield = db.yield
	defer func() {
		tx.done = true
		v.era.readers.Add(-1)
	}()
	return f(tx)
}

// enter returns the current version as one that is being read.
func (db *DB) enter() *version {
	for {
		e := db.current.Load().era
		e.readers.Add(1)
		// Whoever ends the era publishes another one before looking for readers.
		if v := db.current.Load(); v.era == e {
			return v
		}
		e.readers.Add(-1)
	}
}

// Subscribe calls f with what every commit from now on changes, in the order
// of the commits, after they are durable and can be seen. Cancel ends it; it
// does not wait for a call that is under way or about to begin.
//
// Calls come one at a time, from a goroutine of their own: f may use the DB,
// and no writer waits for it. What f is too slow for is kept for it, up to
// 65,536 changes; with one more, all that is kept is dropped for a single
// change of the kind [ChangesMissed]. The slice is f's to keep.
func (db *DB) Subscribe(f func([]Change)) (cancel func()) { return db.feed.subscribe(f) }

// Close waits for the updates that were accepted, and for a checkpoint that is
// under way, and closes the storage.
// Later calls of View and Update return [ErrClosed]; closing again does
// nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Swap(true) {
		return nil
	}
	for db.leading || db.writing || db.putOff > 0 {
		db.idle.Wait()
	}
	return db.storage.Close()
}
