package journal

import (
	"sync"
	"testing"
)

func TestStream(t *testing.T) {
	s := NewStream(4)
	if s.Listening() || !s.Listen() || s.Listen() || !s.Listening() {
		t.Error("it does not know whether anybody listens")
	}
	events, missed, more := s.After(0, 10)
	if len(events) > 0 || missed || more == nil {
		t.Fatalf("of a new stream: %v, %v", events, missed)
	}
	s.Publish("one")
	<-more
	s.Publish("two", "three")
	check := func(number uint64, limit int, missing bool, want ...any) {
		t.Helper()
		events, missed, more := s.After(number, limit)
		if missed != missing || len(events) != len(want) || (more != nil) != (len(want) == 0) {
			t.Fatalf("after %d: %v, missed %v, want %v", number, events, missed, want)
		}
		for i, e := range events {
			if e.Value != want[i] || i > 0 && e.Number != events[i-1].Number+1 {
				t.Errorf("after %d: %v, want %v", number, events, want)
			}
		}
	}
	check(0, 10, false, "one", "two", "three")
	check(0, 2, false, "one", "two")
	check(2, 10, false, "three")
	check(3, 10, false)
	check(99, 10, true) // of another stream
	s.Publish("four", "five", "six")
	check(0, 10, true, "three", "four", "five", "six")
	check(1, 10, true, "three", "four", "five", "six")
	check(2, 10, false, "three", "four", "five", "six")
	if s.Last() != 6 {
		t.Errorf("the last is %d", s.Last())
	}
}

// TestStreamAtOnce: whoever keeps up sees every event once and in order.
func TestStreamAtOnce(t *testing.T) {
	const n = 2000
	s := NewStream(4 * n)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for at := uint64(0); at < 2*n; {
				events, missed, more := s.After(at, 7)
				if missed {
					t.Error("events were missed")
					return
				}
				for _, e := range events {
					if at++; e.Number != at {
						t.Errorf("event %d after %d", e.Number, at-1)
					}
				}
				if more != nil {
					<-more
				}
			}
		})
	}
	for range 2 {
		group.Go(func() {
			for i := range n {
				s.Publish(i)
			}
		})
	}
	group.Wait()
}
