package journal

import (
	"sync"
	"sync/atomic"
)

// Event is something that happened. Numbers ascend: 1, 2, 3…
type Event struct {
	Number uint64
	Value  any
	Size   int // about how many bytes the value takes
}

// Stream keeps the last events for listeners, each at its own pace. One that is
// too slow misses some and learns about it. Nothing waits for a listener. It is
// safe for concurrent use.
type Stream struct {
	listening atomic.Bool
	limit     int // of memory

	mu      sync.Mutex
	events  []Event // circular
	last    uint64
	kept    uint64        // how many events, up to the last
	memory  int           // the sum of their sizes
	changed chan struct{} // closed by the next event; nil if nobody waits
}

// NewStream returns a stream that keeps up to size events, fewer if they take
// more than memory bytes, but always the last.
func NewStream(size, memory int) *Stream { return &Stream{limit: memory, events: make([]Event, size)} }

// Listen keeps events from now on until [Stream.Forget]: a listener that
// reconnects wants those in between. It reports whether none were kept before.
func (s *Stream) Listen() (first bool) { return !s.listening.Swap(true) }

// Listening reports whether events are kept. If not, nobody needs to publish.
func (s *Stream) Listening() bool { return s.listening.Load() }

// Forget drops all events and keeps none until the next Listen. A listener that
// reconnects after that has missed some.
func (s *Stream) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listening.Store(false)
	for s.kept > 0 {
		s.drop()
	}
	s.last++ // stands for the events that nobody keeps
}

// Publish appends events and sets their numbers. It drops them if nobody listens.
func (s *Stream) Publish(events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Listening() {
		return
	}
	for _, e := range events {
		for s.kept > 0 && (s.kept == uint64(len(s.events)) || s.memory+e.Size > s.limit) {
			s.drop()
		}
		s.last++
		s.kept++
		s.memory += e.Size
		e.Number = s.last
		*s.at(s.last) = e
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *Stream) at(number uint64) *Event { return &s.events[number%uint64(len(s.events))] }

// drop drops the oldest event.
func (s *Stream) drop() {
	oldest := s.at(s.last - s.kept + 1)
	s.memory -= oldest.Size
	*oldest = Event{}
	s.kept--
}

// Last returns the number of the last event, 0 if there was none.
func (s *Stream) Last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// After returns up to limit events after a number, and whether some of them are
// no longer kept. Without any it returns a channel that the next event closes.
func (s *Stream) After(number uint64, limit int) (events []Event, missed bool, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number >= s.last {
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		return nil, number > s.last, s.changed
	}
	if oldest := s.last - s.kept; number < oldest {
		missed, number = true, oldest
	}
	for n := number + 1; n <= s.last && len(events) < limit; n++ {
		events = append(events, *s.at(n))
	}
	return events, missed, nil
}
