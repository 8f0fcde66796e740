package transfer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
)

// The limits of an entity group transaction, with space for the addresses and
// headers of its operations.
const (
	maxGroup      = odata.MaxBatchOperations
	maxGroupBytes = odata.MaxBodySize - 64<<10
	operationSize = 512 // bytes of an operation besides its body and its key
)

// write is an entity and the body of the request that puts it.
type write struct {
	*odata.Entity
	body []byte
}

func (w *write) size() int {
	// The keys are in the address, too, in which a byte may take three.
	return len(w.body) + operationSize + 3*(len(w.PartitionKey)+len(w.RowKey))
}

// group splits entities in the order of their keys into groups that each fit an
// entity group transaction.
func group(entities []*odata.Entity) (groups [][]write) {
	size := 0
	for _, e := range entities {
		w := write{e, payload.AppendAnnotatedRequest(nil, e)}
		last := len(groups) - 1
		if last < 0 || groups[last][0].PartitionKey != e.PartitionKey || len(groups[last]) == maxGroup || size+w.size() > maxGroupBytes {
			groups = append(groups, nil)
			last, size = last+1, 0
		}
		groups[last] = append(groups[last], w)
		size += w.size()
	}
	return groups
}

// write writes the entities of a page, several transactions at a time.
func (c *Client) write(parent context.Context, table string, page []*odata.Entity, concurrency int) (transactions int, err error) {
	groups := group(unique(page))
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	work := make(chan []write)
	errs := make([]error, min(concurrency, len(groups)))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			for group := range work {
				if errs[i] = c.put(ctx, table, group); errs[i] != nil {
					cancel()
					return
				}
			}
		})
	}
	for _, group := range groups {
		select {
		case work <- group:
		case <-ctx.Done():
		}
	}
	close(work)
	workers.Wait()
	if err := firstError(errs); err != nil {
		return len(groups), err
	}
	return len(groups), parent.Err() // groups may be missing although those under way succeeded
}

func (c *Client) createTable(ctx context.Context, name string, _ *State) error {
	return c.CreateTable(ctx, name)
}

func (c *Client) sync() (size int64, err error) { return 0, nil }

// put inserts or replaces a group's entities, in one transaction.
func (c *Client) put(ctx context.Context, table string, group []write) error {
	if len(group) == 1 {
		header := accepting("nometadata")
		header.Set("Content-Type", "application/json")
		_, err := c.call(ctx, "PUT", entityPath(table, group[0].Entity), header, group[0].body, nil)
		if err != nil {
			return fmt.Errorf("write %s: %w", describe(table, group[0].Entity), err)
		}
		return nil
	}
	operations := make([]batch.Operation, len(group))
	for i, w := range group {
		operations[i] = batch.Operation{Method: "PUT", Target: c.URL + entityPath(table, w.Entity), Body: w.body, Header: operationHeader}
	}
	boundary := "batch_" + rand.Text()
	header := http.Header{"Content-Type": {"multipart/mixed; boundary=" + boundary}, "Accept": {"application/json"}} // of an error, as in Azure's SDK for JavaScript
	body := batch.AppendRequest(nil, boundary, "changeset_"+rand.Text(), operations)
	_, err := c.call(ctx, "POST", "/$batch", header, body, checkParts)
	if err != nil {
		return fmt.Errorf("write %d entities of table %s from %s on: %w", len(group), table, describe(table, group[0].Entity), err)
	}
	return nil
}

var operationHeader = batch.Header{
	{Name: "Content-Type", Value: "application/json"}, {Name: "Accept", Value: "application/json;odata=nometadata"}, {Name: "DataServiceVersion", Value: "3.0;"},
}

var errNoParts = errors.New("the response to a transaction has no parts")

// checkParts returns the error of the operation that failed.
func checkParts(r *response) error {
	parts, err := batch.ParseResponses(r.header.Get("Content-Type"), r.body)
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		return errNoParts
	}
	for _, part := range parts {
		if part.Status >= 400 {
			return statusError(part.Status, part.Body)
		}
	}
	return nil
}

func entityPath(table string, e *odata.Entity) string {
	return odata.Path{Resource: odata.EntityResource, Table: table, Key: e.Key()}.String()
}

func describe(table string, e *odata.Entity) string {
	return fmt.Sprintf("%s(%q, %q)", table, e.PartitionKey, e.RowKey)
}
