package client

import (
	"context"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// Merge sets the properties of e in the entity with its key, if that still has
// the tag; "*" stands for any tag. The others stay. The result is its new tag.
func (c *Client) Merge(ctx context.Context, table string, e *odata.Entity, ifMatch string) (tag string, err error) {
	response, err := c.send(ctx, "MERGE", entityPath(table, e.Key()), "",
		Header{{"If-Match", ifMatch}}, payload.AppendRequest(nil, e))
	return response.Header.Get("ETag"), err
}
