package journal

import (
	"strings"
	"sync"
	"testing"
)

func entry(body int) *Entry {
	return &Entry{URL: "/x", RequestBody: make([]byte, body)}
}

func ids(entries []Entry) (list []uint64) {
	for _, e := range entries {
		list = append(list, e.ID)
	}
	return list
}

func wantIDs(t *testing.T, got []Entry, first, last uint64) {
	t.Helper()
	list := ids(got)
	if first > last && len(list) == 0 {
		return
	}
	if len(list) != int(last-first)+1 || list[0] != first || list[len(list)-1] != last {
		t.Errorf("entries %v, want %d to %d", list, first, last)
	}
}

func TestRing(t *testing.T) {
	r := NewRing(Limits{Entries: 5, Memory: 1 << 20, Body: 100})
	wantIDs(t, r.After(0, 10), 1, 0)
	for range 3 {
		r.Add(entry(0))
	}
	wantIDs(t, r.After(0, 10), 1, 3)
	wantIDs(t, r.After(2, 10), 3, 3)
	wantIDs(t, r.After(3, 10), 1, 0)
	wantIDs(t, r.After(99, 10), 1, 0)
	wantIDs(t, r.After(0, 2), 2, 3)
	for range 9 {
		r.Add(entry(0))
	}
	wantIDs(t, r.After(0, 10), 8, 12)
	wantIDs(t, r.After(9, 10), 10, 12)
	for id, want := range map[uint64]bool{0: false, 7: false, 8: true, 12: true, 13: false} {
		if e, ok := r.Get(id); ok != want || ok && e.ID != id {
			t.Errorf("entry %d: %v, %v", id, e.ID, ok)
		}
	}
	r.Clear()
	wantIDs(t, r.After(0, 10), 1, 0)
	if _, ok := r.Get(12); ok {
		t.Error("an entry is left")
	}
	r.Add(entry(0))
	wantIDs(t, r.After(0, 10), 13, 13)
	wantIDs(t, r.After(12, 10), 13, 13)
}

// TestRingMemory: the ring's memory stays below the limit, whatever the entries are.
func TestRingMemory(t *testing.T) {
	const memory = 100_000
	r := NewRing(Limits{Entries: 50, Memory: memory, Body: 1000})
	for i := range 300 {
		e := entry(i * 20)
		e.URL = strings.Repeat("q", i)
		e.RequestHeader = []Field{{"X-Long", strings.Repeat("h", i*i/2)}}
		r.Add(e)
		kept := 0
		for _, e := range r.After(0, 1000) {
			kept += e.size()
		}
		if kept > memory || kept != r.memory {
			t.Fatalf("after %d: %d bytes, counted %d", i, kept, r.memory)
		}
	}
	if n := len(r.After(0, 1000)); n == 0 {
		t.Error("nothing is kept")
	}
	r.Add(&Entry{URL: strings.Repeat("q", memory)})
	if n := len(r.After(0, 1000)); n != 0 {
		t.Errorf("%d entries next to one that is too large", n)
	}
	r.Add(entry(1))
	wantIDs(t, r.After(0, 10), 302, 302)
	wantIDs(t, r.After(301, 10), 302, 302)
}

// TestRingCuts: bodies are truncated, and a long body's memory is not retained.
func TestRingCuts(t *testing.T) {
	r := NewRing(Limits{Entries: 5, Memory: 1 << 20, Body: 10})
	r.Add(&Entry{RequestBody: []byte("0123456789"), RequestLength: 10, ResponseBody: []byte("0123456789a"), ResponseLength: 11})
	r.Add(&Entry{RequestBody: make([]byte, 3, 5000), RequestLength: 3})
	e, _ := r.Get(1)
	if string(e.RequestBody) != "0123456789" || string(e.ResponseBody) != "0123456789" || e.ResponseLength != 11 || !e.Truncated() {
		t.Errorf("kept %q and %q of %d", e.RequestBody, e.ResponseBody, e.ResponseLength)
	}
	if e, _ := r.Get(2); cap(e.RequestBody) > 100 || len(e.RequestBody) != 3 || e.Truncated() {
		t.Errorf("kept %d bytes for a body of %d", cap(e.RequestBody), len(e.RequestBody))
	}
}

// TestAddTakesNoMemory: adding an entry allocates only what the ring retains.
func TestAddTakesNoMemory(t *testing.T) {
	r := NewRing(DefaultLimits)
	e := entry(100)
	e.RequestHeader = []Field{{"Accept", "application/json"}}
	if n := testing.AllocsPerRun(1000, func() { r.Add(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRingAtOnce(t *testing.T) {
	r := NewRing(Limits{Entries: 20, Memory: 1 << 20, Body: 10})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				r.Add(entry(5))
				for i, e := range r.After(0, 10) {
					if i > 0 && e.URL == "" {
						t.Error("a missing entry was found")
					}
				}
			}
		})
	}
	group.Wait()
	wantIDs(t, r.After(0, 100), 1981, 2000)
}
