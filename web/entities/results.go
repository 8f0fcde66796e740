package entities

import (
	"context"
	"maps"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/client"
	"sandtable/web/listing"
	"sandtable/web/page"
	"sandtable/web/query"
	"sandtable/web/remote"
)

// results is what a query has returned so far.
type results struct {
	asked   page.Route // whose query returned the rows
	filter  filter.Expr
	state   remote.State // of the last request
	err     error
	refused bool // reading the first page failed
	held    bool // a first page was read
	partial bool // the rows have some of the properties only
	rows    listing.Listing
	// resident is how many rows of this query stay in memory.
	resident int
	explain  client.Explain
	pages    int
	elapsed  time.Duration
	at       time.Time // when the first page arrived

	post   query.PostFilter // leaves rows out
	last   odata.Key        // of what was returned
	looked int              // rows that were read, including those left out
	all    bool             // all pages are being read, until the last or until cancelled
	then   func()           // called when the last page was read
	stop   context.CancelFunc
	run    int // counts queries: answers to older ones are dropped
	// refilling is the run in which a forgotten page is read again, 0 for none.
	refilling int

	tried    string                  // the correction of an empty result that was tried ahead
	foreseen *client.Page            // the first page that it would return, nil if that is not known
	stale    bool                    // changes elsewhere were missed
	marked   map[odata.Key]bool      // rows that were changed elsewhere
	fresh    map[odata.Key]bool      // entities that were inserted elsewhere, maxFresh at most
	expected map[odata.Key]time.Time // rows that this page has written itself
}

// cancel ends the requests that are being made.
func (r *results) cancel() {
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
	r.all, r.then = false, nil
}

// keptRows is how many rows stay in memory while the user scrolls.
const keptRows = 60_000

// begin forgets everything for another query.
func (r *results) begin(route page.Route) {
	r.cancel()
	before := *r
	*r = results{asked: route, run: before.run + 1, post: query.ParsePostFilter(route.Arg(containsArg)),
		state: remote.Loading, marked: map[odata.Key]bool{}, fresh: map[odata.Key]bool{}, expected: map[odata.Key]time.Time{}}
	r.rows.Resident, r.resident = keptRows, keptRows
	r.filter, _ = filter.Parse(route.Arg(filterArg)) // the service says what is wrong with it
	if before.held && before.asked.SameTable(route) {
		// Until the first page is there, the old rows are shown.
		r.rows, r.held, r.at, r.partial, r.explain, r.elapsed, r.pages, r.last = before.rows, true, before.at, before.partial, before.explain, before.elapsed, before.pages, before.last
	}
}

// first replaces what was shown before by the first page.
func (r *results) first() {
	r.rows = listing.Listing{Resident: r.resident}
	r.held, r.refused, r.partial, r.at = true, false, r.asked.Arg(selectArg) != "", time.Now()
	r.explain, r.elapsed, r.pages, r.looked, r.last = client.Explain{}, 0, 0, 0, odata.Key{}
	r.tried, r.foreseen = "", nil
}

// answered takes the next page.
func (r *results) answered(answer client.Page) {
	r.state, r.err = remote.Loaded, nil
	r.pages++
	r.looked += len(answer.Entities)
	r.elapsed += answer.Elapsed
	r.explain = r.explain.Plus(answer.Explain)
	r.rows.Append(r.passing(answer.Entities), answer.Next)
	if n := len(answer.Entities); n > 0 {
		r.last = answer.Entities[n-1].Key()
	}
	for _, e := range answer.Entities {
		delete(r.fresh, e.Key())
	}
	maps.DeleteFunc(r.fresh, func(k odata.Key, _ bool) bool { return r.follows(k) })
}

// follows reports whether an entity comes after those that were read: the next pages
// will return it. With a filter the last row does not tell how far the query has read.
func (r *results) follows(k odata.Key) bool {
	return r.state == remote.Loaded && r.asked.Arg(filterArg) == "" && !r.rows.Ended() && r.last.Less(k)
}

// wanted returns the keys that the query asks for.
func (r *results) wanted() odata.KeyRange {
	if x, err := filter.Parse(filterFrom(r.asked)); err == nil {
		return filter.Bounds(x)
	}
	return odata.KeyRange{}
}

// read returns the keys that the query has read so far.
func (r *results) read() odata.KeyRange {
	keys := r.wanted()
	if !r.rows.Ended() {
		keys = keys.Intersect(odata.KeyRange{To: r.last.NextPartition(), Bounded: true})
	}
	return keys
}

// passing returns the entities that pass the filter of the page itself.
func (r *results) passing(all []client.Entity) []client.Entity {
	if r.post.Text == "" {
		return all
	}
	var some []client.Entity
	for _, e := range all {
		if r.post.Match(e.Entity) {
			some = append(some, e)
		}
	}
	return some
}

// accepts reports whether an entity belongs to the rows.
func (r *results) accepts(e *odata.Entity) bool {
	text := r.asked.Arg(filterArg)
	switch {
	case strings.TrimSpace(text) != "" && r.filter == nil, r.filter != nil && !filter.Match(r.filter, e):
		return false
	case !r.post.Match(e):
		return false
	case fromAKey(r.asked) && e.Key().Less(fromKey(r.asked)):
		return false
	}
	return true
}

// expect notes that this page itself writes an entity: the change that is
// reported for it is not marked.
func (r *results) expect(key odata.Key) {
	if r.expected != nil {
		r.expected[key] = time.Now()
	}
}

// fromAKey reports whether the rows of a route begin at a key. The address names no
// part of it that is empty.
func fromAKey(r page.Route) bool { return r.Has(fromArg) || r.Has(fromRowArg) }

func fromKey(r page.Route) odata.Key {
	return odata.Key{PartitionKey: r.Arg(fromArg), RowKey: r.Arg(fromRowArg)}
}
