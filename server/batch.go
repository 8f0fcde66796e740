package server

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/server/message"
)

// Performing entity group transactions,
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions

// What DataServiceVersion says in a part: inserts, reads and errors speak 3.0
// if the version of the service has it, other changes 1.0.
const (
	dataServiceVersion3 = "3.0;"
	dataServiceVersion1 = "1.0;"
)

// member is one operation of a batch.
type member struct {
	request   request
	operation *operation
	contentID string
	command   command
}

// answerBatch runs an entity group transaction, or the single query that a
// batch may hold instead. It answers 202 with one part an operation, or with
// the one that failed.
func (x *exchange) answerBatch() (*reply, error) {
	if x.request.method != message.MethodPost {
		return nil, errVerb
	}
	x.operation = entityGroupTransaction
	if x.endpoint.secondary {
		return nil, errSecondaryWrite
	}
	body, err := readBody(x.http)
	if err != nil {
		return nil, err
	}
	read, err := batch.Parse(x.request.header.Get("Content-Type"), body, odata.MaxBatchOperations)
	if err != nil {
		return nil, err
	}
	x.request.body = body
	x.request.document = false // whatever its address says
	parts := x.runBatch(read)
	done := &reply{status: message.StatusAccepted}
	outer, inner := "batchresponse_"+newBoundary(), "changesetresponse_"+newBoundary()
	if read.Query {
		inner = ""
	}
	done.contentType = "multipart/mixed; boundary=" + outer
	done.body = batch.AppendResponses(nil, outer, inner, parts)
	done.statistics = x.statistics
	return done, nil
}

// runBatch returns the parts of the response.
func (x *exchange) runBatch(read batch.Request) []batch.Response {
	members, err := x.readMembers(read)
	if err != nil {
		return x.failedPart(members, err)
	}
	transaction := x.handler.db.Update
	if read.Query {
		transaction = x.handler.db.View
	}
	var parts []batch.Response
	err = transaction(func(tx *engine.Tx) error {
		parts = make([]batch.Response, 0, len(members))
		fields := make(batch.Header, 0, usualFields*len(members))
		for i := range members {
			m := &members[i]
			done, err := m.command(tx)
			if err != nil {
				return &operationError{i, err}
			}
			x.statistics = done.statistics // of the only query of a batch
			var part batch.Response
			part, fields = done.part(fields, m.contentID, m.dataServiceVersion())
			parts = append(parts, part)
		}
		return nil
	})
	if err != nil {
		return x.failedPart(members, err)
	}
	return parts
}

func (m *member) dataServiceVersion() string {
	switch m.operation.method {
	case message.MethodGet, message.MethodPost:
		return dataServiceVersionOf(&m.request)
	}
	return dataServiceVersion1
}

func dataServiceVersionOf(r *request) string {
	if r.version < versionJSON {
		return dataServiceVersion1
	}
	return dataServiceVersion3
}

// readMembers reads and refuses the operations one after another. On an error
// it returns those up to the one that was refused.
func (x *exchange) readMembers(read batch.Request) ([]member, error) {
	if n := len(read.Operations); n > odata.MaxBatchOperations {
		return nil, &operationError{odata.MaxBatchOperations - 1, errTooManyOperations}
	}
	members := make([]member, 0, len(read.Operations))
	rows := make(map[string]bool, len(read.Operations))
	x.scope.shared = new(sharedTable)
	for i := range read.Operations {
		// In its place at once: its command refers to the request in it.
		members = append(members, member{request: x.request})
		err := x.readMember(&members[i], &read.Operations[i], read.Query)
		if err == nil {
			err = checkGroup(members, rows)
		}
		if err != nil {
			return members, &operationError{i, err}
		}
	}
	return members, nil
}

// checkGroup refuses the last of the members if it does not go together with
// those before it, whose row keys are rows.
func checkGroup(members []member, rows map[string]bool) error {
	first, last := &members[0].request.path, &members[len(members)-1].request.path
	switch {
	case !strings.EqualFold(first.Table, last.Table):
		return errDifferentTable
	case first.Key.PartitionKey != last.Key.PartitionKey:
		return errDifferentPartition
	}
	if rows[last.Key.RowKey] {
		return errDuplicateRow
	}
	rows[last.Key.RowKey] = true
	return nil
}

func (x *exchange) readMember(m *member, o *batch.Operation, query bool) error {
	m.contentID = o.ContentID
	r := &m.request
	r.document = false
	r.header, r.body, r.method = o.Header, o.Body, strings.ToUpper(o.Method)
	target, rawQuery, _ := strings.Cut(x.relativeTarget(o.Target), "?")
	var queryErr, err error
	r.query, queryErr = parseQuery(rawQuery)
	var override []string
	if name := o.Header.Get("X-HTTP-Method"); name != "" {
		override = []string{name}
	}
	if r.method, err = tunnelled(r.method, override); err != nil {
		return err
	}
	if r.representation, err = negotiate(r.query, r.header, r.version); err != nil {
		return err
	}
	if queryErr != nil {
		return odata.ErrPathSyntax
	}
	if r.path, err = odata.ParsePath(target); errors.Is(err, odata.ErrKeyCount) {
		return keyCountError(r.account + "." + r.path.Table)
	} else if err != nil {
		return err
	}
	if m.operation, err = x.permitted(r); err != nil {
		return err
	}
	if !possible(m.operation, query) {
		return errOperationInBatch
	}
	if m.operation.body {
		if r.bodyFormat, err = bodyFormat(r.header.Get("Content-Type"), r.version); err != nil {
			return err
		}
	}
	m.command, err = prepare(m.operation, r)
	return err
}

// possible reports whether an operation can be in a changeset or, as a query,
// alone in a batch. Access policies are not.
func possible(o *operation, query bool) bool {
	if o.comp != "" {
		return false
	}
	switch o.resource {
	case odata.EntitiesResource, odata.EntityResource:
		return o.writes != query
	}
	return false
}

// relativeTarget returns the path and query of a request line, within the
// account: clients write whole addresses, paths with and paths without the
// account.
func (x *exchange) relativeTarget(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			return "/"
		}
		target = rest[slash:]
	}
	if rest, ok := strings.CutPrefix(target, x.endpoint.prefix); ok && strings.HasPrefix(rest, "/") {
		return rest
	}
	return target
}

// failedPart returns the one part of a batch that failed. Its text begins with
// the operation's position, except for an error of execution of the only
// operation of a changeset. A query is in no changeset.
func (x *exchange) failedPart(members []member, err error) []batch.Response {
	index := 0
	var of *operationError
	if errors.As(err, &of) {
		index = of.index
	}
	m := member{request: x.request}
	if index < len(members) {
		m = members[index]
	}
	known := x.describe(err)
	if errors.Is(err, engine.ErrTableNotFound) {
		// In a batch the table is looked for before anything is executed.
		known.phase = parsing
	}
	query := m.operation != nil && !m.operation.writes
	if len(members) != 1 || query || x.endpoint.cosmos || known.phase != executing && known.phase != checking {
		known.message = fmt.Sprintf("%d:%s", index, known.message)
	}
	failed := failure(&m.request, known, x.tail())
	part, _ := failed.part(nil, m.contentID, dataServiceVersionOf(&m.request))
	return []batch.Response{part}
}

// newBoundary returns a random GUID's text.
func newBoundary() string {
	a, b := rand.Uint64(), rand.Uint64()
	var g odata.Guid
	for i := range 8 {
		g[i], g[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	return g.String()
}
