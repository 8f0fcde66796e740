package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// maxRecordSize is how large a record of the log may become, in bytes, before
// the updates that still wait are left for the next one. A single update can
// make a larger record.
const maxRecordSize = 4 << 20

// errExited is the answer to an update whose callback ended its goroutine.
var errExited = errors.New("update callback did not return")

// update is one call of Update, waiting or being answered.
type update struct {
	f func(*Tx) error
	// turn says to the waiting goroutine: true, lead those that wait; false,
	// this is answered or put off. Nil for one that did not have to wait.
	turn chan bool
	// blocks are what f wants of the storage.
	blocks wanted

	err      error
	panicked any
	// after tells that the callback saw changes of others that were not
	// durable yet: its answer is only as good as their commit.
	after   bool
	changed bool
}

// Update calls f with a transaction that may change the store, one update
// after another, and returns when the changes are durable. When f returns an
// error or panics nothing was changed; the error is returned, the panic goes
// on in the caller's goroutine. An error that wraps [ErrStorage] means that the
// changes could not be made durable, and nobody has seen them; where the
// storage's connection died they may be there after the next opening.
//
// Updates that arrive while another is being made durable share the next
// append; f may so run in the goroutine of another Update. It must not call
// Update itself, nor wait for anything that does.
//
// F may be called more than once. Where it comes to entities that are not in
// memory its run is given up, whatever it returns; they are read while other
// updates go on; and it begins anew. So what f leaves outside of the
// transaction must not depend on how often it began.
func (db *DB) Update(f func(*Tx) error) error {
	u := &update{f: f}
	for {
		lead, err := db.enqueue(u)
		if err != nil {
			return err
		}
		if lead || <-u.turn {
			db.lead()
		}
		if u.blocks.next == nil {
			break
		}
		if err := u.blocks.read(db.cache); err != nil {
			db.abandon()
			return err
		}
	}
	if u.panicked != nil {
		panic(u.panicked)
	}
	return u.err
}

// abandon takes account of an update that was put off and does not come back.
func (db *DB) abandon() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.putOff--
	db.idle.Broadcast()
}

// enqueue reports whether the caller has to lead.
func (db *DB) enqueue(u *update) (lead bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if u.blocks.begun() {
		db.putOff-- // Close waits for it
	} else if db.closed.Load() {
		return false, ErrClosed
	}
	db.queue = append(db.queue, u)
	if db.leading || db.held {
		u.turn = make(chan bool, 1)
		return false, nil
	}
	u.turn = nil
	db.leading = true
	return true, nil
}

// lead commits the updates that wait, the caller's own the first among them.
func (db *DB) lead() {
	db.mu.Lock()
	g := &group{db: db, base: db.current.Load(), members: db.queue, record: newWALRecord(db.record), room: db.ops}
	db.queue, db.record, db.ops = nil, nil, nil
	db.mu.Unlock()
	g.run()
}

// resign hands the lead to the first that waits; those whom the group had no
// room for come first.
func (db *DB) resign(left []*update) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.queue = append(left, db.queue...)
	if len(db.alone) > 0 && !db.writing {
		db.alone[0] <- true
		db.alone = db.alone[1:]
		return
	}
	if len(db.turns) > 0 {
		// A part of a checkpoint, which is short; then come those who wait.
		db.turns[0] <- true
		db.turns = db.turns[1:]
		return
	}
	// The checkpoint, which is under way, leads next.
	db.held = db.saved.full()
	if len(db.queue) > 0 && !db.held {
		db.queue[0].turn <- true
		return
	}
	db.leading = false
	db.idle.Broadcast()
}

// group is the updates that share one append.
type group struct {
	db      *DB
	base    *version
	work    *version // base with the changes so far; nil for none
	members []*update
	next    int // the first of members that was not called yet
	ops     []op
	record  []byte
	room    []op // for the ops of one update, until one has them
}

func (g *group) run() {
	evaluated := false
	defer func() {
		// A callback that ends its goroutine (t.FailNow does) takes the leader
		// with it: the others must not wait for ever. The leader's own update, the
		// first, does not come again if it was put off.
		if !evaluated {
			g.members[0].blocks.next = nil
			go g.run()
		}
	}()
	for g.next < len(g.members) && len(g.record) < maxRecordSize {
		u := g.members[g.next]
		g.next++
		g.call(u)
	}
	evaluated = true
	g.answer(g.commit())
}

// call runs one update on what those before it made.
func (g *group) call(u *update) {
	base := g.base
	if g.work != nil {
		base = g.work
	}
	u.after = g.work != nil
	tx := newWriteTx(base, g.db.cache, g.db.clock, g.room)
	tx.wanted = u.blocks.begin()
	u.err = errExited
	defer func() {
		tx.done = true
		if !u.changed {
			clear(tx.ops) // which may be in the room of the next
		}
	}()
	defer func() {
		if u.panicked = recover(); u.panicked != nil {
			u.err = nil // that is more than this one said
		}
	}()
	if u.err = u.f(tx); u.err != nil || len(tx.ops) == 0 || u.blocks.next != nil {
		return
	}
	u.changed = true
	g.record = appendOps(g.record, tx.ops)
	if g.ops == nil {
		g.ops, g.room = tx.ops, nil
	} else {
		g.ops = append(g.ops, tx.ops...)
	}
	if g.work == nil {
		g.work = g.base.next()
	}
	g.work.adopt(tx)
}

// commit makes the changes durable and then visible.
func (g *group) commit() error {
	if g.work == nil {
		return nil
	}
	db := g.db
	g.work.seq++
	sealWALRecord(g.record, g.work.seq, g.work.stamp, countEntries(g.ops))
	if err := db.append(g.work.seq, g.record); err != nil {
		return fmt.Errorf("%w: append record %d: %w", ErrStorage, g.work.seq, err)
	}
	db.saved.note(g.base, g.ops, len(g.record))
	db.current.Store(g.work)
	db.feed.publish(g.ops)
	return nil
}

// append guards the waiting updates against a storage that panics, as calls
// into JavaScript do.
func (db *DB) append(seq uint64, record []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return db.storage.Append(seq, record)
}

// answer tells every member what became of it and hands on the lead.
func (g *group) answer(failed error) {
	g.putOff()
	for _, u := range g.members[:g.next] {
		if failed != nil && (u.changed || u.after) {
			u.err = failed
		}
		if u.turn != nil {
			u.turn <- false
		}
	}
	db := g.db
	if g.ops != nil {
		g.room = g.ops
	}
	db.keepBuffers(g.record, g.room)
	if db.saved.due(db.current.Load()) {
		db.beginCheckpoint()
	}
	db.watchIdle()
	db.resign(g.members[g.next:])
}

// putOff counts the members that will come again.
func (g *group) putOff() {
	n := 0
	for _, u := range g.members[:g.next] {
		if u.err == errExited {
			u.blocks.next = nil // it is over, whatever it wanted
		}
		if u.blocks.next != nil {
			u.blocks.keep(g.base.era)
			n++
		}
	}
	if n > 0 {
		g.db.mu.Lock()
		g.db.putOff += n
		g.db.mu.Unlock()
	}
}

// acquire waits until nothing else uses the storage and the versions, as a
// leader has it; resign ends it.
func (db *DB) acquire() {
	db.mu.Lock()
	if !db.leading {
		db.leading = true
		db.mu.Unlock()
		return
	}
	turn := make(chan bool, 1)
	db.turns = append(db.turns, turn)
	db.mu.Unlock()
	<-turn
}

// leadAlone makes the caller the leader while no checkpoint is under way, or
// returns the context's error. It comes before updates, and before the next
// checkpoint, which the caller is expected to begin: so it waits for one
// checkpoint and for those who came before, however fast others write, and the
// log gets no longer while it does.
func (db *DB) leadAlone(ctx context.Context) error {
	db.mu.Lock()
	if !db.leading && !db.writing {
		db.leading = true
		db.mu.Unlock()
		return db.refuseClosed()
	}
	turn := make(chan bool, 1)
	db.alone = append(db.alone, turn)
	db.mu.Unlock()
	select {
	case <-turn:
		return db.refuseClosed()
	case <-ctx.Done():
		db.leaveAlone(turn)
		return ctx.Err()
	}
}

// refuseClosed resigns where the DB is closed.
func (db *DB) refuseClosed() error {
	if db.closed.Load() {
		db.resign(nil)
		return ErrClosed
	}
	return nil
}

// leaveAlone is for one who does not want the turn any more, and may have got it.
func (db *DB) leaveAlone(turn chan bool) {
	db.mu.Lock()
	i := slices.Index(db.alone, turn)
	if i >= 0 {
		db.alone = slices.Delete(db.alone, i, i+1)
	}
	db.mu.Unlock()
	if i < 0 {
		<-turn
		db.resign(nil)
	}
}

// keepBuffers keeps the memory of a record and of its ops for the next one,
// unless it is large, or so small that it may be part of a Tx.
func (db *DB) keepBuffers(record []byte, ops []op) {
	clear(ops) // they hold entities
	db.mu.Lock()
	defer db.mu.Unlock()
	if cap(record) <= 256<<10 {
		db.record = record
	}
	if cap(ops) >= 16 && cap(ops) <= 1024 {
		db.ops = ops[:0]
	}
}
