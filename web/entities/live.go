package entities

import (
	"time"

	"sandtable/odata"
	"sandtable/web/client"
)

// ownChange is how long after its own write the page takes a change for that.
const ownChange = 5 * time.Second

// onChanges marks rows that changed elsewhere. They are not replaced: the user
// may be reading them. A table that was restored from a snapshot is read again.
func (p *Page) onChanges(changes []client.Change) {
	r := &p.results
	for _, c := range changes {
		if c.Kind == "lost" {
			r.stale = true
			continue
		}
		if c.Account != p.Route.Account || c.Table != p.Route.Table {
			continue
		}
		if c.Kind == "tableRestored" {
			p.run()
			return
		}
		key := odata.Key{PartitionKey: c.PartitionKey, RowKey: c.RowKey}
		if at, mine := r.expected[key]; mine && time.Since(at) < ownChange {
			delete(r.expected, key)
			continue
		}
		switch c.Kind {
		case "updated", "deleted":
			if _, shown := r.rows.Index(key); shown {
				r.marked[key] = true
			}
		}
	}
}
