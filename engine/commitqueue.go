package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// commitQueue picks the leader: the one goroutine that may use the storage to
// write and may make a new version. All others wait.
//
//	        join, lead, leadExclusive
//	┌──────┐ ─────────────────────────▶ ┌─────┐ ─┐ handOver:
//	│ free │                            │ led │  │ to a waiter
//	└──────┘ ◀───────────────────────── └─────┘ ◀┘
//	        handOver: no waiter may lead
//
// There are three kinds of waiters. handOver serves them in this order, each
// kind in the order of arrival:
//
//  1. leadExclusive: must not run during a checkpoint, and usually begins one.
//     Waits only for a running checkpoint.
//  2. lead: a short step, such as one slice of a checkpoint.
//  3. join: updates. The first of them leads for all (group commit). While the
//     WAL is full, none does: they wait for the checkpoint that truncates it.
//
// An update that needs blocks from the storage gives up its place:
//
//	join ──▶ waiting ──▶ evaluated by a leader ──▶ answered
//	  ▲                            │
//	  │                            ▼
//	  └──── blocks loaded ◀──── parked ──▶ withdraw: loading failed
type commitQueue struct {
	// walFull reports whether updates have to wait for the checkpoint that is
	// under way. It is called by the leader.
	walFull func() bool
	closed  atomic.Bool

	mu            sync.Mutex // guards the fields below
	led           bool
	checkpointing bool // from beginCheckpoint to endCheckpoint
	throttled     bool // what walFull returned last
	parked        int
	updates       []*update   // waiting
	steps         []chan bool // waiting in lead
	exclusive     []chan bool // waiting in leadExclusive
	changed       sync.Cond   // led, checkpointing or parked
}

// update is one call of [DB.Update], waiting or being answered.
type update struct {
	f func(*Tx) error
	// wake wakes the waiting goroutine, see commitQueue.join. It is nil for an update
	// that joined as the leader.
	wake   chan bool
	parked bool // the commitQueue's
	fetch  blockFetch

	err      error
	panicked any
	// dependent is set if the callback saw changes of the same group: its answer
	// holds only if they are committed.
	dependent bool
	changed   bool
}

func newCommitQueue(walFull func() bool) *commitQueue {
	q := &commitQueue{walFull: walFull}
	q.changed.L = &q.mu
	return q
}

// join adds an update to the waiters. If it returns true the caller is the
// leader; otherwise u.wake receives true when it becomes the leader, false when
// another leader has answered or parked the update.
func (q *commitQueue) join(u *update) (leads bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case u.parked:
		u.parked = false
		q.parked-- // close waits for it
	case q.closed.Load():
		return false, ErrClosed
	}
	q.updates = append(q.updates, u)
	if q.led || q.throttled {
		u.wake = make(chan bool, 1)
		return false, nil
	}
	u.wake = nil
	q.led = true
	return true, nil
}

// take returns the waiting updates to the leader, its own first.
func (q *commitQueue) take() []*update {
	q.mu.Lock()
	defer q.mu.Unlock()
	updates := q.updates
	q.updates = nil
	return updates
}

// park notes that an update will join again, or withdraw.
func (q *commitQueue) park(u *update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	u.parked = true
	q.parked++
}

// withdraw ends a parked update.
func (q *commitQueue) withdraw(u *update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	u.parked = false
	q.parked--
	q.changed.Broadcast()
}

// lead makes the caller the leader.
func (q *commitQueue) lead() {
	q.mu.Lock()
	if !q.led {
		q.led = true
		q.mu.Unlock()
		return
	}
	wake := make(chan bool, 1)
	q.steps = append(q.steps, wake)
	q.mu.Unlock()
	<-wake
}

// leadExclusive makes the caller the leader while no checkpoint is under way.
// The error is the context's, or [ErrClosed].
func (q *commitQueue) leadExclusive(ctx context.Context) error {
	if err := q.waitExclusive(ctx); err != nil {
		return err
	}
	if q.closed.Load() {
		q.handOver(nil)
		return ErrClosed
	}
	return nil
}

func (q *commitQueue) waitExclusive(ctx context.Context) error {
	q.mu.Lock()
	if !q.led && !q.checkpointing {
		q.led = true
		q.mu.Unlock()
		return nil
	}
	wake := make(chan bool, 1)
	q.exclusive = append(q.exclusive, wake)
	q.mu.Unlock()
	select {
	case <-wake:
		return nil
	case <-ctx.Done():
		if !q.cancelExclusive(wake) {
			<-wake // handed over at the same moment
			q.handOver(nil)
		}
		return ctx.Err()
	}
}

func (q *commitQueue) cancelExclusive(wake chan bool) (waiting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.exclusive, wake)
	if i < 0 {
		return false
	}
	q.exclusive = slices.Delete(q.exclusive, i, i+1)
	return true
}

// handOver ends the caller's leadership. Updates that it took and did not
// evaluate are left: they go back to the front.
func (q *commitQueue) handOver(left []*update) {
	full := q.walFull()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.throttled = full
	q.updates = append(left, q.updates...)
	switch {
	case len(q.exclusive) > 0 && !q.checkpointing:
		q.exclusive[0] <- true
		q.exclusive = q.exclusive[1:]
	case len(q.steps) > 0:
		q.steps[0] <- true
		q.steps = q.steps[1:]
	case len(q.updates) > 0 && !q.throttled:
		q.updates[0].wake <- true
	default:
		q.led = false
		q.changed.Broadcast()
	}
}

// exclusiveWaits reports whether a caller of leadExclusive is waiting, which is
// going to begin a checkpoint.
func (q *commitQueue) exclusiveWaits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.exclusive) > 0
}

// beginCheckpoint notes that a checkpoint is running: it leads now and then, and in
// between it is not a waiter. The caller leads.
func (q *commitQueue) beginCheckpoint() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.checkpointing = true
}

// endCheckpoint is the counterpart of beginCheckpoint. The caller leads.
func (q *commitQueue) endCheckpoint() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.checkpointing = false
	q.changed.Broadcast()
}

// close refuses new updates and waits for all updates that joined, and for a running
// checkpoint. It returns false if the queue was closed before.
func (q *commitQueue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed.Swap(true) {
		return false
	}
	q.waitIdle()
	return true
}

// waitIdle waits until there is no leader, checkpoint or parked update. The caller
// holds mu.
func (q *commitQueue) waitIdle() {
	for q.led || q.checkpointing || q.parked > 0 {
		q.changed.Wait()
	}
}
