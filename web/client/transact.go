package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
)

// Write is how an operation of a transaction writes its entity.
type Write uint8

// The ways of writing. Merge and Replace create an entity that is not there,
// unless they have an IfMatch.
const (
	Insert Write = iota
	Merge
	Replace
	Delete
)

// Operation is one write of a transaction.
type Operation struct {
	Write   Write
	Entity  *odata.Entity
	IfMatch string // of Merge, Replace and Delete; "*" for any state
}

// OperationError says which operation of a transaction failed. Nothing of the
// transaction was written.
type OperationError struct {
	Index int
	Err   error
}

func (e *OperationError) Error() string { return fmt.Sprintf("operation %d: %v", e.Index+1, e.Err) }
func (e *OperationError) Unwrap() error { return e.Err }

// Transact writes entities of one partition, at most 100 and 4 MiB, all or none.
// It returns their ETags. The error is an [OperationError] where one operation
// was refused, and else that of the request.
//
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions
func (c *Client) Transact(ctx context.Context, table string, operations []Operation) (tags []string, err error) {
	const outer, inner = "batch_sandtable", "changeset_sandtable"
	parts := make([]batch.Operation, len(operations))
	for i, o := range operations {
		parts[i] = c.part(table, o)
	}
	body := batch.AppendRequest(nil, outer, inner, parts)
	response, err := Send(ctx, c.Transport, Request{Method: MethodPost, URL: c.Base + "/$batch", Body: body, Header: Header{
		{"Accept", "application/json;odata=minimalmetadata"}, {"x-ms-version", version}, {"DataServiceVersion", "3.0"},
		{"Content-Type", "multipart/mixed; boundary=" + outer},
	}})
	if err != nil {
		return nil, err
	}
	answers, err := batch.ParseResponses(response.Header.Get("Content-Type"), response.Body)
	if err != nil {
		return nil, err
	}
	for _, answer := range answers {
		if answer.Status >= 300 {
			return nil, refusedOperation(answer, len(operations))
		}
		tags = append(tags, answer.Header.Get("ETag"))
	}
	if len(tags) != len(operations) {
		return nil, fmt.Errorf("transaction of %d operations: %d answers", len(operations), len(tags))
	}
	return tags, nil
}

func (c *Client) part(table string, o Operation) batch.Operation {
	part := batch.Operation{
		Target: c.Base + entityPath(table, o.Entity.Key()).String(),
		Header: batch.Header{{Name: "Accept", Value: "application/json;odata=minimalmetadata"}, {Name: "DataServiceVersion", Value: "3.0"}},
	}
	add := func(name, value string) { part.Header = append(part.Header, batch.Field{Name: name, Value: value}) }
	switch o.Write {
	case Insert:
		part.Method = MethodPost
		part.Target = c.Base + odata.Path{Resource: odata.EntitiesResource, Table: table}.String()
	case Merge:
		part.Method = "MERGE"
	case Replace:
		part.Method = MethodPut
	case Delete:
		part.Method = MethodDelete
		add("If-Match", o.IfMatch)
		return part
	}
	if o.IfMatch != "" {
		add("If-Match", o.IfMatch)
	}
	add("Prefer", "return-no-content")
	add("Content-Type", "application/json")
	part.Body = payload.AppendAnnotatedRequest(nil, o.Entity)
	return part
}

// refusedOperation reads the only answer of a transaction that failed. Its
// message begins with the index of the operation, unless the service refused all of
// them.
func refusedOperation(answer batch.Response, operations int) error {
	refused := refusal(Response{Status: answer.Status, Body: answer.Body})
	before, message, found := strings.Cut(refused.Message, ":")
	index, err := strconv.Atoi(before)
	switch {
	case found && err == nil && index >= 0 && index < operations:
		refused.Message = message
	case operations == 1:
		index = 0
	default:
		return refused
	}
	return &OperationError{Index: index, Err: refused}
}
