package playground

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"sandtable/web/control"
)

// maxArrivals is how many requests are collected at most, and arrivalTime how long
// those of a run that has ended are waited for.
const (
	maxArrivals = 20_000
	arrivalTime = 3 * time.Second
)

// arrivals collects the requests that the endpoint answers during a run, from its
// events: the list that it keeps has only the last 200 of all accounts and tabs, and a
// run may send ten times as many. It is safe for concurrent use.
type arrivals struct {
	mu   sync.Mutex
	seen map[uint64]control.Recorded // by ID; nil while nothing is collected
	more chan struct{}               // closed when there are others
}

// start collects from now on, without what was collected before.
func (a *arrivals) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen, a.more = map[uint64]control.Recorded{}, make(chan struct{})
}

// stop forgets what was collected.
func (a *arrivals) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = nil
}

// hear takes in events.
func (a *arrivals) hear(events []control.Event) {
	if a.collects() { // otherwise they need not be decoded
		a.add(control.RequestsOf(events))
	}
}

func (a *arrivals) collects() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen != nil
}

func (a *arrivals) add(list []control.Recorded) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil || len(list) == 0 {
		return
	}
	for _, r := range list {
		if len(a.seen) < maxArrivals {
			a.seen[r.ID] = r
		}
	}
	close(a.more)
	a.more = make(chan struct{})
}

// between returns the requests after the one numbered since, up to until, in their order.
// whole reports whether none is missing: the endpoint numbers all requests, whoever sends them.
func (a *arrivals) between(since, until uint64) (list []control.Recorded, whole bool, more <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(a.seen)) {
		if id > since && id <= until {
			list = append(list, a.seen[id])
		}
	}
	return list, uint64(len(list)) == until-since, a.more
}

// wait is between once all have arrived, or arrivalTime is over.
func (a *arrivals) wait(c context.Context, since, until uint64) (list []control.Recorded, whole bool) {
	late := time.NewTimer(arrivalTime)
	defer late.Stop()
	for {
		list, whole, more := a.between(since, until)
		if whole {
			return list, true
		}
		select {
		case <-more:
		case <-late.C:
			return list, false
		case <-c.Done():
			return list, false
		}
	}
}

// sent returns the requests of an account after those that were recorded before. whole
// reports whether none is missing.
func (a *arrivals) sent(c context.Context, api *control.Client, account string, before control.Recent) (own []control.Recorded, whole bool, err error) {
	since := last(before, 0)
	recent, err := api.Recent(c, since)
	if err != nil {
		return nil, false, err
	}
	again := before.Instance != "" && recent.Instance != before.Instance // the engine has restarted, and numbers requests from 1 again
	if again {
		since = 0
		if recent, err = api.Recent(c, 0); err != nil {
			return nil, false, err
		}
	}
	a.add(recent.Requests)
	list, whole := a.wait(c, since, last(recent, since))
	return slices.DeleteFunc(list, func(r control.Recorded) bool { return r.Account != account }), whole && !again, nil
}
