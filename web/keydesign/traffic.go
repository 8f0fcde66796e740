package keydesign

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/control"
)

// Seconds is how long traffic is remembered.
const Seconds = 60

// Target is how many entities a second the service aims to serve from one
// partition.
const Target = 2000

// maxTracked is how many partitions are remembered; traffic to others is counted
// for the table alone.
const maxTracked = 10_000

// Load is the traffic of one partition or of all: requests and entities of each of
// the last Seconds.
type Load struct {
	requests, entities [Seconds]int
	last               int64 // the second of the newest number
}

// roll forgets what is older than Seconds before now.
func (l *Load) roll(now int64) {
	for s := max(l.last+1, now-Seconds+1); s <= now; s++ {
		l.requests[s%Seconds], l.entities[s%Seconds] = 0, 0
	}
	l.last = max(l.last, now)
}

// add counts a request, unless its second is no longer kept.
func (l *Load) add(now int64, entities int) {
	l.roll(now)
	if now <= l.last-Seconds {
		return
	}
	l.requests[now%Seconds]++
	l.entities[now%Seconds] += entities
}

// Sum returns the requests and the entities of the last minute.
func (l *Load) Sum(now time.Time) (requests, entities int) {
	l.roll(now.Unix())
	for i := range Seconds {
		requests, entities = requests+l.requests[i], entities+l.entities[i]
	}
	return requests, entities
}

// Line returns the entities of each second, the oldest first, and the most of them.
func (l *Load) Line(now time.Time) (line [Seconds]int, peak int) {
	l.roll(now.Unix())
	for i := range line {
		line[i] = l.entities[(now.Unix()+1+int64(i))%Seconds]
		peak = max(peak, line[i])
	}
	return line, peak
}

// Traffic counts the requests to a table's partitions in the last minute: the writes
// that changed entities, and the reads whose keys name a partition. Reads of several
// partitions count for the table alone.
type Traffic struct {
	Account, Table string
	All, Writes    Load
	partitions     map[string]*Load
}

// Of returns the load of a partition, one without traffic if there was none.
func (t *Traffic) Of(key string) *Load {
	if l := t.partitions[key]; l != nil {
		return l
	}
	return &Load{}
}

func (t *Traffic) add(key string, known bool, at time.Time, entities int) {
	now := at.Unix()
	t.All.add(now, entities)
	if !known {
		return
	}
	l := t.partitions[key]
	if l == nil && len(t.partitions) >= maxTracked {
		return
	}
	if l == nil {
		l = &Load{}
		if t.partitions == nil {
			t.partitions = map[string]*Load{}
		}
		t.partitions[key] = l
	}
	l.add(now, entities)
}

// Wrote counts a change, if it is one of an entity of the table.
func (t *Traffic) Wrote(c control.Change, at time.Time) {
	switch c.Kind {
	case "inserted", "updated", "deleted":
		if c.Account == t.Account && strings.EqualFold(c.Table, t.Table) {
			t.Writes.add(at.Unix(), 1)
			t.add(c.PartitionKey, true, at, 1)
		}
	}
}

// Answered counts a request, if it reads entities of the table.
func (t *Traffic) Answered(r control.Recorded) {
	path, query, ok := t.target(r)
	if !ok || r.Method != "GET" {
		return
	}
	returned := 1
	if r.Statistics != nil {
		returned = r.Statistics.Examined
	}
	if path.Resource == odata.EntityResource {
		t.add(path.Key.PartitionKey, true, r.Time, returned)
		return
	}
	x, err := filter.Parse(query.Get("$filter"))
	key, known := "", false
	if err == nil && x != nil {
		keys := filter.Bounds(x)
		key = keys.From.PartitionKey
		known = keys.Bounded && !odata.Key{PartitionKey: key}.NextPartition().Less(keys.To)
	}
	t.add(key, known, r.Time, returned)
}

// target returns the path and the query of a request for entities of the table.
func (t *Traffic) target(r control.Recorded) (path odata.Path, query url.Values, ok bool) {
	u, err := url.Parse(r.URL)
	if err != nil || r.Account != t.Account {
		return path, nil, false
	}
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	path, err = odata.ParsePath("/" + segments[len(segments)-1])
	if err != nil || !strings.EqualFold(path.Table, t.Table) {
		return path, nil, false
	}
	query, _ = url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B")) // the service knows no other separator than &
	return path, query, path.Resource == odata.EntityResource || path.Resource == odata.EntitiesResource
}

// Busy is a partition with its part of the table's traffic.
type Busy struct {
	Key                string
	Requests, Entities int     // of the last minute
	Share              float64 // of the table's requests
}

// PerSecond returns requests and entities of each second, on average.
func (b Busy) PerSecond() (requests, entities float64) {
	return float64(b.Requests) / Seconds, float64(b.Entities) / Seconds
}

// hotRequests is the fewest requests a minute that make a partition hot.
const hotRequests = 30

// Hot reports whether a partition has over half of a table's traffic, or of the
// target of a partition.
func (b Busy) Hot() bool {
	_, entities := b.PerSecond()
	return b.Requests >= hotRequests && (b.Share > 0.5 || entities > Target/2)
}

// Busiest returns the partitions with traffic, the busiest first.
func (t *Traffic) Busiest(now time.Time) (all []Busy) {
	total, _ := t.All.Sum(now)
	for key, l := range t.partitions {
		requests, entities := l.Sum(now)
		if requests == 0 {
			delete(t.partitions, key)
			continue
		}
		all = append(all, Busy{Key: key, Requests: requests, Entities: entities, Share: float64(requests) / float64(max(1, total))})
	}
	slices.SortFunc(all, func(a, b Busy) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Key, b.Key))
	})
	return all
}

// Advice says what is wrong with a busy partition, "" for nothing. at is the
// partition's index in key order, and all is the number of partitions.
func Advice(b Busy, at, all int) (title, text string) {
	if !b.Hot() {
		return "", ""
	}
	const limit = "A partition is served by one server, so its limit becomes the limit of the table; beyond it the service answers 503 ServerBusy. "
	switch {
	case all == 1:
		return "Everything is in one partition.", limit + "Put something that varies, such as a customer or a device, into the partition key."
	case at == all-1:
		return "The last partition gets the traffic.", limit + "That happens with keys that grow, such as dates and counters. Put something that varies in front of them."
	case at == 0:
		return "The first partition gets the traffic.", limit + "That happens with keys that fall, such as inverted times. Put something that varies in front of them."
	}
	return "One partition gets most of the traffic.", limit + "Split it: add to its key what distinguishes its entities, or a short hash of their row keys."
}

// Filter returns the filter of a query of the table, "" for other requests.
func (t *Traffic) Filter(r control.Recorded) string {
	path, query, ok := t.target(r)
	if !ok || r.Method != "GET" || path.Resource != odata.EntitiesResource || r.Failed() || r.Statistics == nil {
		return ""
	}
	return query.Get("$filter")
}
