package transfer

import (
	"context"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/remote"
)

// existing is how many of the planned entities are in the table already.
type existing struct {
	known bool
	count int
}

// mostCounted is how many keys of a table are read to find out which of them an
// import would meet.
const mostCounted = 100_000

// countExisting finds out how many planned entities are there already. Those of a connected
// account are not counted: each request may cost money.
func (p *Import) countExisting() {
	p.counting.stop()
	p.existing = existing{}
	table := p.target()
	inCatalog, found := p.Session.Catalog().Table(p.Route.Account, table)
	listed := p.Session.Catalog().Tables[p.Route.Account].State() == remote.Loaded
	switch {
	case p.source == nil:
		return
	case listed && !found && p.Route.Table == "", found && inCatalog.Entities == 0:
		p.existing.known = true
		return
	case p.Connected(), inCatalog.Entities > mostCounted:
		return
	}
	rows, tables := p.plan.Rows, p.client()
	p.counting.begin(p.ctx, func(c context.Context, pause func() error) func() {
		there := map[odata.Key]bool{}
		err := bulk.Each(c, tables, table, client.Query{Select: "PartitionKey,RowKey"}, func(all []client.Entity) error {
			for _, e := range all {
				there[e.Key()] = true
			}
			if len(there) > mostCounted {
				return context.Canceled
			}
			return pause()
		})
		count := 0
		for i := 0; err == nil && i < len(rows); i++ {
			if there[rows[i].Entity.Key()] {
				count++
			}
			if i%1000 == 0 {
				err = pause()
			}
		}
		return func() {
			if err == nil {
				p.existing = existing{known: true, count: count}
			}
		}
	})
}
