package engine

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"sandtable/odata"
)

// Difference is an entity that differs between an account and a snapshot: Before
// is the account's, After the snapshot's; one of them may be nil.
type Difference struct{ Before, After *odata.Entity }

// TableDifference is a table of an account or of a snapshot. Its Differences read
// only the blocks that the two do not share. They end with an error, if any.
type TableDifference struct {
	Name        string
	Created     bool // restoring creates the table
	Deleted     bool // restoring deletes it
	Policies    bool // restoring changes its access policies
	Entities    int  // of the snapshot, or of a table that is deleted
	Differences iter.Seq2[Difference, error]
}

// CompareSnapshot lists what restoring a snapshot would change: every table of the
// account or the snapshot, by name, or [ErrSnapshotNotFound].
func (tx *Tx) CompareSnapshot(account, id string) ([]TableDifference, error) {
	e, err := tx.snapshotEntity(account, id)
	if err != nil {
		return nil, err
	}
	s := snapshotEntry(e)
	var tables []TableDifference
	for info := range tx.Tables(s.Holder(), "") {
		after, err := tx.Table(s.Holder(), info.Name)
		if err != nil {
			return nil, err
		}
		d := TableDifference{Name: info.Name, Entities: info.Entities}
		var now *contents
		if before, err := tx.Table(account, info.Name); err == nil {
			now, d.Policies = tx.contents(before.id), before.Policies() != after.Policies()
		} else {
			d.Created, d.Policies = true, after.Policies() != ""
		}
		d.Differences = tx.compare(now, tx.contents(after.id))
		tables = append(tables, d)
	}
	for info := range tx.Tables(account, "") {
		if _, err := tx.Table(s.Holder(), info.Name); err == nil {
			continue
		}
		before, err := tx.Table(account, info.Name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, TableDifference{
			Name: info.Name, Deleted: true, Entities: info.Entities, Differences: tx.compare(tx.contents(before.id), nil),
		})
	}
	slices.SortFunc(tables, func(a, b TableDifference) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return tables, nil
}

// compare returns the entities that differ between contents, in key order. Nil
// stands for none. Within a store two entities with the same key and the same
// Timestamp are the same.
func (tx *Tx) compare(before, after *contents) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		c := comparison{tx: tx, before: orEmpty(before), after: orEmpty(after)}
		for _, keys := range c.ranges() {
			if !c.within(keys, yield) {
				return
			}
		}
	}
}

func orEmpty(c *contents) *contents {
	if c == nil {
		return newContents(newBlockTree())
	}
	return c
}

// comparison compares the contents of two tables that may share blocks.
type comparison struct {
	tx            *Tx
	before, after *contents
}

// ranges returns the ranges of keys outside of which the contents are the same: of
// blocks that only one of them has, and of changes that are in no block. They are
// in order and do not overlap.
func (c *comparison) ranges() (merged []odata.KeyRange) {
	all := append(ownRanges(c.before, c.after), ownRanges(c.after, c.before)...)
	slices.SortFunc(all, func(a, b odata.KeyRange) int { return a.From.Compare(b.From) })
	for _, r := range all {
		last := len(merged) - 1
		if last < 0 || merged[last].Bounded && merged[last].To.Less(r.From) {
			merged = append(merged, r)
			continue
		}
		if m := &merged[last]; m.Bounded && (!r.Bounded || m.To.Less(r.To)) {
			m.To, m.Bounded = r.To, r.Bounded
		}
	}
	return merged
}

// ownRanges returns the ranges of blocks and changes that other contents lack.
func ownRanges(c, other *contents) (ranges []odata.KeyRange) {
	var own *odata.Key // the first key of a block that other lacks
	c.blocks.Scan(func(r *blockRef) bool {
		if own != nil {
			ranges = append(ranges, odata.KeyRange{From: *own, To: r.First, Bounded: true})
		}
		if own = nil; !other.has(r) {
			own = &r.First
		}
		return true
	})
	if own != nil {
		ranges = append(ranges, odata.KeyRange{From: *own})
	}
	c.changes.Scan(func(e *odata.Entity) bool {
		if same, ok := other.changes.Get(e); !ok || same.Timestamp != e.Timestamp {
			ranges = append(ranges, odata.KeyRange{From: e.Key(), To: e.Key().Next(), Bounded: true})
		}
		return true
	})
	return ranges
}

// within yields the differences in a range. It returns false when that is enough.
func (c *comparison) within(keys odata.KeyRange, yield func(Difference, error) bool) bool {
	before, after := c.tx.query(c.before, Query{Within: keys}), c.tx.query(c.after, Query{Within: keys})
	defer before.Close()
	defer after.Close()
	b, a := nextRow(before), nextRow(after)
	failed := func() error { return cmp.Or(before.Err(), after.Err()) }
	for failed() == nil && (b != nil || a != nil) {
		var d Difference
		order := 0
		if a == nil || b != nil && b.Key().Less(a.Key()) {
			order = -1
		} else if b == nil || a.Key().Less(b.Key()) {
			order = 1
		}
		if order <= 0 {
			d.Before = b
		}
		if order >= 0 {
			d.After = a
		}
		if order != 0 || a.Timestamp != b.Timestamp {
			if !yield(d, nil) {
				return false
			}
		}
		if order <= 0 {
			b = nextRow(before)
		}
		if order >= 0 {
			a = nextRow(after)
		}
	}
	if err := failed(); err != nil {
		yield(Difference{}, err)
		return false
	}
	return true
}

// nextRow returns a copy of the next entity, nil at the end.
func nextRow(rows *Cursor) *odata.Entity {
	if !rows.Next() {
		return nil
	}
	return rows.Entity()
}

// AccountState returns the State that a snapshot of the account would have now.
func (tx *Tx) AccountState(account string) (uint64, error) {
	a, err := tx.Account(account)
	if err != nil {
		return 0, err
	}
	return tx.stateOf(account, a.Properties), nil
}

// CurrentSnapshot returns a complete snapshot that is known to hold the present state of
// the account, or [ErrSnapshotNotFound].
func (tx *Tx) CurrentSnapshot(account string) (Snapshot, error) {
	state, err := tx.AccountState(account)
	if err != nil {
		return Snapshot{}, err
	}
	for e := range tx.snapshotEntities(account) {
		if s := snapshotEntry(e); !s.Incomplete && tx.stateOf(s.Holder(), s.Properties) == state {
			return tx.snapshotOf(e), nil
		}
	}
	return Snapshot{}, ErrSnapshotNotFound
}

// stateOf hashes what the tables of an account or a snapshot consist of, without
// reading blocks. Two states that were written to blocks of their own differ, even
// if they have the same entities.
func (tx *Tx) stateOf(holder, properties string) uint64 {
	h := fnv.New64a()
	text := func(s string) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
		h.Write(length[:])
		h.Write([]byte(s))
	}
	number := func(n int64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	text(properties)
	tx.tablesOf(holder, func(t *odata.Entity) {
		c := tx.contents(tableIDOf(t))
		policies, _ := t.Property(tablePolicies)
		text(tableNameOf(t))
		text(policies.Text())
		number(int64(c.blocks.Len()))
		c.blocks.Scan(func(r *blockRef) bool {
			number(int64(r.newest()))
			return true
		})
		c.changes.Scan(func(e *odata.Entity) bool {
			text(e.PartitionKey)
			text(e.RowKey)
			number(int64(e.Timestamp))
			return true
		})
	})
	return h.Sum64()
}
