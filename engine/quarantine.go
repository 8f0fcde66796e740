package engine

import (
	"fmt"
	"slices"
	"sync"

	"sandtable/odata"
)

// quarantine lists the corruption that was found. A block in quarantine reads as
// empty.
type quarantine struct {
	current func() *version
	notify  func(Corruption) // Options.OnCorruption; nil while the store is being opened

	// mu also keeps a checkpoint from replacing blocks while one of them is put
	// into quarantine.
	mu     sync.Mutex
	found  []Corruption
	blocks []*blockRef // found corrupt by this DB; writer.corrupt has blocks found earlier
}

// add puts something into quarantine that is not a block.
func (q *quarantine) add(c Corruption) {
	q.mu.Lock()
	q.found = append(q.found, c)
	q.mu.Unlock()
	if q.notify != nil {
		q.notify(c)
	}
}

// addBlock puts an unreadable block into quarantine. It returns false for a block
// that has been replaced: then no data is lost, and only readers of an older version
// are affected.
func (q *quarantine) addBlock(r *blockRef, cause error) bool {
	c, inUse := q.lockBlock(r, cause)
	if c != nil && q.notify != nil {
		q.notify(*c)
	}
	return inUse
}

// lockBlock returns nil for a block that is in quarantine already.
func (q *quarantine) lockBlock(r *blockRef, cause error) (c *Corruption, inUse bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.corrupt.Load() {
		return nil, true
	}
	v := q.current()
	info, used := r.BlockInfo, r.detached
	if !used {
		if info.Table, used = v.user(r); !used {
			return nil, false
		}
	}
	found := v.corruptBlock(info, cause)
	q.put(r, found)
	return &found, true
}

// put adds a block. The caller holds mu.
func (q *quarantine) put(r *blockRef, found Corruption) {
	r.corrupt.Store(true)
	q.found, q.blocks = append(q.found, found), append(q.blocks, r)
}

// restore puts a block of a version into quarantine that an earlier DB found corrupt.
func (q *quarantine) restore(v *version, r *blockRef) {
	info := r.BlockInfo
	if id, ok := v.user(r); ok {
		info.Table = id
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(r, v.corruptBlock(info, errFoundEarlier))
}

// errFoundEarlier is the cause of corruption that an earlier DB found.
var errFoundEarlier = fmt.Errorf("%w: found earlier", ErrCorrupt)

// replace publishes a version in which other blocks replace these. A replaced block
// leaves the quarantine, since its entities are in the new blocks, unless it was
// already corrupt when the checkpoint read it. A block that got another delta stays
// in quarantine with it. It reports whether one left: entities that were written to it
// meanwhile count as new, although the new blocks have some of them.
func (q *quarantine) replace(replaced []*blockRef, patched map[*blockRef]*blockRef, publish func()) (left bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	publish()
	for _, r := range replaced {
		if !r.corrupt.Load() || r.evidence {
			continue
		}
		if next := patched[r]; next != nil {
			next.corrupt.Store(true)
			if i := slices.Index(q.blocks, r); i >= 0 {
				q.blocks[i] = next
			}
			continue
		}
		left = true
		r.corrupt.Store(false)
		q.found = slices.DeleteFunc(q.found, func(c Corruption) bool { return c.Kind == CorruptBlock && c.Block.ID == r.ID })
		q.blocks = slices.DeleteFunc(q.blocks, func(other *blockRef) bool { return other == r })
	}
	return left
}

// blockIDs returns the blocks that this DB found corrupt.
func (q *quarantine) blockIDs() []BlockID {
	q.mu.Lock()
	defer q.mu.Unlock()
	var ids []BlockID
	for _, r := range q.blocks {
		ids = r.appendIDs(ids)
	}
	return ids
}

// count returns how many entities of a table are readable at least, and whether some
// are in quarantine.
func (q *quarantine) count(id TableID, c *contents) (n int, atLeast bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = c.count
	for _, r := range q.blocks {
		if c.has(r) {
			n -= r.Count
			atLeast = true
		}
	}
	ofTable := func(c Corruption) bool { return c.Kind == CorruptBlock && c.Block.Table == id }
	return max(n, 0), atLeast || slices.ContainsFunc(q.found, ofTable)
}

// of returns the corruption of a table's blocks, each once.
func (q *quarantine) of(id TableID, c *contents) (found []Corruption) {
	q.mu.Lock()
	defer q.mu.Unlock()
	has := make(map[BlockID]bool)
	for _, r := range q.blocks {
		if c.has(r) {
			has[r.ID] = true
		}
	}
	for _, d := range q.found {
		if d.Kind == CorruptBlock && (d.Block.Table == id || has[d.Block.ID]) {
			found = append(found, d)
			delete(has, d.Block.ID)
		}
	}
	return found
}

// clear empties the quarantine.
func (q *quarantine) clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.found, q.blocks = nil, nil
}

// corruptBlock describes a corrupt block and names its table.
func (v *version) corruptBlock(info BlockInfo, cause error) Corruption {
	d := Corruption{Kind: CorruptBlock, Block: info, Err: cause}
	if info.Table == catalogID {
		return d
	}
	v.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		if isTable(e) && tableIDOf(e) == info.Table {
			d.Account, d.Table = e.PartitionKey, tableNameOf(e)
		}
		return d.Table == ""
	})
	return d
}
