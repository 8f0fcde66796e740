package transfer

import (
	"context"
	"strings"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// existing is how many of the planned entities are in the table already.
type existing struct {
	serial int // of the plan that was counted
	known  bool
	count  int
	empty  bool // the table has no entities
}

// mostCounted is how many keys of a table are read to find out which of them an
// import would meet.
const mostCounted = 100_000

// countExisting finds out how many planned entities are there already.
func (p *Import) countExisting() {
	serial := p.serial
	p.existing = existing{serial: serial}
	table := p.target()
	entities, found := p.catalogCount(table)
	listed := p.Session.Catalog().Tables[p.Route.Account].State() == remote.Loaded
	switch {
	case p.source == nil:
		return
	case listed && !found && p.Route.Table == "", found && entities == 0:
		p.existing.known, p.existing.empty = true, true
		return
	case entities > mostCounted:
		return
	}
	planned := make(map[odata.Key]bool, len(p.plan.Rows))
	for _, r := range p.plan.Rows {
		planned[r.Entity.Key()] = true
	}
	page.Background(p.ctx, func(c context.Context) func() {
		count, read := 0, 0
		err := bulk.Each(c, p.client(), table, client.Query{Select: "PartitionKey,RowKey"}, func(all []client.Entity) error {
			for _, e := range all {
				if planned[e.Key()] {
					count++
				}
			}
			if read += len(all); read > mostCounted {
				return context.Canceled
			}
			return nil
		})
		return func() {
			if err == nil && serial == p.existing.serial {
				p.existing.known, p.existing.count, p.existing.empty = true, count, read == 0
			}
		}
	})
}

// catalogCount returns how many entities the table has, or [client.Unknown], and
// whether the table is there: names of tables differ by more than their case.
func (p *Import) catalogCount(table string) (entities int, found bool) {
	all, _ := p.Session.Catalog().Tables[p.Route.Account].Data()
	for _, t := range all {
		if strings.EqualFold(t.Name, table) {
			return t.Entities, true
		}
	}
	return client.Unknown, false
}
