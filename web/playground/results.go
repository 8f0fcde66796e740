package playground

import (
	"context"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/grid"
	"sandtable/web/page"
)

// shownEntities is how many entities of a table are shown: the explorer has them all.
const shownEntities = 50

// contents is a table of the account with its first entities.
type contents struct {
	client.Table
	first []client.Entity
}

// readResults reads what the run requested and what the account contains now.
func (p *Page) readResults() {
	p.requests, p.tables = p.requests.Asked(), p.tables.Asked()
	account, before, course, shown := p.account, p.kept().before, p.course, p.kept()
	since, own, whole, known := shown.since, shown.sent, shown.whole, shown.read
	shown.before = ""
	p.reading = page.Background(p.ctx, func(c context.Context) func() {
		// The requests first: reading the tables makes some, too.
		var failed error
		if !known {
			own, whole, failed = shown.arrivals.sent(c, p.Session.Control(), account, since)
		}
		var tables []contents
		var seen observed
		err := course.open(c, p.Session.Control(), account)
		if err == nil {
			tables, err = readTables(c, p.Session.Control(), p.Session.Client(account), account)
		}
		var changes control.Differences
		var changesFailed error
		if before != "" {
			changes, changesFailed = readChanges(c, p.Session.Control(), account, before)
		}
		if err == nil {
			seen, err = course.observe(c, p.Session.Control(), p.Session.Client(account), tables, own, whole)
		}
		return func() {
			if account == p.account { // otherwise they were reset
				if failed == nil {
					shown.read, shown.sent, shown.whole = true, own, whole
					if !p.starting { // otherwise the requests of the next run are collected
						shown.arrivals.stop()
					}
				}
				p.requests, p.tables = p.requests.Answered(own, failed), p.tables.Answered(tables, err)
				if before != "" {
					p.changes = p.changes.Answered(changes, changesFailed)
				}
				if failed == nil && err == nil {
					p.course.seen = seen
					p.check(seen)
				}
			}
		}
	})
}

func readTables(c context.Context, api *control.Client, tables *client.Client, account string) ([]contents, error) {
	list, err := api.Tables(c, account)
	if err != nil {
		return nil, err
	}
	all := make([]contents, len(list))
	for i, table := range list {
		first, err := tables.Query(c, table.Name, client.Query{Top: shownEntities})
		if err != nil {
			return nil, err
		}
		all[i] = contents{table, first.Entities}
	}
	return all, nil
}

// columns are the keys and all properties that the entities have.
func (t contents) columns() []string {
	var schema grid.Schema
	for _, e := range t.first {
		schema.Add(e.Entity)
	}
	columns := []string{odata.PartitionKeyName, odata.RowKeyName}
	for _, name := range schema.Names() {
		if name != odata.PartitionKeyName && name != odata.RowKeyName && name != odata.TimestampName {
			columns = append(columns, name)
		}
	}
	return columns
}
