package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// queueTest runs scripted goroutines against a commitQueue and records who
// leads, in order.
type queueTest struct {
	*commitQueue
	t     *testing.T
	full  bool
	order []string
}

func testQueue(t *testing.T, f func(q *queueTest)) {
	synctest.Test(t, func(t *testing.T) {
		q := &queueTest{t: t}
		q.commitQueue = newCommitQueue(func() bool { return q.full })
		f(q)
	})
}

// want checks who has led so far, once all goroutines wait.
func (q *queueTest) want(names ...string) {
	q.t.Helper()
	synctest.Wait()
	if !slices.Equal(q.order, names) {
		q.t.Errorf("led: %v, want %v", q.order, names)
	}
}

// step leads once and hands over.
func (q *queueTest) step(name string) {
	go func() {
		q.lead()
		q.order = append(q.order, name)
		q.handOver(nil)
	}()
	synctest.Wait()
}

// exclusive leads once, exclusively, and hands over.
func (q *queueTest) exclusiveStep(ctx context.Context, name string) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := q.leadExclusive(ctx)
		if err == nil {
			q.order = append(q.order, name)
			q.handOver(nil)
		}
		done <- err
	}()
	synctest.Wait()
	return done
}

// update joins and, as the leader, answers at most limit of the waiters.
func (q *queueTest) update(name string, limit int) {
	u := &update{}
	go func() {
		leads, err := q.join(u)
		if err != nil {
			q.t.Error(err)
			return
		}
		if !leads && !<-u.wake {
			return
		}
		group := q.take()
		n := min(limit, len(group))
		q.order = append(q.order, fmt.Sprintf("%s of %d", name, n))
		for _, member := range group[:n] {
			if member.wake != nil {
				member.wake <- false
			}
		}
		q.handOver(group[n:])
	}()
	synctest.Wait()
}

// free fails the test if there is a leader.
func (q *queueTest) free() {
	q.t.Helper()
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.commitQueue.led || len(q.updates)+len(q.steps)+len(q.exclusive)+q.parked > 0 {
		q.t.Errorf("not free: %d updates, %d steps, %d exclusive, %d parked", len(q.updates), len(q.steps), len(q.exclusive), q.parked)
	}
}

func TestQueueOrder(t *testing.T) {
	testQueue(t, func(q *queueTest) {
		q.lead()
		q.update("a", 2)
		q.update("b", 2)
		q.update("c", 2)
		q.step("step 1")
		q.step("step 2")
		q.exclusiveStep(q.t.Context(), "exclusive 1")
		q.exclusiveStep(q.t.Context(), "exclusive 2")
		q.want()
		q.handOver(nil)
		q.want("exclusive 1", "exclusive 2", "step 1", "step 2", "a of 2", "c of 1")
		q.free()
	})
}

// TestQueueExclusive: leadExclusive waits for the current checkpoint, while steps
// and updates continue.
func TestQueueExclusive(t *testing.T) {
	testQueue(t, func(q *queueTest) {
		q.lead()
		q.beginCheckpoint()
		q.handOver(nil)
		done := q.exclusiveStep(q.t.Context(), "exclusive")
		q.step("step")
		q.update("a", 1)
		q.want("step", "a of 1")
		if !q.exclusiveWaits() {
			t.Error("no caller of leadExclusive is waiting")
		}
		q.lead()
		q.endCheckpoint()
		q.update("b", 1)
		q.handOver(nil)
		q.want("step", "a of 1", "exclusive", "b of 1")
		if err := <-done; err != nil {
			t.Error(err)
		}
		q.free()
	})
}

func TestQueueExclusiveCanceled(t *testing.T) {
	testQueue(t, func(q *queueTest) {
		ctx, cancel := context.WithCancel(q.t.Context())
		q.lead()
		done := q.exclusiveStep(ctx, "canceled")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		q.handOver(nil)
		q.want()
		q.free()

		// Canceled and handed over at the same moment: either may win, and in both cases
		// there is no leader in the end.
		for range 100 {
			ctx, cancel := context.WithCancel(q.t.Context())
			q.lead()
			done := q.exclusiveStep(ctx, "either")
			cancel()
			q.handOver(nil)
			<-done
			q.free()
		}
	})
}

// TestQueueThrottled: while the WAL is full, updates wait and steps do not.
func TestQueueThrottled(t *testing.T) {
	testQueue(t, func(q *queueTest) {
		q.lead()
		q.beginCheckpoint()
		q.full = true
		q.handOver(nil)
		q.update("a", 2)
		q.update("b", 2)
		q.step("slice")
		q.want("slice")
		q.lead()
		q.full = false
		q.endCheckpoint()
		q.handOver(nil)
		q.want("slice", "a of 2")
		q.free()
	})
}

// TestQueueParked: close waits for a parked update, which may still join.
func TestQueueParked(t *testing.T) {
	for _, withdraws := range []bool{false, true} {
		t.Run(fmt.Sprintf("withdraws: %t", withdraws), func(t *testing.T) {
			testQueue(t, func(q *queueTest) {
				u := &update{}
				if leads, err := q.join(u); !leads || err != nil {
					t.Fatalf("join: %t, %v", leads, err)
				}
				q.take()
				q.park(u)
				q.handOver(nil)
				closed := false
				go func() { closed = q.close() }()
				synctest.Wait()
				if _, err := q.join(&update{}); err != ErrClosed {
					t.Errorf("join of a closed queue: %v, want %v", err, ErrClosed)
				}
				if closed {
					t.Error("closed with a parked update")
				}
				if withdraws {
					q.withdraw(u)
				} else if leads, err := q.join(u); !leads || err != nil {
					t.Errorf("join of a parked update: %t, %v", leads, err)
				} else {
					q.take()
					q.handOver(nil)
				}
				synctest.Wait()
				if !closed {
					t.Error("not closed")
				}
				q.free()
			})
		})
	}
}

func TestQueueClose(t *testing.T) {
	testQueue(t, func(q *queueTest) {
		q.lead()
		q.beginCheckpoint()
		closed := make(chan bool, 2)
		go func() { closed <- q.close() }()
		synctest.Wait()
		if q.close() {
			t.Error("closed twice")
		}
		q.endCheckpoint()
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("closed despite a leader")
		}
		q.handOver(nil)
		if !<-closed {
			t.Error("not closed")
		}
		if err := q.leadExclusive(q.t.Context()); err != ErrClosed {
			t.Errorf("lead exclusively in a closed queue: %v, want %v", err, ErrClosed)
		}
		q.free()
	})
}
