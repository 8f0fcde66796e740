package entities

import (
	"time"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// ownChange is how long after writing an entity the page treats a change of it as
// its own. A job that writes entities one after another may take longer.
const ownChange = 5 * time.Second

// maxFresh limits how many entities inserted elsewhere are counted.
const maxFresh = 1000

// onChanges marks rows that changed elsewhere, and counts those inserted there.
// Rows are neither replaced nor moved: the user may be reading them. A table that
// was restored from a snapshot, or that had no rows, is read again.
func (p *Page) onChanges(changes []control.Change) {
	r, writing := &p.results, p.kept.jobs.Running(p.Route, "")
	wanted := r.wanted()
	for _, c := range changes {
		if c.Kind == "lost" {
			r.stale = true
			continue
		}
		if !p.Route.SameTable(page.Route{Account: c.Account, Table: c.Table}) {
			continue
		}
		if c.Kind == "tableDeleted" {
			r.deleted()
			continue
		}
		if c.Kind == "tableRestored" {
			p.run()
			return
		}
		key := odata.Key{PartitionKey: c.PartitionKey, RowKey: c.RowKey}
		if at, mine := r.expected[key]; mine && (writing || time.Since(at) < ownChange) {
			delete(r.expected, key)
			continue
		}
		_, shown := r.rows.Index(key)
		switch {
		case shown && c.Kind == "inserted": // it was read before the event came
		case shown && (c.Kind == "updated" || c.Kind == "deleted"):
			r.marked[key] = true
		case c.Kind == "deleted":
			delete(r.fresh, key)
		case c.Kind == "inserted" && len(r.fresh) < maxFresh && wanted.Contains(key) && !r.follows(key):
			r.fresh[key] = true
		}
	}
	if len(r.fresh) > 0 && r.held && r.state == remote.Loaded && r.rows.Len() == 0 && r.asked.Args == "" {
		p.run()
	}
}

// deleted marks all rows: their table was deleted elsewhere.
func (r *results) deleted() {
	r.stale = true
	clear(r.fresh)
	r.rows.Each(func(_ int, e client.Entity) bool {
		r.marked[e.Key()] = true
		return true
	})
}

// freshText is the label of the button that reads again.
func freshText(n int) string {
	if n == maxFresh {
		return "Show " + humanize.Number(n) + " or more new"
	}
	return "Show " + humanize.Number(n) + " new"
}
