package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"sandtable/odata"
)

// How many changes wait for one slow subscriber at most, and how many bytes of
// strings they keep in memory.
const (
	maxPendingChanges = 65536
	maxPendingBytes   = 16 << 20
)

// feed delivers the changes of commits to subscribers.
type feed struct {
	mu          sync.Mutex
	subscribers []*subscriber // copy-on-write
	count       atomic.Int32
}

type subscriber struct {
	f func([]Change)

	mu       sync.Mutex
	pending  []Change
	bytes    int  // of pending
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
	s.canceled, s.pending, s.bytes = true, nil, 0
	s.mu.Unlock()
}

// publish is called by the leader, in the order of the commits.
func (d *feed) publish(ops []op) {
	if d.count.Load() == 0 {
		return
	}
	changes, bytes := make([]Change, 0, len(ops)), 0
	for i := range ops {
		if c, ok := ops[i].change(); ok {
			changes = append(changes, c)
			bytes += ops[i].textSize()
		}
	}
	if len(changes) == 0 {
		return
	}
	d.mu.Lock()
	subscribers := d.subscribers
	d.mu.Unlock()
	for _, s := range subscribers {
		s.push(changes, bytes)
	}
}

// textSize returns how many bytes of strings the change keeps in memory.
func (o *op) textSize() (size int) {
	for _, e := range []*odata.Entity{o.before, o.after} {
		if e != nil {
			size += textSize(e.Key(), e.Properties)
		}
	}
	return size
}

func (s *subscriber) push(changes []Change, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canceled {
		return
	}
	// A single large commit is accepted: its writer had it in memory, too.
	tooLarge := len(s.pending) > 0 && s.bytes+bytes > maxPendingBytes
	if tooLarge || len(s.pending)+len(changes) > maxPendingChanges {
		s.pending, s.bytes = nil, 0
		changes, bytes = []Change{{Kind: ChangesMissed}}, 0
	}
	// Copied: subscribers keep the slice that they get.
	s.pending = append(s.pending, changes...)
	s.bytes += bytes
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
	s.pending, s.bytes = nil, 0
	s.running = changes != nil
	return changes
}
