package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
)

// maxRecordSize is the size from which no further update joins a WAL record: it
// waits for the next append. A single update can still make a larger record.
const maxRecordSize = 4 << 20

// errExited is the error of an update whose callback ended its goroutine.
var errExited = errors.New("update callback did not return")

// Update calls f with a transaction that may change the store, one update
// after another, and returns when the changes are durable. If f returns an
// error or panics, nothing is changed; Update returns the error, or panics again in
// the caller's goroutine. An error that wraps [ErrStorage] means that the changes
// could not be made durable, and no reader has seen them; if the storage's
// connection died, they may be there after the next opening.
//
// Updates that arrive while another is being made durable share the next
// append, so f may run in the goroutine of another Update. It must not call
// Update itself, nor wait for anything that does.
//
// F may be called more than once: if it needs entities that are not in memory, its
// run is abandoned, whatever it returns, and f is called again when they have been
// loaded; other updates continue meanwhile. The effects of f outside of the
// transaction must not depend on how often it was called.
func (db *DB) Update(f func(*Tx) error) error {
	u := &update{f: f}
	for {
		leads, err := db.queue.join(u)
		if err != nil {
			return err
		}
		if leads || <-u.wake {
			runtime.Gosched() // updates that are about to wait join the group
			db.commitGroup()
		}
		if !u.fetch.pending() {
			break
		}
		if err := u.fetch.load(db.cache); err != nil {
			db.queue.withdraw(u)
			return err
		}
	}
	if u.panicked != nil {
		panic(u.panicked)
	}
	return u.err
}

// group is a group of updates that share one append.
type group struct {
	db      *DB
	base    *version
	work    *version // base with the changes so far; nil for none
	members []*update
	next    int // the first of members that was not called yet
	ops     []op
	record  []byte
	scratch []op // for the ops of one update, until one keeps it
	deletes bool // the last changed member only deletes
	mixed   bool // some members only delete, others do not
	drops   bool // a changed member drops tables or accounts
}

// commitGroup commits the waiting updates. The caller leads.
func (db *DB) commitGroup() {
	b := &db.buffers
	g := &group{db: db, base: db.current.Load(), members: db.queue.take(), record: newWALRecord(b.record), scratch: b.ops}
	*b = commitBuffers{}
	g.run()
}

func (g *group) run() {
	evaluated := false
	defer func() {
		// A callback that ends its goroutine (t.FailNow does) ends the leader: the
		// others must not wait forever. The leader's own update, the first, is not
		// retried even if it needs a block.
		if !evaluated {
			g.members[0].fetch.cancel()
			go g.run()
		}
	}()
	g.evaluate()
	err := g.commit()
	if g.mixed && g.db.full {
		// The deletions among them may succeed in a record of their own.
		g.next, g.work, g.ops, g.record, g.mixed, g.drops = 0, nil, nil, newWALRecord(g.record), false, false
		g.evaluate()
		err = g.commit()
	}
	evaluated = true
	g.answer(err)
}

// evaluate calls the members that fit into one record.
func (g *group) evaluate() {
	for g.next < len(g.members) && len(g.record) < maxRecordSize {
		u := g.members[g.next]
		g.next++
		if g.call(u) {
			g.next--
			return
		}
	}
}

// call runs one update on the result of the updates before it. If it returns true, the
// update belongs to the next group: on a full storage, deletions share no record with
// other changes.
func (g *group) call(u *update) (postponed bool) {
	base := g.base
	if g.work != nil {
		base = g.work
	}
	u.dependent = g.work != nil
	tx := newWriteTx(base, g.db.cache, g.db.clock, g.scratch)
	tx.fetch = u.fetch.begin()
	u.err, u.changed = errExited, false
	defer func() {
		tx.done = true
		if !u.changed {
			clear(tx.ops) // which may be scratch
		}
	}()
	defer func() {
		if u.panicked = recover(); u.panicked != nil {
			u.err = nil
		}
	}()
	if u.err = u.f(tx); u.err != nil || len(tx.ops) == 0 || u.fetch.pending() {
		return false
	}
	drops := slices.ContainsFunc(tx.ops, isDrop)
	deletes := onlyDeletes(tx.ops, drops)
	if g.work != nil && deletes != g.deletes {
		if g.db.full {
			return true
		}
		g.mixed = true
	}
	u.changed, g.deletes, g.drops = true, deletes, g.drops || drops
	g.record = appendOps(g.record, tx.ops)
	if g.ops == nil {
		g.ops, g.scratch = tx.ops, nil
	} else {
		g.ops = append(g.ops, tx.ops...)
	}
	if g.work == nil {
		g.work = g.base.next()
	}
	g.work.adopt(tx)
	return false
}

// commit makes the changes durable, then visible.
func (g *group) commit() error {
	if g.work == nil {
		return nil
	}
	db := g.db
	g.work.seq++
	sealWALRecord(g.record, g.work.seq, g.work.stamp, countEntries(g.ops))
	if err := db.append(g.work.seq, g.record, g.deletes && !g.mixed, g.drops); err != nil {
		return fmt.Errorf("%w: append record %d: %w", ErrStorage, g.work.seq, err)
	}
	db.wal.note(g.base, g.ops, len(g.record))
	db.current.Store(g.work)
	db.feed.publish(g.ops)
	return nil
}

// append appends a record, on a full storage only if it deletes. It turns a panic of the
// storage, such as an exception in JavaScript, into an error, so that the waiting updates
// are answered.
func (db *DB) append(seq uint64, record []byte, deletes, drops bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	err = db.storage.Append(seq, record)
	r, ok := db.storage.(Reserver)
	db.full = ok && errors.Is(err, ErrNoSpace)
	if db.full && deletes {
		return r.AppendReserved(seq, record, drops)
	}
	return err
}

// onlyDeletes reports whether ops only delete. A reset does, although it also puts the
// accounts that stay: it drops tables or accounts, and has to succeed on a full storage.
func onlyDeletes(ops []op, drops bool) bool {
	return !slices.ContainsFunc(ops, func(o op) bool {
		return o.after != nil && !(drops && o.table == catalogID && isAccount(o.after))
	})
}

// isDrop reports whether an op drops a table, or an account or snapshot with its tables.
func isDrop(o op) bool { return o.kind == TableDeleted || o.kind == AccountDeleted }

// answer answers or parks every member that was evaluated, and hands over.
func (g *group) answer(failed error) {
	for _, u := range g.members[:g.next] {
		g.park(u)
		if failed != nil && (u.changed || u.dependent) {
			u.err = failed
		}
	}
	for _, u := range g.members[:g.next] {
		if u.wake != nil {
			u.wake <- false
		}
	}
	db := g.db
	g.keepBuffers()
	if db.wal.due(db.current.Load()) {
		db.beginCheckpoint()
	}
	db.watchIdle()
	db.queue.handOver(g.members[g.next:])
}

// park parks a member that needs blocks. The epoch that it read stays pinned
// until they are loaded.
func (g *group) park(u *update) {
	if u.err == errExited {
		u.fetch.cancel()
	}
	if u.fetch.pending() {
		u.fetch.pin(g.base.epoch)
		g.db.queue.park(u)
	}
}

// keepBuffers keeps the memory of the record and of the ops for the next group,
// unless it is large, or so small that it may be part of a Tx.
func (g *group) keepBuffers() {
	if g.ops != nil {
		g.scratch = g.ops
	}
	clear(g.scratch) // the ops refer to entities
	b := &g.db.buffers
	if cap(g.record) <= 256<<10 {
		b.record = g.record
	}
	if cap(g.scratch) >= 16 && cap(g.scratch) <= 1024 {
		b.ops = g.scratch[:0]
	}
}
