package engine

import (
	"time"

	"github.com/tidwall/btree"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// Tx is a transaction: a snapshot of the store and, in an Update, its own changes so
// far.
//
// A Tx and its tables belong to one goroutine and must not be used after the
// callback has returned. Entities that it returned stay valid.
type Tx struct {
	base     *version
	cache    *cache
	clock    func() time.Time
	now      odata.DateTime // 0 until Now is called
	writable bool
	done     bool
	fetch    *blockFetch // nil for a Tx that waits for blocks
	yield    func()      // Options.Yield; nil for a Tx that others wait for

	stamp     odata.DateTime
	nextTable TableID
	own       []root          // contents of this transaction alone; nil is a dropped table
	ownAt     map[TableID]int // where they are in own; nil for a few, which are searched
	ops       []op

	probe odata.Entity // the key that find searches for
	// hint is where a change was last looked up or set: the next one is usually
	// close by.
	hint btree.PathHint
}

// writeTx is a Tx with space for the changes of most updates.
type writeTx struct {
	Tx
	own [2]root
	ops [1]op
}

func newReadTx(base *version, cache *cache, clock func() time.Time) *Tx {
	return &Tx{base: base, cache: cache, clock: clock}
}

// newWriteTx returns a Tx that records its ops in scratch, unless that is nil.
func newWriteTx(base *version, cache *cache, clock func() time.Time, scratch []op) *Tx {
	tx := &writeTx{Tx: Tx{
		base: base, cache: cache, clock: clock, writable: true,
		stamp: base.stamp, nextTable: base.nextTable,
	}}
	tx.Tx.own, tx.Tx.ops = tx.own[:0], tx.ops[:0]
	if scratch != nil {
		tx.Tx.ops = scratch[:0]
	}
	return &tx.Tx
}

// find returns the entity with this key, or ErrEntityNotFound. It searches the
// overlay first, which hides entities in blocks.
func (tx *Tx) find(c *contents, key odata.Key) (e *odata.Entity, err error) {
	tx.probe.PartitionKey, tx.probe.RowKey = key.PartitionKey, key.RowKey
	e, changed := c.changes.GetHint(&tx.probe, tx.hintOf(c))
	if changed && e.Timestamp != deleted {
		return e, nil
	}
	ref := c.holding(key)
	if changed || ref == nil {
		return nil, ErrEntityNotFound
	}
	b := ref.resident()
	if b == nil {
		if b, err = tx.load(ref, nil); err != nil {
			return nil, err
		}
	}
	i, ok := b.Search(key)
	if !ok {
		return nil, ErrEntityNotFound
	}
	return b.Entity(i), nil
}

// load returns a block that is not resident. In an update that can be parked, it
// returns a block that was fetched for the update, or else notes that the update
// needs the block and returns errNotLoaded.
func (tx *Tx) load(ref *blockRef, ahead []*blockRef) (*block.Block, error) {
	if b := tx.cache.applyPending(ref); b != nil {
		return b, nil
	}
	f := tx.fetch
	if f == nil {
		return tx.cache.load(ref, ahead)
	}
	if b := f.loaded[ref]; b != nil {
		return b, nil
	}
	if f.spent() {
		return tx.cache.load(ref, ahead)
	}
	if f.next == nil {
		f.next, f.ahead = ref, ahead
	}
	return nil, errNotLoaded
}

// Now returns the time of the transaction. The clock is read once, so that every
// call returns the same. The Timestamps of the transaction's writes are this time
// or later: no two writes of a store have the same Timestamp.
func (tx *Tx) Now() odata.DateTime {
	if tx.now == 0 {
		tx.now = odata.DateTimeOf(tx.clock())
	}
	return tx.now
}

// nextStamp returns the Timestamp of one write: now, or one tick after the last
// Timestamp given, whichever is later.
func (tx *Tx) nextStamp() odata.DateTime {
	tx.stamp = max(tx.Now(), tx.stamp+1)
	return tx.stamp
}

func (tx *Tx) checkWritable() error {
	switch {
	case tx.done:
		return ErrClosed
	case !tx.writable:
		return ErrReadOnly
	}
	return nil
}

// contents returns the contents of a table as the transaction sees it, nil if
// there is no such table.
func (tx *Tx) contents(id TableID) *contents {
	if r := tx.ownRoot(id); r != nil {
		return r.contents
	}
	return tx.base.contents(id)
}

// ownContents returns contents that the transaction may change, nil if there
// is no such table.
func (tx *Tx) ownContents(id TableID) *contents {
	if r := tx.ownRoot(id); r != nil {
		return r.contents
	}
	c := tx.base.contents(id)
	if c != nil {
		c = c.copy()
		tx.setRoot(id, c)
	}
	return c
}

// ownRoot returns a table of which the transaction has contents of its own, else nil.
func (tx *Tx) ownRoot(id TableID) *root {
	if tx.ownAt != nil {
		if i, ok := tx.ownAt[id]; ok {
			return &tx.own[i]
		}
		return nil
	}
	for i := range tx.own {
		if tx.own[i].id == id {
			return &tx.own[i]
		}
	}
	return nil
}

// fewTables is how many tables a transaction searches faster than it finds them in a map.
const fewTables = 8

// setRoot replaces the contents of a table; nil drops the table.
func (tx *Tx) setRoot(id TableID, c *contents) {
	if r := tx.ownRoot(id); r != nil {
		r.contents = c
		return
	}
	tx.own = append(tx.own, root{id, c})
	switch {
	case tx.ownAt != nil:
		tx.ownAt[id] = len(tx.own) - 1
	case len(tx.own) > fewTables:
		tx.ownAt = make(map[TableID]int)
		for i, r := range tx.own {
			tx.ownAt[r.id] = i
		}
	}
}

// hintOf returns the hint for a table, nil for the catalog, in which every
// operation looks something up.
func (tx *Tx) hintOf(c *contents) *btree.PathHint {
	if c.blocks == nil || !tx.writable {
		return nil
	}
	return &tx.hint
}

// apply applies a change and records it.
func (tx *Tx) apply(o op) {
	c := tx.ownContents(o.table)
	c.apply(&o, tx.hintOf(c))
	if o.dropped != 0 {
		tx.setRoot(o.dropped, nil)
	}
	if o.cloned != 0 {
		from := tx.ownContents(o.cloned)
		tx.setRoot(tableIDOf(o.after), from.share())
	}
	tx.ops = append(tx.ops, o)
}

// adopt applies the changes of a finished transaction.
func (v *version) adopt(tx *Tx) {
	for _, r := range tx.own {
		if r.contents == nil {
			v.roots.Delete(r)
		} else {
			v.roots.Set(r)
		}
	}
	v.stamp, v.nextTable = tx.stamp, tx.nextTable
}
