package server

import (
	"fmt"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/message"
)

// Query Entities, https://learn.microsoft.com/rest/api/storageservices/query-entities
// Querying tables and entities, https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities

// queryTime is how long a query may run before it answers with what it has and
// a continuation.
const queryTime = 5 * time.Second

// maxPageSize bounds a page, in the bytes that the service counts for entities:
// a page that exceeds it ends with a continuation.
const maxPageSize = 4 << 20

func prepareQueryEntities(r *request) (command, error) {
	options, err := readQueryOptions(r.query)
	if err != nil {
		return command{}, err
	}
	from, err := entityContinuation(r.query)
	if err != nil {
		return command{}, err
	}
	query := &engine.Query{
		Filter: options.filter, Within: r.grant.Keys(), From: from, Limit: options.top, Select: options.selection.properties(),
	}
	return command{query: query, run: func(tx Tx, table Table) (reply, error) {
		return r.page(*query, options, tx, table)
	}}, nil
}

// page encodes each entity while the query is at it. Each row also counts what $select
// names: of properties that its entity lacks, only the name takes space. It ends early if
// there is no memory for more.
func (r *request) page(query engine.Query, options queryOptions, tx Tx, table Table) (reply, error) {
	query.Deadline = r.deadline()
	rows := table.Query(query)
	defer rows.Close()
	entities := func(yield func(*odata.Entity) bool) {
		for size := 0; options.top > 0 && rows.Next(); {
			e := rows.Row()
			row := e.Size() + len(options.selection.text)
			if size += row; size >= maxPageSize || !r.reserveRows(size+row) {
				rows.LastRow()
			}
			if !yield(e) {
				return
			}
		}
	}
	found := reply{status: message.StatusOK, contentType: r.feedType()}
	found.writePage(func(b []byte) []byte {
		return r.encoder(options.selection, tx.Now()).AppendEntities(b, r.path.Table, entities)
	})
	if err := rows.Err(); err != nil {
		return reply{}, err
	}
	if next := rows.Continuation(); next != nil {
		found.nextPartition, found.nextRow = r.encodeContinuation(*next)
	}
	e := rows.Explain()
	found.statistics = Statistics{Kind: e.Kind.String(), Blocks: e.Blocks, Partitions: e.Partitions, Examined: e.Examined, Returned: e.Returned}
	if r.header.Get("x-sandtable-explain") != "" {
		found.explain = fmt.Sprintf("kind=%s;blocks=%d;examined=%d;returned=%d", e.Kind, e.Blocks, e.Examined, e.Returned)
	}
	return found, nil
}

// maxGrowth is how many bytes a page has, at most, for each that the service counts for
// its entities: control characters count as two and have six, and there is the metadata.
const maxGrowth = 4

// reserveStep is how many bytes a page takes ahead. To take memory for each row cost 4 %
// with two processors, since all requests write to the same counter.
const reserveStep = 64 << 10

// reserveRows takes memory for the rows of a page, and for another one like the last.
func (r *request) reserveRows(size int) bool {
	n := int64(size) * maxGrowth
	return n <= max(smallReply, r.replyShare.size) || r.replyShare.resize(n+reserveStep)
}

// deadline returns a function that reports whether the time for a query that
// starts now has passed.
func (r *request) deadline() func() bool {
	end := r.now().Add(queryTime)
	return func() bool { return r.now().After(end) }
}
