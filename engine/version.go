package engine

import (
	"github.com/tidwall/btree"

	"sandtable/odata"
)

// tree holds entities in the order of their keys. It has no
// lock: a tree that others can see is never written again. Whoever wants to
// write takes a Copy, which shares all nodes and copies those that it changes.
//
// Copy itself writes a number into the tree that it copies. That is sound
// because only the writer, of whom there is one at a time, takes copies and
// reads that number; a reader's Get, Ascend, Iter and Len do not.
type tree = btree.BTreeG[*odata.Entity]

func newTree() *tree {
	return btree.NewBTreeGOptions(lessEntity, btree.Options{NoLocks: true, Degree: treeDegree})
}

// treeDegree is half of how many entities a node points to. A commit copies
// one node of each level: of 8, 12, 16 and 32, in a table of 200,000 entities,
// 16 made inserts cheapest, in time and in bytes.
const treeDegree = 16

func lessEntity(a, b *odata.Entity) bool {
	if a.PartitionKey != b.PartitionKey {
		return odata.Compare(a.PartitionKey, b.PartitionKey) < 0
	}
	return odata.Compare(a.RowKey, b.RowKey) < 0
}

// pivot returns an entity that stands for a key in a search.
func pivot(k odata.Key) *odata.Entity {
	return &odata.Entity{PartitionKey: k.PartitionKey, RowKey: k.RowKey}
}

// root is what one table holds.
type root struct {
	id       TableID
	contents *contents
}

// version is a picture of the whole store. Once it is the current one nothing
// in it changes.
type version struct {
	roots     *btree.BTreeG[root] // by identity; the catalog is the first
	seq       uint64              // of the last record of the log in it
	stamp     odata.DateTime      // the last that was given
	nextTable TableID             // above all that were ever given
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

// contents returns what a table holds, nil if there is no such table.
func (v *version) contents(id TableID) *contents {
	r, _ := v.roots.Get(root{id: id})
	return r.contents
}

// next returns a version that begins as v does, for the writer to change.
func (v *version) next() *version {
	n := *v
	n.roots = v.roots.Copy()
	return &n
}

// adopt takes over what a finished transaction did.
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

// affected returns how many bytes of blocks a checkpoint would write anew.
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
