package journal

import (
	"slices"
	"sync"
	"testing"
)

func TestStream(t *testing.T) {
	s := NewStream(4, 1<<20)
	if s.Listening() || !s.Listen() || s.Listen() || !s.Listening() {
		t.Error("wrong listener state")
	}
	events, missed, more := s.After(0, 10)
	if len(events) > 0 || missed || more == nil {
		t.Fatalf("of a new stream: %v, %v", events, missed)
	}
	s.Publish(Event{Value: "one"})
	<-more
	s.Publish(Event{Value: "two"}, Event{Value: "three"})
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
	s.Publish(Event{Value: "four"}, Event{Value: "five"}, Event{Value: "six"})
	check(0, 10, true, "three", "four", "five", "six")
	check(1, 10, true, "three", "four", "five", "six")
	check(2, 10, false, "three", "four", "five", "six")
	if s.Last() != 6 {
		t.Errorf("the last is %d", s.Last())
	}
}

// TestStreamAtOnce: a listener that keeps up gets every event once and in order.
func TestStreamAtOnce(t *testing.T) {
	const n = 2000
	s := NewStream(4*n, 1<<20)
	s.Listen()
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
				s.Publish(Event{Value: i})
			}
		})
	}
	group.Wait()
}

// TestStreamMemory: a large event evicts several, and the last one is always kept.
func TestStreamMemory(t *testing.T) {
	s := NewStream(100, 1000)
	s.Listen()
	kept := func(want ...uint64) {
		t.Helper()
		events, missed, _ := s.After(0, 100)
		var numbers []uint64
		for _, e := range events {
			numbers = append(numbers, e.Number)
		}
		if !slices.Equal(numbers, want) || missed != (want[0] > 1) {
			t.Errorf("kept %v, want %v; missed %v", numbers, want, missed)
		}
	}
	for range 4 {
		s.Publish(Event{Size: 250})
	}
	kept(1, 2, 3, 4)
	s.Publish(Event{Size: 300})
	kept(3, 4, 5)
	s.Publish(Event{Size: 5000})
	kept(6)
	s.Publish(Event{Size: 1})
	kept(7)
}

// TestStreamForget: without listeners nothing is buffered, and a returning listener
// learns that it missed events.
func TestStreamForget(t *testing.T) {
	s := NewStream(4, 1000)
	s.Listen()
	s.Publish(Event{Value: "one"}, Event{Value: "two"})
	s.Forget()
	s.Publish(Event{Value: "unheard"})
	if s.Listening() || !s.Listen() {
		t.Error("it still listens")
	}
	for _, e := range s.events {
		if e != (Event{}) {
			t.Errorf("it keeps %v", e)
		}
	}
	if events, missed, _ := s.After(2, 9); len(events) > 0 || !missed {
		t.Errorf("a returning listener gets %v, missed %v", events, missed)
	}
	at := s.Last()
	s.Publish(Event{Value: "three"})
	if events, missed, _ := s.After(at, 9); len(events) != 1 || events[0].Value != "three" || missed {
		t.Errorf("later it gets %v, missed %v", events, missed)
	}
}
