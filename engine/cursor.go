package engine

import (
	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
	"sandtable/odata/filter"
)

// Cursor returns the entities that match a [Query], one after another:
//
//	rows := table.Query(query).Page()
//	defer rows.Close()
//	for rows.Next() {
//		use(rows.Row())
//	}
//	if err := rows.Err(); err != nil {
//		return err
//	}
//
// It belongs to the transaction's goroutine and ends with the transaction.
//
// It merges two sorted sequences: the blocks of the table (scan.go) and the
// overlay of changes since the last checkpoint, which hide the entities in
// blocks that they replace or delete.
type Cursor struct {
	query    Query
	tx       *Tx
	contents *contents
	keys     odata.KeyRange
	err      error
	done     bool
	next     *odata.Key // see Continuation
	progress progress

	// The current entity is entity if it is in the overlay, or row if it is in a
	// block; then entity is nil.
	entity  *odata.Entity
	row     block.Row
	decoded odata.Entity // the result of Row for an entity in a block

	overlay btree.IterG[*odata.Entity]
	change  *odata.Entity // the next change in the overlay; nil at the end
	scan    scan          // of the blocks
}

// Next moves to the next match and reports whether there is one. It returns
// false at the end of the page and after an error.
func (c *Cursor) Next() bool {
	if c.done {
		return false
	}
	if c.tx.done {
		c.fail(ErrClosed)
		return false
	}
	if !c.advance() {
		c.done = true
		return false
	}
	if c.query.Limit > 0 && c.progress.explain.Returned == c.query.Limit {
		c.endPage()
		return false
	}
	c.progress.explain.Returned++
	return true
}

// Row returns the current entity. Neither it nor its properties may be changed,
// and they are valid until the next call of Next or Close; strings stay valid.
func (c *Cursor) Row() *odata.Entity {
	if c.entity != nil {
		return c.entity
	}
	c.row.Decode(&c.decoded, c.query.Select)
	return &c.decoded
}

// Entity is Row, but returns an entity that stays valid and has all properties.
func (c *Cursor) Entity() *odata.Entity {
	if c.entity != nil {
		return c.entity
	}
	return c.row.Entity()
}

// LastRow makes the current entity the last of the page, as if it had reached
// the Limit: Next looks for one more match, for the Continuation, and returns
// false.
func (c *Cursor) LastRow() { c.query.Limit = c.progress.explain.Returned }

// Err returns the error that ended the query. Besides [ErrTableNotFound] and
// [ErrClosed], it wraps [ErrStorage]: a block could not be read now. A corrupt
// block is not an error: it is skipped, see [DB.Corruption].
func (c *Cursor) Err() error { return c.err }

// Close ends the query early; Next returns false from then on. Err, Explain and
// Continuation stay valid.
func (c *Cursor) Close() {
	*c = Cursor{err: c.err, done: true, next: c.next, progress: progress{explain: c.progress.explain}}
}

// Continuation returns the key at which the next page begins, nil if there is
// none. It is known once Next has returned false. If the Limit ended the page,
// the key belongs to another match, unless the deadline ended the search for it.
func (c *Cursor) Continuation() *odata.Key { return c.next }

// Explain returns what the query has done so far.
func (c *Cursor) Explain() Explain { return c.progress.explain }

// Page reads the rest of the page into memory and closes the cursor. Unlike
// rows, its entities have all properties and stay valid.
func (c *Cursor) Page() (Page, error) {
	defer c.Close()
	var entities []*odata.Entity
	for c.Next() {
		entities = append(entities, c.Entity())
	}
	if c.err != nil {
		return Page{}, c.err
	}
	return Page{Entities: entities, Next: c.next, Explain: c.Explain()}, nil
}

// Query begins a query. It examines no more than the range that the filter,
// Within and From have in common. An error, such as [ErrTableNotFound], is the
// cursor's [Cursor.Err].
func (t *Table) Query(q Query) *Cursor {
	contents, err := t.contents()
	if err != nil {
		c := &Cursor{tx: t.tx}
		c.fail(err)
		return c
	}
	return t.tx.query(contents, q)
}

func (tx *Tx) query(contents *contents, q Query) *Cursor {
	c := &Cursor{query: q, tx: tx}
	keys := q.Within
	if q.Filter != nil {
		keys = keys.Intersect(filter.Bounds(q.Filter))
		c.query.Filter = filter.Remainder(q.Filter)
	}
	c.progress.explain.Kind = KindOf(keys)
	if keys = keys.Intersect(odata.KeyRange{From: q.From}); keys.IsEmpty() {
		c.done = true
		return c
	}
	c.start(contents, keys)
	return c
}

func (c *Cursor) start(contents *contents, keys odata.KeyRange) {
	c.contents, c.keys = contents, keys
	c.progress.deadline, c.progress.yield = c.query.Deadline, c.tx.yield
	c.overlay = contents.changes.Iter()
	c.takeChange(c.overlay.Seek(pivot(keys.From)))
	c.scan.start(contents, keys, &c.query)
}

func (c *Cursor) fail(err error) { c.err, c.done = err, true }

// endPage ends the page before the current entity.
func (c *Cursor) endPage() {
	key := c.key()
	c.next, c.done = &key, true
}

func (c *Cursor) key() odata.Key {
	if c.entity != nil {
		return c.entity.Key()
	}
	return c.row.Key()
}

// advance finds the next match. It returns false at the end of the range, when
// the page's time is over, and after an error.
func (c *Cursor) advance() bool {
	for !c.done {
		switch {
		case c.scan.index < c.scan.stop:
			if c.nextRow() {
				return true
			}
		case c.scan.stop < c.scan.end:
			c.scan.skipReplaced()
			matches := c.nextChange()
			c.scan.findStop(c.change)
			if matches {
				return true
			}
		case c.scan.hasBlocks:
			if err := c.scan.nextBlock(c.tx, c.change, &c.progress); err != nil {
				c.fail(err)
			}
		case c.change != nil:
			if c.nextChange() {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// nextRow looks for a match among the rows before the next change.
func (c *Cursor) nextRow() bool {
	matches, over := c.scan.nextRow(&c.progress)
	if matches || over {
		c.entity = nil
		c.row.Move(c.scan.block, c.scan.row)
	}
	if over {
		c.endPage()
	}
	return matches
}

// nextChange examines the next change and reports whether it is a match.
func (c *Cursor) nextChange() bool {
	c.entity = c.change
	c.takeChange(c.overlay.Next())
	if c.progress.pageIsOver() {
		c.endPage()
		return false
	}
	if c.entity.Timestamp == deleted {
		c.progress.entities++
		return false
	}
	c.progress.examine(c.entity.PartitionKey)
	return filter.Match(c.query.Filter, c.entity)
}

// takeChange makes the overlay's current item the next change if it is in range.
func (c *Cursor) takeChange(ok bool) {
	c.change = nil
	if !ok {
		return
	}
	if e := c.overlay.Item(); !c.keys.Bounded || e.Key().Less(c.keys.To) {
		c.change = e
	}
}
