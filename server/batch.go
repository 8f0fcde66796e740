package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/server/message"
)

// Performing entity group transactions,
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions

// member is one operation of a batch: a request of its own, and its command.
type member struct {
	request
	command
	contentID string
}

// workspace is memory that one batch after another uses. Without it, it would be a third
// of what a batch allocates.
type workspace struct {
	members []member
	rows    map[string]bool // the row keys of the members
	parts   []batch.Response
	fields  batch.Header // of the parts
	// late is the first error of the members as a group, or nil. It is reported only if
	// each of them can be read and their table exists.
	late error
}

var workspaces = sync.Pool{New: func() any { return &workspace{rows: make(map[string]bool, odata.MaxBatchOperations)} }}

// release gives w to another batch once nothing refers to it any more.
func (w *workspace) release() {
	clear(w.members)
	clear(w.rows)
	clear(w.parts)
	clear(w.fields)
	w.members, w.parts, w.fields = w.members[:0], w.parts[:0], w.fields[:0] // late is nil after a success
	workspaces.Put(w)
}

// answerBatch runs an entity group transaction, or the single query that a
// batch may hold instead. It answers 202 with one part per operation, or with
// the one that failed.
func (x *exchange) answerBatch(r *request) *reply {
	r.document = false // whatever its address says
	if r.method != message.MethodPost {
		return x.fail(r.protocol, errMethodNotAllowed)
	}
	out, body, err := x.performBatch(r)
	if err != nil {
		out = x.fail(r.protocol.inParts(), err)
	}
	out.operation, out.requestBody = entityGroupTransaction.name, body
	return out
}

func (x *exchange) performBatch(r *request) (out *reply, body []byte, err error) {
	if body, err = x.readBody(); err != nil {
		return nil, nil, err
	}
	read, err := batch.Parse(r.header.Get("Content-Type"), body, r.limits.Operations)
	switch {
	case err != nil && (r.cosmos || !errors.Is(err, batch.ErrOperation)):
		return nil, body, err
	case r.secondary && !read.Query:
		return nil, body, errSecondaryWrite
	}
	w := workspaces.Get().(*workspace)
	var statistics Statistics
	var list []Member
	if err == nil {
		statistics, list, err = x.runBatch(w, r, read)
	}
	parts := w.parts
	switch {
	case errors.Is(err, batch.ErrOperation):
		parts = x.unreadPart(r, err)
	case errors.Is(err, errCosmosDuplicate), errors.Is(err, errCosmosPatch), isOfStore(err):
		return nil, body, err
	case err != nil:
		parts = x.failedPart(r, read, err)
	}
	out = &reply{status: message.StatusAccepted, statistics: statistics, members: list, err: err}
	outer, inner := "batchresponse_"+randomGuid().String(), "changesetresponse_"+randomGuid().String()
	if read.Query {
		inner = ""
	}
	out.contentType = "multipart/mixed; boundary=" + outer
	out.writePage(func(b []byte) []byte {
		if r.cosmos {
			return batch.AppendCosmosResponses(b, outer, inner, parts)
		}
		return batch.AppendResponses(b, outer, inner, parts)
	})
	if err == nil {
		w.release()
	}
	return out, body, nil
}

// runBatch runs all operations in one transaction. It leaves their parts of the
// response in w, and returns what to record of them. An error is an operationError, or that
// of the whole request.
func (x *exchange) runBatch(w *workspace, r *request, read batch.Request) (statistics Statistics, list []Member, err error) {
	if err := w.readMembers(r, read); err != nil || len(w.members) == 0 {
		return statistics, nil, err
	}
	members := w.members
	if len(x.options.Observers) > 0 {
		list = listOf(members)
	}
	x.scope = Scope{Account: r.account, Table: members[0].path.Table, Keys: keysOf(members), Query: members[0].command.query}
	if w.late == nil {
		if err := x.inject(entityGroupTransaction, !read.Query, &x.scope); err != nil {
			return statistics, nil, err
		}
	}
	transaction := x.store.Update
	if read.Query {
		transaction = x.view
	}
	err = transaction(x.http.Context, &x.scope, func(tx Tx) error {
		w.parts = slices.Grow(w.parts[:0], len(members))
		w.fields = slices.Grow(w.fields[:0], usualFields*len(members))
		table, err := members[0].openTable(tx)
		switch {
		case err != nil:
			return &operationError{0, err}
		case w.late != nil:
			return w.late
		}
		for i := range members {
			m := &members[i]
			out, err := m.run(tx, table)
			if err != nil {
				return &operationError{i, err}
			}
			if read.Query && !x.replyShare.reserveReply(out.body) {
				return errBusy
			}
			statistics = out.statistics // of the only query of a batch
			var part batch.Response
			part, w.fields = m.part(&out, w.fields, i)
			w.parts = append(w.parts, part)
		}
		return nil
	})
	x.charge(statistics.Returned)
	return statistics, list, err
}

func listOf(members []member) []Member {
	list := make([]Member, len(members))
	for i := range members {
		list[i] = Member{members[i].operation.name, members[i].key.RowKey}
	}
	return list
}

// keysOf returns the keys that operations touch.
func keysOf(members []member) []odata.Key {
	keys := make([]odata.Key, 0, len(members))
	for i := range members {
		if members[i].keyed {
			keys = append(keys, members[i].key)
		}
	}
	return keys
}

func (m *member) part(out *reply, fields batch.Header, index int) (batch.Response, batch.Header) {
	if m.cosmos {
		return out.cosmosPart(fields, index)
	}
	return out.part(&m.protocol, fields, m.contentID, m.partVersion(m.method, m.preference))
}

// readMembers reads and refuses the operations one after another.
func (w *workspace) readMembers(r *request, read batch.Request) error {
	if limit := r.limits.Operations; len(read.Operations) > limit {
		read.Operations = read.Operations[:limit]
		w.late = &operationError{limit - 1, errTooManyOperations}
	}
	w.members = slices.Grow(w.members, len(read.Operations))
	for i := range read.Operations {
		w.members = w.members[:i+1] // in place: its command refers to its request
		if err := w.members[i].read(r, &read.Operations[i], read.Query); err != nil {
			return &operationError{i, err}
		}
		if err := checkGroup(w.members, w.rows); err != nil && w.late == nil {
			w.late = &operationError{i, err}
		}
	}
	return nil
}

func (m *member) read(r *request, o *batch.Operation, query bool) error {
	line := requestLine{method: o.Method, header: o.Header}
	base, resource := r.splitTarget(o.Target)
	path, rawQuery, _ := strings.Cut(resource, "?")
	line.base, line.path = base, path
	line.query, line.queryErr = parseQuery(rawQuery)
	// With another method the header has no effect here: clients for Java send MERGE and both.
	if name := o.Header.Get("X-HTTP-Method"); name != "" && strings.EqualFold(o.Method, message.MethodPost) {
		line.overrides = []string{name}
	}
	err := m.request.read(r.session, r.protocol.inBatch(line.query, line.header), line)
	switch {
	case errors.Is(err, odata.ErrKeyRejected): // the HTTP layer, which refuses these characters, sees no address within a batch
		return odata.ErrKeyOutOfRange
	case err != nil:
		return err
	}
	if err := m.admit(); err != nil {
		return err
	}
	if !possible(m.operation, query) {
		return errOperationInBatch
	}
	if err := m.checkContentType(); err != nil {
		return err
	}
	m.body, m.contentID = o.Body, o.ContentID
	m.command, err = m.prepare()
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

// checkGroup refuses the last member if it cannot be in one transaction with those
// before it, whose row keys are in rows.
func checkGroup(members []member, rows map[string]bool) error {
	first, last := &members[0], &members[len(members)-1]
	switch {
	case !isSameTable(first.path.Table, last.path.Table):
		return errDifferentTable
	case first.key.PartitionKey != last.key.PartitionKey:
		return errDifferentPartition
	}
	if rows[last.key.RowKey] {
		return last.duplicateRow()
	}
	rows[last.key.RowKey] = true
	return nil
}

// isSameTable compares names as stores do. [strings.EqualFold] also takes "s" for "ſ", and
// a store does not.
func isSameTable(a, b string) bool {
	if a == b {
		return true
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b
}

// duplicateRow returns the error for an entity that a changeset touches twice.
func (m *member) duplicateRow() error {
	switch {
	case m.cosmos && m.method == message.MethodPost:
		return errCosmosDuplicate
	case m.cosmos:
		return nil
	}
	return errDuplicateRow
}

// longestBase is how much of a part's address is repeated with each entity of the answer,
// in bytes. A host has at most 253.
const longestBase = 1 << 10

// splitTarget splits the target of a part's request line: into what precedes the account's
// resources, with which the addresses in the answer begin, and path and query within the
// account. Clients write whole addresses, paths with and paths without the account. A
// proxy may have removed what they have before the account's path.
func (s *session) splitTarget(target string) (base, resource string) {
	path := 0 // where it begins
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			return s.base, "/"
		}
		path = len(target) - len(rest) + slash
	}
	end, found := s.accountEnd(target[path:], path > 0)
	base, resource = target[:path+end], target[path+end:]
	if path == 0 || !found || len(base) > longestBase {
		base = s.base
	}
	return base, resource
}

// accountEnd returns where the account ends in the target of a part without its origin, 0
// if it is not there, and whether it is where this session has it. Unless the target may end
// with the account, as after an origin, that is a table of the same name.
func (s *session) accountEnd(target string, mayEnd bool) (end int, found bool) {
	if s.prefix == "" {
		return 0, true
	}
	path := target
	if end := strings.IndexAny(target, "(?"); end >= 0 {
		path, mayEnd = target[:end], mayEnd && target[end] == '?'
	}
	// Clients for Java name the primary endpoint in a batch to the secondary one.
	for _, prefix := range []string{s.prefix, strings.TrimSuffix(s.prefix, odata.SecondarySuffix)} {
		if i := strings.Index(path, prefix+"/"); i >= 0 {
			return i + len(prefix), true
		}
		if mayEnd && strings.HasSuffix(path, prefix) {
			return len(path), true
		}
	}
	return 0, false
}

// failedPart returns the only part of a batch that failed. It is written in the
// context of the last operation; only the position before its text is that of
// the one that failed.
func (x *exchange) failedPart(r *request, read batch.Request, err error) []batch.Response {
	index := 0
	if of := (*operationError)(nil); errors.As(err, &of) {
		index = of.index
	}
	last := &read.Operations[min(len(read.Operations), r.limits.Operations)-1]
	_, rawQuery, _ := strings.Cut(last.Target, "?")
	query, _ := parseQuery(rawQuery)
	p := r.protocol.inBatch(query, last.Header).inParts()
	method, _ := tunnelled(strings.ToUpper(last.Method), nil)
	if method != message.MethodDelete && method != message.MethodGet {
		p.preference = p.readPreference(method, last.Header)
	}
	known := p.describe(err)
	if r.cosmos {
		return x.failedCosmosPart(p, known, index, err)
	}
	if errors.Is(err, engine.ErrTableNotFound) || errors.Is(err, errTableBeingDeleted) || errors.Is(err, odata.ErrPathUnknown) {
		// In a batch the table is looked up before anything is executed, and the HTTP
		// layer sees no address.
		known.phase = parsing
	}
	if len(read.Operations) != 1 || read.Query || known.phase != executing && known.phase != checking {
		known.message = fmt.Sprintf("%d:%s", index, known.message)
	}
	version := p.partVersion(method, p.preference)
	if p.format == formatJSON && !p.xmlErrors {
		version = p.partVersion(message.MethodPost, "")
	}
	failed := x.failure(p, known)
	if p.old() {
		failed.contentType = contentTypeDocument // in two samples from 2009 and 2010
	}
	part, _ := failed.part(&p, nil, last.ContentID, version)
	return []batch.Response{part}
}

// unreadPart returns the answer to a part of a changeset that is no operation. What its
// sender accepts is unknown, so the error is XML, of data service version 1.0.
func (x *exchange) unreadPart(r *request, err error) []batch.Response {
	p := r.protocol.inBatch(nil, batch.Header(nil))
	failed := x.failure(p, p.describe(err))
	return []batch.Response{{
		Status: failed.status,
		Header: batch.Header{{Name: "DataServiceVersion", Value: "1.0;"}, {Name: "Content-Type", Value: cmp.Or(failed.contentType, contentTypeDocument)}},
		Body:   failed.body,
	}}
}

// partVersion is the DataServiceVersion of a part: what the request may use for
// reads, inserts and whatever honours Prefer, else 1.0.
func (p protocol) partVersion(method, preference string) string {
	if method == message.MethodGet || method == message.MethodPost || preference != "" {
		return [...]string{"1.0;", "1.0;", "2.0;", "3.0;"}[p.dataService]
	}
	return "1.0;"
}
