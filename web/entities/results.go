package entities

import (
	"slices"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/web/client"
	"sandtable/web/grid"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// results is what a query returned, page by page.
type results struct {
	asked     page.Route // what the entities answer
	state     remote.State
	more      bool // the next page is being read, not the first
	err       error
	held      bool // there was an answer
	entities  []client.Entity
	next      *client.Continuation
	explain   client.Explain
	elapsed   time.Duration
	timestamp bool // the column is shown

	sheet sheet

	run    int // counts queries: the answer to an older one is dropped
	active int // the row that the keyboard is at, -1 for none
	window grid.Window
}

// sheet is the entities with their columns. It follows from the entities, and
// is kept until they change.
type sheet struct {
	valid     bool
	timestamp bool
	entities  []*odata.Entity
	columns   []grid.Column
	left      int // columns that are not shown
}

// shown returns the entities with their columns.
func (r *results) shown() *sheet {
	s := &r.sheet
	if s.valid && s.timestamp == r.timestamp {
		return s
	}
	entities := make([]*odata.Entity, len(r.entities))
	for i := range r.entities {
		entities[i] = r.entities[i].Entity
	}
	columns, left := grid.Columns(entities, r.timestamp)
	*s = sheet{true, r.timestamp, entities, columns, left}
	return s
}

func (r *results) fail(err error) { r.state, r.err = remote.Failed, err }

// answered takes a page: the first, or the next one.
func (r *results) answered(asked page.Route, answer client.Page) {
	if !r.more {
		r.entities, r.explain, r.elapsed = nil, client.Explain{}, 0
		r.active = min(r.active, len(answer.Entities)-1)
	}
	r.asked, r.state, r.err, r.held, r.more = asked, remote.Loaded, nil, true, false
	r.entities, r.sheet = slices.Concat(r.entities, answer.Entities), sheet{}
	r.next = answer.Next
	r.explain = r.explain.Plus(answer.Explain)
	r.elapsed += answer.Elapsed
}

// index returns the row of the entity with this key, or where it would be.
func (r *results) index(key odata.Key) (int, bool) {
	return slices.BinarySearchFunc(r.entities, key, func(e client.Entity, k odata.Key) int { return e.Key().Compare(k) })
}

// put shows a changed or new entity in its row. It reports false for a new one
// that has no row: beyond the last page, or outside the filter.
func (r *results) put(e client.Entity) bool {
	i, found := r.index(e.Key())
	if found {
		r.entities, r.sheet = slices.Clone(r.entities), sheet{}
		r.entities[i] = e
		return true
	}
	if i == len(r.entities) && r.next != nil || !matches(r.asked.Arg(filterArg), e.Entity) {
		return false
	}
	r.entities, r.sheet = slices.Insert(slices.Clone(r.entities), i, e), sheet{}
	return true
}

// take removes the row of an entity.
func (r *results) take(key odata.Key) {
	if i, found := r.index(key); found {
		r.entities, r.sheet = slices.Delete(slices.Clone(r.entities), i, i+1), sheet{}
		r.active = min(r.active, len(r.entities)-1)
	}
}

// matches reports whether an entity passes a filter. None passes one that does
// not parse.
func matches(text string, e *odata.Entity) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	x, err := filter.Parse(text)
	return err == nil && filter.Match(x, e)
}
