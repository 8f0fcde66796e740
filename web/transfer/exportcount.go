package transfer

import (
	"context"

	"sandtable/web/bulk"
	"sandtable/web/client"
)

// countMatching counts what the query returns after the sample. That of a connected
// account is not counted: each request may cost money.
func (p *Export) countMatching(first client.Page) {
	p.matching = len(first.Entities)
	if first.Next == nil {
		return
	}
	p.matching = 0
	if _, connected := p.Session.Connected(p.Route.Account); connected {
		return
	}
	at, table := p.Session.Client(p.Route.Account), p.Route.Table
	rest := client.Query{Filter: p.query().Filter, Select: "PartitionKey,RowKey", From: first.Next}
	p.counting.begin(p.ctx, func(c context.Context, pause func() error) func() {
		n := len(first.Entities)
		err := bulk.Each(c, at, table, rest, func(all []client.Entity) error {
			if n += len(all); n > mostCounted {
				return context.Canceled
			}
			return pause()
		})
		return func() {
			if err == nil {
				p.matching = n
			}
		}
	})
}

// count returns how many entities the export has, and whether that is known.
func (p *Export) count() (int, bool) {
	if p.source == fromRows {
		return len(p.rows.Entities), true
	}
	first, read := p.sample.Data()
	if read && first.Next == nil {
		return len(first.Entities), true
	}
	if p.source == fromTable {
		return p.tableCount()
	}
	return p.matching, p.matching > 0
}

// tableCount returns how many entities the table has, if the endpoint knows it.
func (p *Export) tableCount() (int, bool) {
	t, _ := p.Session.Catalog().Table(p.Route.Account, p.Route.Table)
	return max(t.Entities, 0), t.Entities != client.Unknown
}
