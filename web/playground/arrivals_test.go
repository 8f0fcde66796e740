package playground

import (
	"context"
	"fmt"
	"testing"

	"sandtable/web/control"
)

func request(id uint64) control.Event {
	return control.Event{Kind: "request", Data: fmt.Appendf(nil, `{"id":%d}`, id)}
}

func TestArrivals(t *testing.T) {
	var a arrivals
	a.hear([]control.Event{request(1)}) // before a run: forgotten
	a.start()
	a.hear([]control.Event{{Kind: "start", Data: []byte("{}")}, request(5), request(4), request(2)})
	if list, whole, _ := a.between(2, 5); whole || len(list) != 2 || list[0].ID != 4 {
		t.Errorf("one is missing: %v, %v", list, whole)
	}
	a.add([]control.Recorded{{ID: 3}, {ID: 5}}) // those that the endpoint still keeps
	if list, whole, _ := a.between(2, 5); !whole || len(list) != 3 {
		t.Errorf("all are there: %v, %v", list, whole)
	}
	if list, whole, _ := a.between(5, 5); !whole || len(list) > 0 {
		t.Errorf("none was sent: %v, %v", list, whole)
	}
}

func TestWaitingForArrivals(t *testing.T) {
	var a arrivals
	a.start()
	go a.hear([]control.Event{request(1), request(2)})
	if list, whole := a.wait(t.Context(), 0, 2); !whole || len(list) != 2 {
		t.Errorf("got %v, %v", list, whole)
	}
	c, cancel := context.WithCancel(t.Context())
	cancel()
	if list, whole := a.wait(c, 0, 3); whole || len(list) != 2 {
		t.Errorf("the third never arrives: %v, %v", list, whole)
	}
}

func TestArrivalsAreBounded(t *testing.T) {
	var a arrivals
	a.start()
	var all []control.Recorded
	for id := range uint64(maxArrivals + 1) {
		all = append(all, control.Recorded{ID: id + 1})
	}
	a.add(all)
	if _, whole, _ := a.between(0, maxArrivals+1); whole || len(a.seen) != maxArrivals {
		t.Errorf("%d are kept", len(a.seen))
	}
}
