package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultCheckpointAfter is the size of the log, in bytes, that a checkpoint
// waits for unless [Options] say otherwise; a record counts 256 bytes more than
// it has. In a browser a log of this size, some 2,600 inserts, is read and done
// again in about 20 ms, and a checkpoint of as much takes about as long.
const DefaultCheckpointAfter = 1 << 20

// Options are what a DB can be told when it is opened.
type Options struct {
	// Now is the clock, nil for [time.Now]. It may go back: Timestamps do not.
	Now func() time.Time
	// CheckpointAfter is the size of the log, in bytes, from which a checkpoint
	// is worth it; 0 is [DefaultCheckpointAfter], a negative one means never.
	CheckpointAfter int
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	storage Storage
	clock   func() time.Time
	damage  []Damage
	current atomic.Pointer[version]
	closed  atomic.Bool
	feed    feed
	saved   saved

	mu      sync.Mutex // guards what follows
	queue   []*update  // waiting, in the order of their arrival
	leading bool       // one of them, or a checkpoint, is at work
	idle    sync.Cond  // that leading has become false
	record  []byte     // the leader's buffer
}

// Open reads a store. What is damaged is set aside and listed by
// [DB.Damage]; the error, which wraps [ErrStorage], is about a storage that
// cannot be read at all, or about one that is newer than this program
// ([ErrFormat]).
func Open(storage Storage, options Options) (*DB, error) {
	db := &DB{storage: storage, clock: options.Now}
	db.idle.L = &db.mu
	if db.clock == nil {
		db.clock = time.Now
	}
	db.saved.after, db.saved.nextBlock = options.CheckpointAfter, 1
	if db.saved.after == 0 {
		db.saved.after = DefaultCheckpointAfter
	}
	if err := db.load(); err != nil {
		return nil, err
	}
	return db, nil
}

// View calls f with a picture of the store, which nothing changes while f
// runs: neither waits for the other. It returns f's error, or [ErrClosed].
func (db *DB) View(f func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	tx := newReadTx(db.current.Load(), db.clock)
	defer func() { tx.done = true }()
	return f(tx)
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

// Damage lists what was found damaged when the store was opened.
func (db *DB) Damage() []Damage { return slices.Clone(db.damage) }

// Close waits for the updates that were accepted and closes the storage.
// Later calls of View and Update return [ErrClosed]; closing again does
// nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed.Swap(true) {
		return nil
	}
	for db.leading {
		db.idle.Wait()
	}
	return db.storage.Close()
}
