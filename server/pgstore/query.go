package pgstore

import (
	"cmp"

	"github.com/jackc/pgx/v5"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server"
)

// cursor is a query under way. It reads the range of keys in chunks and
// evaluates the filter on every row.
type cursor struct {
	tx    *tx
	query engine.Query
	keys  odata.KeyRange // that are still to be read
	err   error
	done  bool
	next  *odata.Key

	rows  pgx.Rows // of the current chunk; nil for none
	size  int      // rows that the chunk can have
	left  int      // rows that the chunk can still have
	bytes int      // of the chunk's rows so far

	current   *odata.Entity
	explain   engine.Explain
	partition string
	unchecked unchecked
}

// unchecked is what was examined since the deadline was checked.
type unchecked struct{ entities, bytes int }

// A query checks its deadline after as many entities or bytes as one of the engine,
// see engine/progress.go.
const (
	deadlineEntities = 256
	deadlineBytes    = 64 << 10
)

// A chunk has at most this many rows, and ends with the row that exceeds the
// bytes: the entities of a page fit in 4 MiB.
const (
	chunkRows    = odata.MaxPageSize + 1 // of the first
	maxChunkRows = 16 * chunkRows
	chunkBytes   = 8 << 20
)

// The rows of a range, of which the first $6 are considered and those beyond $5
// bytes left out: octet_length does not read a value that is stored apart.
const (
	chunkHead = `SELECT partition_key, row_key, entity FROM (
		SELECT partition_key, row_key, entity,
			sum(octet_length(entity)) OVER (ORDER BY partition_key, row_key ROWS UNBOUNDED PRECEDING) - octet_length(entity) AS before
		FROM (SELECT partition_key, row_key, entity FROM sandtable_entities
			WHERE table_id = (SELECT id FROM sandtable_tables WHERE account = $1 AND key = $2)
			AND (partition_key, row_key) >= ($3, $4)`
	chunkTo   = ` AND (partition_key, row_key) < ($7, $8)`
	chunkTail = ` ORDER BY partition_key, row_key LIMIT $6) AS considered
		) AS measured WHERE before < $5 ORDER BY partition_key, row_key`
	selectChunk        = chunkHead + chunkTail
	selectBoundedChunk = chunkHead + chunkTo + chunkTail
)

// Query implements [server.Table]. In an update it writes the changes so far
// first, and does not lock what it reads.
func (t *table) Query(q engine.Query) server.Rows {
	if c := t.tx.prefetched; c != nil {
		t.tx.prefetched = nil
		c.query.Deadline = q.Deadline
		return c
	}
	c := newCursor(t.tx, q)
	if err := t.flush(); err != nil {
		c.fail(err)
	}
	return c
}

func newCursor(t *tx, q engine.Query) *cursor {
	c := &cursor{tx: t, query: q, keys: q.Within}
	if q.Filter != nil {
		c.keys = c.keys.Intersect(filter.Bounds(q.Filter))
		c.query.Filter = filter.Remainder(q.Filter)
	}
	c.explain.Kind = engine.KindOf(c.keys)
	c.keys = c.keys.Intersect(odata.KeyRange{From: q.From})
	c.done = c.keys.IsEmpty()
	return c
}

// flush writes the changes of the transaction so far.
func (t *table) flush() error {
	batch := &pgx.Batch{}
	t.tx.queueWrites(batch)
	if batch.Len() == 0 {
		return nil
	}
	if err := t.tx.fail(t.tx.conn.SendBatch(t.tx.ctx, batch).Close()); err != nil {
		return err
	}
	for _, r := range t.tx.rows {
		r.corrupt = r.unreadable()
		r.stored = r.current
	}
	return nil
}

// Next implements [server.Rows].
func (c *cursor) Next() bool {
	for !c.done {
		if !c.advance() {
			c.finish(nil)
			break
		}
		if c.pageIsOver() {
			c.finish(c.current)
			break
		}
		c.examine()
		if !filter.Match(c.query.Filter, c.current) {
			continue
		}
		if c.query.Limit > 0 && c.explain.Returned == c.query.Limit {
			c.finish(c.current)
			break
		}
		c.explain.Returned++
		return true
	}
	return false
}

// advance reads the next row of the range.
func (c *cursor) advance() bool {
	for {
		if c.rows == nil && !c.nextChunk() {
			return false
		}
		if c.rows.Next() {
			if readable := c.read(c.rows.RawValues()); readable || c.err != nil {
				return readable
			}
			continue
		}
		c.rows.Close()
		err := cmp.Or(c.rows.Err(), c.tx.closeResults())
		c.rows = nil
		if err != nil {
			c.fail(c.tx.fail(err))
			return false
		}
		if c.left > 0 && c.bytes < chunkBytes {
			return false // the chunk has everything that is left of the range
		}
	}
}

// read reads a row, and returns false for one that is left out because it is corrupt.
func (c *cursor) read(values [][]byte) bool {
	key := odata.Key{PartitionKey: decodeKey(values[0]), RowKey: decodeKey(values[1])}
	c.left--
	c.bytes += len(values[2])
	c.keys.From = key.Next()
	c.unchecked.bytes += len(values[2])
	entity, corrupt, err := c.tx.decode(values[2], key)
	if err != nil {
		c.fail(err)
	}
	if err != nil || corrupt != nil {
		return false
	}
	c.current = entity
	return true
}

// nextChunk begins to read a chunk.
func (c *cursor) nextChunk() bool {
	sql, args := c.chunk()
	rows, err := c.tx.conn.Query(c.tx.ctx, sql, args...)
	if err != nil {
		c.fail(c.tx.fail(err))
		return false
	}
	c.rows = rows
	return true
}

// chunk returns the statement for the next chunk. Without a filter it has one row
// more than are still to be returned, for the continuation. With one, chunks
// grow, because few rows match.
func (c *cursor) chunk() (sql string, args []any) {
	c.size = min(max(c.size*4, chunkRows), maxChunkRows)
	if c.query.Filter == nil && c.query.Limit > 0 {
		c.size = c.query.Limit - c.explain.Returned + 1
	}
	c.left, c.bytes = c.size, 0
	scope, from, to := c.tx.scope, c.keys.From, c.keys.To
	args = []any{scope.Account, tableKey(scope.Table), encodeKey(from.PartitionKey), encodeKey(from.RowKey), chunkBytes, c.left}
	if !c.keys.Bounded {
		return selectChunk, args
	}
	return selectBoundedChunk, append(args, encodeKey(to.PartitionKey), encodeKey(to.RowKey))
}

func (c *cursor) examine() {
	c.unchecked.entities++
	c.explain.Examined++
	if c.explain.Partitions == 0 || c.current.PartitionKey != c.partition {
		c.explain.Partitions++
		c.partition = c.current.PartitionKey
	}
}

// pageIsOver reports whether the page ends before the current row, as in the engine:
// never unless the page made progress since the last check.
func (c *cursor) pageIsOver() bool {
	u := &c.unchecked
	if u.entities < deadlineEntities && (u.bytes < deadlineBytes || u.entities == 0) {
		return false
	}
	*u = unchecked{}
	return c.query.Deadline != nil && c.query.Deadline()
}

// finish ends the query. The next page, unless next is nil, begins with it.
func (c *cursor) finish(next *odata.Entity) {
	if next != nil && c.err == nil {
		key := next.Key()
		c.next = &key
	}
	c.Close()
}

func (c *cursor) fail(err error) {
	c.err = err
	c.Close()
}

// Row implements [server.Rows].
func (c *cursor) Row() *odata.Entity { return c.current }

// LastRow implements [server.Rows].
func (c *cursor) LastRow() { c.query.Limit = c.explain.Returned }

// Err implements [server.Rows].
func (c *cursor) Err() error { return c.err }

// Close implements [server.Rows].
func (c *cursor) Close() {
	c.done = true
	if c.rows != nil {
		c.rows.Close()
		c.err = cmp.Or(c.err, c.tx.fail(c.rows.Err()))
		c.rows = nil
	}
}

// Continuation implements [server.Rows].
func (c *cursor) Continuation() *odata.Key { return c.next }

// Explain implements [server.Rows].
func (c *cursor) Explain() engine.Explain { return c.explain }

// beginQuery begins a View and its query. Without a filter the first chunk has
// all of the page, so the transaction ends with it.
func (t *tx) beginQuery() error {
	c := newCursor(t, *t.scope.Query)
	batch := &pgx.Batch{}
	batch.Queue(beginView)
	batch.Queue(selectTable, t.scope.Account, tableKey(t.scope.Table))
	sql, args := c.chunk()
	batch.Queue(sql, args...)
	if c.query.Filter == nil && c.query.Limit > 0 {
		batch.Queue("COMMIT")
	}
	t.open = true
	t.results = t.conn.SendBatch(t.ctx, batch)
	_, err := t.results.Exec()
	if err == nil {
		err = t.scanTable(t.results.QueryRow())
	}
	if err == nil {
		c.rows, err = t.results.Query()
	}
	if err != nil {
		t.closeResults()
		return t.fail(err)
	}
	t.prefetched = c
	return nil
}
