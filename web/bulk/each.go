package bulk

import (
	"context"

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
