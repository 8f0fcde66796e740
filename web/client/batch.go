package client

import (
	"context"
	"fmt"
	"net/http"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
)

// MaxOperations is how many operations a transaction has at most.
const MaxOperations = 100

// Operation is an operation of an entity group transaction.
type Operation struct {
	Method string // POST inserts, PUT replaces, MERGE merges, DELETE deletes
	// Entity is what is written. For DELETE only its key counts.
	Entity *odata.Entity
	// IfMatch is the tag that the stored entity must have, "*" for any. Without
	// it PUT and MERGE insert where there is none; POST has none.
	IfMatch string
}

// OperationError is the refusal of a transaction by one of its operations. None
// of them was done.
type OperationError struct {
	Index int // of the operation
	Err   error
}

// Error returns the service's code and message.
func (e *OperationError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *OperationError) Unwrap() error { return e.Err }

const (
	batchBoundary     = "batch_3f0b2c6e-5d0e-4a55-9b1e-8f6f1f3f9a10"
	changesetBoundary = "changeset_7c1b7b8e-2b6a-4b38-8c55-0c2e3a7d5b21"
)

// Transact does all operations or none. They are of one partition, at most
// [MaxOperations], and name no entity twice. It returns the new tags.
func (c *Client) Transact(ctx context.Context, table string, operations []Operation) (tags []string, err error) {
	parts := make([]batch.Operation, len(operations))
	for i, o := range operations {
		parts[i] = c.part(table, o)
	}
	response, err := c.send(ctx, http.MethodPost, odata.Path{Resource: odata.BatchResource}, "",
		Header{{"Content-Type", "multipart/mixed; boundary=" + batchBoundary}},
		batch.AppendRequest(nil, batchBoundary, changesetBoundary, parts))
	if err != nil {
		return nil, err
	}
	answers, err := batch.ParseResponses(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		return nil, fmt.Errorf("transaction on %s: %w", table, err)
	}
	for _, a := range answers {
		if a.Status >= http.StatusBadRequest {
			return nil, operationError(a)
		}
		tags = append(tags, a.Header.Get("ETag"))
	}
	return tags, nil
}

func (c *Client) part(table string, o Operation) batch.Operation {
	part := batch.Operation{Method: o.Method}
	header := batch.Header{{Name: "Accept", Value: "application/json;odata=minimalmetadata"}, {Name: "DataServiceVersion", Value: "3.0"}}
	if o.Method == http.MethodPost {
		part.Target = c.Base + odata.Path{Resource: odata.EntitiesResource, Table: table}.String()
		header = append(header, batch.Field{Name: "Prefer", Value: "return-no-content"})
	} else {
		part.Target = c.Base + entityPath(table, o.Entity.Key()).String()
		if o.IfMatch != "" {
			header = append(header, batch.Field{Name: "If-Match", Value: o.IfMatch})
		}
	}
	if o.Method != http.MethodDelete {
		header = append(header, batch.Field{Name: "Content-Type", Value: "application/json"})
		part.Body = payload.AppendRequest(nil, o.Entity)
	}
	part.Header = header
	return part
}

// operationError reads the refusal of a transaction: its message begins with
// the number of the operation and a colon.
func operationError(a batch.Response) error {
	refused := refusal(Response{Status: a.Status, Body: a.Body})
	index, text := 0, refused.Message
	for i := 0; i < len(text) && i < 3; i++ {
		if text[i] == ':' && i > 0 {
			refused.Message = text[i+1:]
			return &OperationError{index, refused}
		}
		if text[i] < '0' || text[i] > '9' {
			break
		}
		index = index*10 + int(text[i]-'0')
	}
	return &OperationError{0, refused}
}

// Group returns the indexes of the keys in groups that one transaction each can
// hold, in the order in which their partitions come first.
func Group(keys []odata.Key) [][]int {
	open := map[string]int{} // the last group of each partition
	var groups [][]int
	for i, k := range keys {
		g, ok := open[k.PartitionKey]
		if !ok || len(groups[g]) == MaxOperations {
			g = len(groups)
			open[k.PartitionKey] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}
