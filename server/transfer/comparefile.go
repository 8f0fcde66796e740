package transfer

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"sandtable/odata"
)

const differentOrder = "not the same entity at this place of the files"

// CompareFiles compares two files, whose entities have the same order after a copy. It
// ends with the first pair of different keys.
func CompareFiles(ctx context.Context, from, to *File, options Options, report func(Difference) bool) (did Progress, err error) {
	c := &copier{options: options, begin: time.Now()}
	defer func() { did.Elapsed = time.Since(c.begin) }()
	c.now.Tables = 1
	source, target := pull(entities(ctx, from, "", options.Filter)), pull(entities(ctx, to, "", ""))
	defer source.stop()
	defer target.stop()
	for more := true; more; {
		source.advance()
		target.advance()
		a, b := source.current, target.current
		var d *Difference
		switch {
		case source.err != nil:
			return c.now, source.err
		case target.err != nil:
			return c.now, target.err
		case a == nil && b == nil:
			return c.now, nil
		case a == nil:
			d, more = differs(from.Table, b, onlyInTarget), false
		case b == nil:
			d, more = differs(from.Table, a, onlyInSource), false
		case a.Key() != b.Key():
			d, more = differs(from.Table, a, differentOrder), false
		case !bytes.Equal(canonical(a), canonical(b)):
			d = differs(from.Table, a, different)
		}
		c.count(from.Table)
		if d != nil && !report(*d) {
			more = false
		}
	}
	return c.now, nil
}

// CompareRows reads each row of a file back from an endpoint. Other entities of the
// table do not matter, nor does the order of the rows.
func CompareRows(ctx context.Context, from *File, to *Client, options Options, report func(Difference) bool) (did Progress, err error) {
	c := &copier{options: options, begin: time.Now()}
	defer func() { did.Elapsed = time.Since(c.begin) }()
	c.now.Tables = 1
	var token *Token
	for {
		page, next, err := from.Page(ctx, from.Table, options.Filter, token)
		if err != nil {
			return c.now, err
		}
		stored, err := to.read(ctx, from.Table, page, max(options.Concurrency, 1))
		if err != nil {
			return c.now, err
		}
		for i, e := range page {
			c.count(from.Table)
			d := differs(from.Table, e, onlyInSource)
			if stored[i] != nil {
				d.What = different
			}
			if (stored[i] == nil || !bytes.Equal(canonical(e), canonical(stored[i]))) && !report(*d) {
				return c.now, nil
			}
		}
		if token = next; next == nil {
			return c.now, nil
		}
	}
}

// read returns what an endpoint has for the keys of entities, nil for nothing.
func (c *Client) read(ctx context.Context, table string, keys []*odata.Entity, concurrency int) ([]*odata.Entity, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found, errs := make([]*odata.Entity, len(keys)), make([]error, concurrency)
	var workers sync.WaitGroup
	for w := range concurrency {
		workers.Go(func() {
			for i := w; i < len(keys) && errs[w] == nil; i += concurrency {
				if found[i], errs[w] = c.entity(ctx, table, keys[i].Key()); errs[w] != nil {
					cancel()
				}
			}
		})
	}
	workers.Wait()
	return found, firstError(errs)
}

// entity returns one entity, nil if there is none.
func (c *Client) entity(ctx context.Context, table string, key odata.Key) (*odata.Entity, error) {
	filter := fmt.Sprintf("PartitionKey eq '%s' and RowKey eq '%s'", doubled(key.PartitionKey), doubled(key.RowKey))
	page, _, err := c.Page(ctx, table, filter, nil)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

func doubled(text string) string { return strings.ReplaceAll(text, "'", "''") }
