package engine

import (
	"time"

	"sandtable/odata"
)

// Tx is a transaction: a picture of the store as it was when the transaction
// began and, in an Update, the changes on it so far. It sees its own changes.
//
// A Tx and its tables are for one goroutine, and end with the callback that
// got them. Entities that came out of it stay good for ever.
type Tx struct {
	base     *version
	clock    func() time.Time
	now      odata.DateTime // 0 until it is asked for
	writable bool
	done     bool

	stamp     odata.DateTime
	nextTable TableID
	own       []root // trees of this transaction alone; a nil tree is a dropped table
	ops       []op

	probe odata.Entity // what find searches for
}

// writeTx is a Tx with room for what most updates change.
type writeTx struct {
	Tx
	own [2]root
	ops [1]op
}

func newReadTx(base *version, clock func() time.Time) *Tx {
	return &Tx{base: base, clock: clock}
}

func newWriteTx(base *version, clock func() time.Time) *Tx {
	tx := &writeTx{Tx: Tx{
		base: base, clock: clock, writable: true,
		stamp: base.stamp, nextTable: base.nextTable,
	}}
	tx.Tx.own, tx.Tx.ops = tx.own[:0], tx.ops[:0]
	return &tx.Tx
}

// find returns the entity of a tree with this key. A search for another one
// may begin only after it returned.
func (tx *Tx) find(t *tree, key odata.Key) (*odata.Entity, bool) {
	tx.probe.PartitionKey, tx.probe.RowKey = key.PartitionKey, key.RowKey
	return t.Get(&tx.probe)
}

// Now returns the time of the transaction. The clock is read once, so every
// call returns the same. It is not a Timestamp: those of the transaction's
// writes are this time or later, because no two writes of a store have the
// same.
func (tx *Tx) Now() odata.DateTime {
	if tx.now == 0 {
		tx.now = odata.DateTimeOf(tx.clock())
	}
	return tx.now
}

// nextStamp returns the Timestamp of one write: now, or a tick after the last
// one that was given if the clock has not passed it.
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

// tree returns a table's tree as the transaction sees it, nil if there is none.
func (tx *Tx) tree(id TableID) *tree {
	for i := range tx.own {
		if tx.own[i].id == id {
			return tx.own[i].tree
		}
	}
	return tx.base.tree(id)
}

// ownTree returns a tree that the transaction may change, nil if there is none.
func (tx *Tx) ownTree(id TableID) *tree {
	for i := range tx.own {
		if tx.own[i].id == id {
			return tx.own[i].tree
		}
	}
	t := tx.base.tree(id)
	if t != nil {
		t = t.Copy()
		tx.own = append(tx.own, root{id, t})
	}
	return t
}

// setRoot puts a tree in the place of a table's; nil drops the table.
func (tx *Tx) setRoot(id TableID, t *tree) {
	for i := range tx.own {
		if tx.own[i].id == id {
			tx.own[i].tree = t
			return
		}
	}
	tx.own = append(tx.own, root{id, t})
}

// apply does a change in the tree and notes it.
func (tx *Tx) apply(o op) {
	t := tx.ownTree(o.table)
	if o.after != nil {
		t.Set(o.after)
	} else {
		t.Delete(o.before)
	}
	if o.kind == TableDeleted {
		tx.setRoot(o.dropped, nil)
	}
	tx.ops = append(tx.ops, o)
}
