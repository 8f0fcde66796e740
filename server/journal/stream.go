package journal

import (
	"sync"
	"sync/atomic"
)

// Event is something that happened, and the number of its place in the stream:
// 1, 2, 3…
type Event struct {
	Number uint64
	Value  any
}

// Stream keeps the last events for those who listen, each in its own time: one
// who is too slow misses some, and learns of it. Nothing waits for a listener.
// It is safe for concurrent use.
type Stream struct {
	listening atomic.Bool

	mu      sync.Mutex
	events  []Event // a ring
	last    uint64
	changed chan struct{} // closed by the next event, nil if nobody waits
}

// NewStream returns a stream that keeps so many events.
func NewStream(size int) *Stream { return &Stream{events: make([]Event, size)} }

// Listen has events kept from now on, until the stream is forgotten: a
// listener that comes back wants those of the time between. It reports whether
// this is the first call.
func (s *Stream) Listen() (first bool) { return !s.listening.Swap(true) }

// Listening reports whether anybody ever listened. If not, there is no need to
// publish.
func (s *Stream) Listening() bool { return s.listening.Load() }

// Publish appends events.
func (s *Stream) Publish(values ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		s.last++
		s.events[s.last%uint64(len(s.events))] = Event{s.last, v}
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Last returns the number of the last event, 0 if there was none.
func (s *Stream) Last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// After returns the events that follow a number, at most limit of them, and
// whether some that did are not there any more. Without any it returns a
// channel that is closed when there is one.
func (s *Stream) After(number uint64, limit int) (events []Event, missed bool, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number >= s.last {
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		return nil, number > s.last, s.changed
	}
	kept := min(s.last, uint64(len(s.events)))
	if oldest := s.last - kept; number < oldest {
		missed, number = true, oldest
	}
	for n := number + 1; n <= s.last && len(events) < limit; n++ {
		events = append(events, s.events[n%uint64(len(s.events))])
	}
	return events, missed, nil
}
