package playground

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/pagetest"
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

// TestArrivalsOfAnotherInstance: an endpoint that has started again numbers its requests
// from 1, so that those of the run are not after the last one before it.
func TestArrivalsOfAnotherInstance(t *testing.T) {
	api := &control.Client{Base: "https://x", Transport: pagetest.Transport(func(r client.Request) (client.Response, error) {
		if strings.HasSuffix(r.URL, "?after=0") {
			return client.Response{Status: 200, Body: []byte(`{"instance":"new","requests":[{"id":1,"account":"a"},{"id":2,"account":"b"}]}`)}, nil
		}
		return client.Response{Status: 200, Body: []byte(`{"instance":"new","requests":[]}`)}, nil
	})}
	var a arrivals
	a.start()
	own, whole, err := a.sent(t.Context(), api, "a", control.Recent{Instance: "old", Requests: []control.Recorded{{ID: 7}}})
	if err != nil || whole || len(own) != 1 || own[0].ID != 1 {
		t.Errorf("got %v, %v, %v", own, whole, err)
	}
	if own, whole, err = a.sent(t.Context(), api, "a", control.Recent{Instance: "new", Requests: []control.Recorded{{ID: 7}}}); err != nil || !whole || len(own) != 0 {
		t.Errorf("without a request: %v, %v, %v", own, whole, err)
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
