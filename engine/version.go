package engine

import (
	"sync/atomic"

	"github.com/tidwall/btree"

	"sandtable/odata"
)

// root is a table in one version.
type root struct {
	id       TableID
	contents *contents
}

// epoch is the time between two checkpoints: its versions have the same blocks.
// The checkpoint at its end replaces some; they stay in the storage until no
// reader pins this epoch or an earlier one.
type epoch struct {
	readers atomic.Int64
	garbage []BlockID // known at its end
}

// version is an immutable snapshot of the whole store.
type version struct {
	roots     *btree.BTreeG[root] // by identity, the catalog first
	seq       uint64              // of the last WAL record in it
	stamp     odata.DateTime      // the last Timestamp of a write
	nextTable TableID             // above all identities ever used
	epoch     *epoch
}

func newVersion() *version {
	less := func(a, b root) bool { return a.id < b.id }
	v := &version{
		roots:     btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}),
		nextTable: catalogID + 1,
		epoch:     new(epoch),
	}
	v.roots.Set(root{catalogID, newContents(nil)})
	return v
}

// contents returns the contents of a table, nil if there is no such table.
func (v *version) contents(id TableID) *contents {
	r, _ := v.roots.Get(root{id: id})
	return r.contents
}

// next returns a copy of the version for the leader to change.
func (v *version) next() *version {
	n := *v
	n.roots = v.roots.Copy()
	return &n
}

// changes returns how many changes the next checkpoint has to merge.
func (v *version) changes() (n int) {
	v.roots.Scan(func(r root) bool {
		if r.contents.blocks != nil {
			n += r.contents.changes.Len()
		}
		return true
	})
	return n
}

// blocks returns how many blocks all tables have.
func (v *version) blocks() (n int) {
	v.roots.Scan(func(r root) bool {
		if r.contents.blocks != nil {
			n += r.contents.blocks.Len()
		}
		return true
	})
	return n
}

// affected estimates how many bytes of blocks a checkpoint would write.
func (v *version) affected() int {
	size := 0
	v.roots.Scan(func(r root) bool {
		if r.contents.blocks != nil && r.contents.changes.Len() > 0 {
			size += r.contents.affected()
		}
		return true
	})
	return size
}
