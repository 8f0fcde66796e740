package engine

import (
	"runtime"
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
	yield   func()           // Options.Yield
	damaged func(Corruption) // Options.OnCorruption, nil before the store is open
	cache   *cache
	current atomic.Pointer[version]
	closed  atomic.Bool
	// checkpointed is the Timestamp of the last write that is in blocks.
	checkpointed atomic.Int64
	failing      atomic.Pointer[CheckpointFailure]
	feed         feed
	saved        saved  // the leader's
	writer       writer // the checkpoint's, of which there is one at a time

	// counting is held while the current version changes, with blockRef.net, and
	// while a block is found to be lost: so that what is counted belongs together.
	counting sync.Mutex
	losses   int // blocks that were found to be lost

	damageMu sync.Mutex
	damage   []Corruption
	lost     []BlockID // those of damage

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
	db.cache = &cache{storage: storage, budget: options.MemoryBudget, damaged: db.reportBlock}
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
	db.damaged = options.OnCorruption
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

// Corruption lists what was found damaged: the log and the directory when the
// store was opened, a block when it was first read. Such a block is passed over
// from then on, as if it had no entities.
// One that had been replaced is no damage: its readers, whose transactions began
// before, get an error that wraps [ErrReading].
func (db *DB) Corruption() []Corruption {
	db.damageMu.Lock()
	defer db.damageMu.Unlock()
	return slices.Clone(db.damage)
}

func (db *DB) report(d Corruption) {
	db.list(d)
	db.tell(d)
}

func (db *DB) list(d Corruption) {
	db.damageMu.Lock()
	defer db.damageMu.Unlock()
	db.damage = append(db.damage, d)
}

func (db *DB) tell(d Corruption) {
	if db.damaged != nil {
		db.damaged(d)
	}
}

// reportBlock takes account of a block that cannot be read. It reports false
// where nothing is lost with it, since it was replaced: then it matters to
// nobody but to a reader of a version of before.
func (db *DB) reportBlock(r *blockRef, cause error) (lost bool) {
	d, lost := db.loseBlock(r, cause)
	if lost {
		db.tell(d)
	}
	return lost
}

func (db *DB) loseBlock(r *blockRef, cause error) (d Corruption, lost bool) {
	db.counting.Lock()
	defer db.counting.Unlock()
	v := db.current.Load()
	c := v.contents(r.Table)
	if !r.apart && !c.has(r) {
		return d, false
	}
	r.lost.Store(true)
	db.losses++
	if !r.apart {
		c.lose(r)
	}
	d = v.damagedBlock(r.BlockInfo, cause)
	db.list(d)
	db.damageMu.Lock()
	defer db.damageMu.Unlock()
	db.lost = append(db.lost, r.ID)
	return d, true
}

// regain takes back the loss of a block whose entities are in another one: they
// were read before it was damaged. The caller holds counting.
func (db *DB) regain(now *version, r *blockRef) {
	r.lost.Store(false)
	if c := now.contents(r.Table); c != nil {
		c.lost.Add(int64(-r.loss))
	}
	db.damageMu.Lock()
	defer db.damageMu.Unlock()
	db.damage = slices.DeleteFunc(db.damage, func(d Corruption) bool { return d.Kind == CorruptBlock && d.Block.ID == r.ID })
	db.lost = slices.DeleteFunc(db.lost, func(id BlockID) bool { return id == r.ID })
}

// show makes a version with these changes the current one.
func (db *DB) show(v *version, ops []op) {
	db.counting.Lock()
	defer db.counting.Unlock()
	var c *contents
	var again losses
	for i := range ops {
		o := &ops[i]
		if i == 0 || o.table != ops[i-1].table {
			c = v.contents(o.table)
		}
		if net := o.net(); c != nil && (net != 0 || db.losses > 0) {
			again.countIn(c, o.key(), net)
		}
	}
	again.count()
	db.current.Store(v)
}

// lostBlocks returns the blocks that turned out to be lost.
func (db *DB) lostBlocks() []BlockID {
	db.damageMu.Lock()
	defer db.damageMu.Unlock()
	return slices.Clone(db.lost)
}

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
