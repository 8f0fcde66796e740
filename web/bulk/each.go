package bulk

import (
	"context"
	"errors"

	"sandtable/odata"
	"sandtable/web/client"
)

// Each calls f with the entities of each page of a query, until the last page or
// the first error, which it returns.
func Each(ctx context.Context, c *client.Client, table string, q client.Query, f func([]client.Entity) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, err := c.Query(ctx, table, q)
		if err != nil {
			return err
		}
		if err := f(page.Entities); err != nil {
			return err
		}
		if page.Next == nil {
			return nil
		}
		q.From = page.Next
	}
}

// Find returns the entities with some keys, as a whole, in the order of a query's
// result. Those that the query does not return are left out. It calls progress with how
// many it has found.
func Find(ctx context.Context, c *client.Client, table, filter string, keys map[odata.Key]bool, progress func(found int)) ([]client.Entity, error) {
	var found []client.Entity
	errAll := errors.New("all found")
	err := Each(ctx, c, table, client.Query{Filter: filter}, func(some []client.Entity) error {
		for _, e := range some {
			if keys[e.Key()] {
				found = append(found, e)
			}
		}
		progress(len(found))
		if len(found) == len(keys) {
			return errAll
		}
		return nil
	})
	if errors.Is(err, errAll) {
		err = nil
	}
	return found, err
}

// Empty deletes all entities of a table, also those that change meanwhile. It calls
// progress with how many it has deleted, and returns the first error.
func Empty(ctx context.Context, c *client.Client, table string, progress func(deleted int)) error {
	deleted := 0
	keys := client.Query{Select: odata.PartitionKeyName + "," + odata.RowKeyName}
	return Each(ctx, c, table, keys, func(some []client.Entity) error {
		rows := make([]Row, len(some))
		for i, e := range some {
			rows[i] = Row{Operation: client.Operation{Write: client.Delete, Entity: e.Entity, IfMatch: "*"}}
		}
		j := Job{Client: c, Table: table, Transactions: Group(rows), Progress: func(now Progress) { progress(deleted + now.Written) }}
		report := j.Run(ctx)
		deleted += len(report.Written)
		for _, x := range report.Refused {
			if !client.HasCode(x.Err, client.CodeResourceNotFound) {
				return x.Err
			}
		}
		return report.Err
	})
}
