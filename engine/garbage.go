package engine

import (
	"maps"
	"slices"
)

// garbage returns the blocks that the next version no longer uses: blocks of the
// catalog, and blocks of tables, of which size is the total.
func (c *checkpoint) garbage(next *version) (ids []BlockID, size int) {
	if c.catalog {
		ids = append(ids, c.db.writer.catalog...)
	}
	seen := make(map[*blockTree]bool) // clones have the same tree
	for _, blocks := range c.dropped {
		if seen[blocks] {
			continue
		}
		seen[blocks] = true
		blocks.Scan(func(r *blockRef) bool {
			c.replaced = append(c.replaced, r)
			return true
		})
	}
	c.replaced = c.shares.unused(c.replaced)
	free := make(map[BlockID]int) // their sizes
	for _, r := range c.replaced {
		// A corrupt block is kept as evidence, unless its table was dropped.
		if !r.evidence && !slices.Contains(c.corrupt, r) {
			for _, part := range r.parts() {
				free[part.ID] = part.Size
			}
		}
	}
	if len(free) == 0 {
		return ids, 0
	}
	// Parts may still be in use: a block with a new delta keeps the parts of the
	// block it replaces, and tables that share the block may have it without the delta.
	c.eachStored(next, func(r *blockRef) {
		for _, part := range r.parts() {
			delete(free, part.ID)
		}
	})
	for _, n := range free {
		size += n
	}
	return append(ids, slices.Sorted(maps.Keys(free))...), size
}

// eachStored visits the blocks that the checkpoint stores: the blocks of the next
// version, and of tables that were dropped since the checkpoint began.
func (c *checkpoint) eachStored(next *version, visit func(*blockRef)) {
	seen := make(map[*blockTree]bool) // clones have the same tree
	in := func(table *contents) {
		if table.blocks != nil && !seen[table.blocks] {
			seen[table.blocks] = true
			table.blocks.Scan(func(r *blockRef) bool {
				visit(r)
				return true
			})
		}
	}
	next.roots.Scan(func(t root) bool {
		in(t.contents)
		return true
	})
	c.base.roots.Scan(func(t root) bool {
		if next.contents(t.id) == nil {
			in(c.merged(t))
		}
		return true
	})
}

// corruptIDs returns the corrupt blocks that the storage keeps. A block that became
// corrupt after the checkpoint had read it is garbage. If another table has a readable
// block with some of the same parts, only the other parts are corrupt.
func (c *checkpoint) corruptIDs(next *version, garbage []BlockID) []BlockID {
	ids := slices.Clone(c.db.writer.corrupt)
	found := c.db.quarantine.blockIDs()
	for r, patched := range c.patched {
		if r.corrupt.Load() {
			found = patched.appendIDs(found)
		}
	}
	if len(found) == 0 {
		return ids
	}
	sound := c.soundParts(next)
	for _, id := range found {
		if !sound[id] && !slices.Contains(ids, id) && !slices.Contains(garbage, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// soundParts returns the parts of all blocks that are not in quarantine.
func (c *checkpoint) soundParts(next *version) map[BlockID]bool {
	// A corrupt block that got another delta joins the quarantine only when it is published.
	corrupt := make(map[*blockRef]bool)
	for r, patched := range c.patched {
		corrupt[patched] = r.corrupt.Load()
	}
	sound := make(map[BlockID]bool)
	c.eachStored(next, func(r *blockRef) {
		if !r.corrupt.Load() && !corrupt[r] {
			for _, part := range r.parts() {
				sound[part.ID] = true
			}
		}
	})
	return sound
}
