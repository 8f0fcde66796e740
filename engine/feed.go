package engine

import (
	"slices"
	"sync"
	"sync/atomic"
)

// maxPendingChanges is how many changes wait for one slow subscriber.
const maxPendingChanges = 65536

// feed hands the changes of commits to subscribers.
type feed struct {
	mu          sync.Mutex
	subscribers []*subscriber // replaced, never changed
	count       atomic.Int32
}

type subscriber struct {
	f func([]Change)

	mu       sync.Mutex
	pending  []Change
	running  bool // a goroutine is calling f
	canceled bool
}

func (d *feed) subscribe(f func([]Change)) (cancel func()) {
	s := &subscriber{f: f}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.subscribers = append(slices.Clip(d.subscribers), s)
	d.count.Store(int32(len(d.subscribers)))
	return func() { d.cancel(s) }
}

func (d *feed) cancel(s *subscriber) {
	d.mu.Lock()
	d.subscribers = slices.DeleteFunc(slices.Clone(d.subscribers), func(t *subscriber) bool { return t == s })
	d.count.Store(int32(len(d.subscribers)))
	d.mu.Unlock()

	s.mu.Lock()
	s.canceled, s.pending = true, nil
	s.mu.Unlock()
}

// publish is called by the leader alone, so commits come in their order.
func (d *feed) publish(ops []op) {
	if d.count.Load() == 0 {
		return
	}
	changes := make([]Change, len(ops))
	for i := range ops {
		changes[i] = ops[i].change()
	}
	d.mu.Lock()
	subscribers := d.subscribers
	d.mu.Unlock()
	for _, s := range subscribers {
		s.push(changes)
	}
}

func (s *subscriber) push(changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canceled {
		return
	}
	if len(s.pending)+len(changes) > maxPendingChanges {
		s.pending, changes = nil, []Change{{Kind: ChangesMissed}}
	}
	// Appended to a slice of its own: subscribers keep what they are given.
	s.pending = append(s.pending, changes...)
	if !s.running {
		s.running = true
		go s.run()
	}
}

// run calls f until nothing is pending.
func (s *subscriber) run() {
	for {
		changes := s.take()
		if changes == nil {
			return
		}
		s.f(changes)
	}
}

func (s *subscriber) take() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.pending
	s.pending = nil
	s.running = changes != nil
	return changes
}
