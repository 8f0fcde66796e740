package engine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// Tables can share blocks: a clone starts with the blocks of its original
// (snapshots.go). A block carries the identity of the table that wrote it. For each
// table that shares blocks, the catalog as stored has an entity that lists its
// blocks; loading removes these entities. Any other table has exactly the blocks
// that carry its identity. A block becomes garbage when no table has it any more.

// share marks contents as shared and returns a copy for another table.
func (c *contents) share() *contents {
	c.shared = true
	return c.copy()
}

// user returns a table that has a block, preferably the one that wrote it.
func (v *version) user(r *blockRef) (id TableID, ok bool) {
	if v.contents(r.Table).has(r) {
		return r.Table, true
	}
	v.roots.Scan(func(t root) bool {
		if ok = t.contents.shared && t.contents.has(r); ok {
			id = t.id
		}
		return !ok
	})
	return id, ok
}

// shares says which tables share blocks.
type shares struct {
	users  map[*blockRef]int // how many tables have each block
	tables []root            // whose blocks the catalog lists, by identity
}

// findShares finds the tables that will share blocks. If there are any, or there
// were before, the catalog is rewritten.
func (c *checkpoint) findShares() {
	var tables []root
	c.base.roots.Scan(func(t root) bool {
		if t.contents.shared {
			tables = append(tables, root{t.id, c.merged(t)})
		}
		return true
	})
	if len(tables) == 0 {
		return
	}
	c.catalog = true
	c.shares.users = make(map[*blockRef]int)
	foreign := make(map[TableID]bool) // tables with blocks of others, or whose blocks others have
	for _, t := range tables {
		t.contents.blocks.Scan(func(r *blockRef) bool {
			c.shares.users[r]++
			if r.Table != t.id {
				foreign[t.id], foreign[r.Table] = true, true
			}
			return true
		})
		c.yield()
	}
	for _, t := range tables {
		switch {
		case foreign[t.id]:
			c.shares.tables = append(c.shares.tables, t)
		case c.tables[t.id] != nil: // no other table or version has this copy of the contents yet
			t.contents.shared = false
		}
	}
}

// sharing returns a function that reports whether some part of a block of a table also
// belongs to another table of the base.
func (c *checkpoint) sharing(table *contents) func(*blockRef) bool {
	if !table.shared {
		return func(*blockRef) bool { return false }
	}
	return c.sharedParts()
}

// sharedParts returns a function that reports whether some part of a block also belongs
// to another table of the base.
func (c *checkpoint) sharedParts() func(*blockRef) bool {
	if c.partUsers == nil {
		c.partUsers = make(map[BlockID]int)
		c.base.roots.Scan(func(t root) bool {
			if t.contents.shared {
				t.contents.blocks.Scan(func(r *blockRef) bool {
					for _, part := range r.parts() {
						c.partUsers[part.ID]++
					}
					return true
				})
				c.yield()
			}
			return true
		})
	}
	return func(r *blockRef) bool {
		return slices.ContainsFunc(r.parts(), func(part BlockInfo) bool { return c.partUsers[part.ID] > 1 })
	}
}

// unused returns the blocks that no table has any more, each once.
func (s *shares) unused(refs []*blockRef) (unused []*blockRef) {
	seen := make(map[*blockRef]bool, len(refs))
	for _, r := range refs {
		if s.users[r] == 0 && !seen[r] {
			seen[r] = true
			unused = append(unused, r)
		}
	}
	return unused
}

// sharesPrefix begins the row keys of the catalog's entities that list blocks.
// They sort before all others.
const (
	sharesPrefix = "blocks/"
	sharesBlocks = "Blocks"
)

// isShares reports whether a key belongs to a list of blocks.
func isShares(k odata.Key) bool {
	return k.PartitionKey == "" && strings.HasPrefix(k.RowKey, sharesPrefix)
}

// entities returns the catalog's entities that list blocks, in key order.
func (s *shares) entities() []*odata.Entity {
	list := make([]*odata.Entity, len(s.tables))
	for i, t := range s.tables {
		var ids []BlockID
		t.contents.blocks.Scan(func(r *blockRef) bool {
			ids = r.appendIDs(ids)
			return true
		})
		slices.Sort(ids)
		list[i] = &odata.Entity{RowKey: fmt.Sprintf("%s%010d", sharesPrefix, t.id), Properties: []odata.Property{
			{Name: tableID, Value: odata.Int64Value(int64(t.id))},
			{Name: sharesBlocks, Value: odata.BinaryValue(appendAscending(nil, ids))},
		}}
	}
	return list
}

// appendAscending appends ascending identities, each as the difference to the one
// before.
func appendAscending(b []byte, ids []BlockID) []byte {
	last := BlockID(0)
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return b
}

func readAscending(b []byte) (ids []BlockID, err error) {
	r := encoding.NewReader(string(b))
	last := BlockID(0)
	for r.Len() > 0 && !r.Failed() {
		last += BlockID(r.Uvarint())
		ids = append(ids, last)
	}
	return ids, r.End()
}

// sharedBlocks are the lists of blocks in the catalog.
type sharedBlocks struct {
	tables map[TableID][]BlockInfo // the listed blocks in the directory, corrupt ones too
	listed map[BlockID]bool
	refs   map[BlockID]*blockRef // by their newest part, which no two have in common
}

func (s *sharedBlocks) has(id BlockID) bool { return s.listed[id] }

// readShares takes the lists of blocks out of the catalog.
func (l *loader) readShares() {
	c := l.v.contents(catalogID)
	var lists []*odata.Entity
	c.changes.Ascend(pivot(odata.Key{RowKey: sharesPrefix}), func(e *odata.Entity) bool {
		if !isShares(e.Key()) {
			return false
		}
		lists = append(lists, e)
		return true
	})
	if len(lists) == 0 {
		return
	}
	infos := make(map[BlockID]BlockInfo)
	for _, blocks := range l.blocks {
		for _, info := range blocks {
			infos[info.ID] = info
		}
	}
	l.shared = sharedBlocks{make(map[TableID][]BlockInfo), make(map[BlockID]bool), make(map[BlockID]*blockRef)}
	for _, e := range lists {
		c.changes.Delete(e)
		list, _ := e.Property(sharesBlocks)
		ids, err := readAscending([]byte(list.Text()))
		if err != nil {
			err = fmt.Errorf("%w: list of blocks %s: %w", ErrCorrupt, e.RowKey, err)
			l.db.quarantine.add(Corruption{Kind: CorruptMeta, Err: err})
		}
		of := []BlockInfo{}
		for _, id := range ids {
			l.shared.listed[id] = true
			if info, ok := infos[id]; ok {
				of = append(of, info)
				continue
			}
			err := fmt.Errorf("%w: block %d is missing", ErrCorrupt, id)
			l.db.quarantine.add(l.v.corruptBlock(BlockInfo{ID: id, Table: tableIDOf(e)}, err))
			l.unsure = true
		}
		l.shared.tables[tableIDOf(e)] = of
	}
	c.count = c.changes.Len()
}

// sharedRefs returns the blocks that the catalog lists for a table. A block with any
// corrupt part is in quarantine; other tables may have it without that part.
func (l *loader) sharedRefs(id TableID) (refs []*blockRef, ok bool) {
	infos, ok := l.shared.tables[id]
	for _, ref := range l.refs(infos) {
		id := ref.newest()
		if l.shared.refs[id] == nil {
			l.shared.refs[id] = ref
			if slices.ContainsFunc(ref.parts(), l.isCorrupt) {
				l.corrupt = append(l.corrupt, ref)
			}
		}
		refs = append(refs, l.shared.refs[id])
	}
	return refs, ok
}

// assignLostShares gives each table that shares blocks the blocks that the catalog
// lists for it, and the blocks that it has written since. Its other blocks were replaced,
// or are those of a table whose list is lost, and are kept as evidence.
func (l *loader) assignLostShares() {
	w := &l.db.writer
	of := make(map[TableID][]BlockInfo)
	for id, infos := range l.shared.tables {
		of[id] = infos
		for _, info := range l.blocks[id] {
			switch {
			case info.ID > l.listedIn[id]:
				of[id] = append(of[id], info)
			case l.shared.has(info.ID):
			case l.lostShares:
				w.corrupt = append(w.corrupt, info.ID)
			default:
				w.stale = append(w.stale, info.ID)
			}
		}
	}
	for id, infos := range l.blocks {
		if l.v.contents(id) == nil {
			l.blocks[id] = slices.DeleteFunc(infos, func(i BlockInfo) bool { return l.shared.has(i.ID) })
		}
	}
	for id, infos := range of {
		l.blocks[id] = infos
	}
}
