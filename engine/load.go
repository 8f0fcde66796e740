package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"sandtable/odata"
)

// loader builds the first version of a DB.
type loader struct {
	db        *DB
	v         *version
	directory Directory
	blocks    map[TableID][]BlockInfo // in use, by the table that wrote them; under quarantineTable the corrupt ones
	shared    sharedBlocks
	listedIn  map[TableID]BlockID // the block of the catalog that has a table's list of blocks
	corrupt   []*blockRef         // of tables that share blocks, found by an earlier DB
	// lostMeta is set if the checkpoint's metadata is corrupt: then it is unknown
	// which WAL record is the first, and which blocks were replaced.
	lostMeta bool
	// lostShares is set if a corrupt block of the catalog held lists of blocks. Without
	// its list a table seems to have all blocks with its identity, even those that only a
	// snapshot still uses.
	lostShares bool
	// unsure is set if WAL records or blocks are missing: then a put may be an
	// insert, and the other way round.
	unsure bool
}

// report puts something into quarantine. A newer format is an error, and so is
// any cause but corruption.
func (l *loader) report(d Corruption, cause error) error {
	if errors.Is(cause, ErrFormat) || !errors.Is(cause, ErrCorrupt) {
		return fmt.Errorf("%s: %w", d, cause)
	}
	d.Err = cause
	l.db.quarantine.add(d)
	return nil
}

func (l *loader) meta() error {
	if l.directory.Meta == nil && len(l.directory.Blocks) == 0 {
		return nil
	}
	m, err := decodeMeta(l.directory.Meta)
	if err != nil {
		l.lostMeta, l.unsure = true, true
		l.db.wal.catalogChanged, l.db.writer.inDoubt = true, true
		return l.report(Corruption{Kind: CorruptMeta}, fmt.Errorf("%w; the newest writes may be missing", err))
	}
	l.v.seq, l.v.stamp, l.v.nextTable = m.seq, odata.DateTime(m.stamp), m.nextTable
	l.db.writer.meta, l.db.writer.corrupt = m, m.corrupt
	l.db.checkpointed.Store(m.stamp)
	return nil
}

// sort separates the blocks that are in use from the others.
func (l *loader) sort() error {
	w := &l.db.writer
	garbage := make(map[BlockID]bool)
	w.stale = w.meta.garbage // also blocks that are in no directory, of a checkpoint in doubt
	for _, id := range w.meta.garbage {
		garbage[id] = true
	}
	corrupt := make(map[BlockID]bool)
	for _, id := range w.corrupt {
		corrupt[id] = true
	}
	w.next = w.meta.nextBlock
	if n := l.directory.Missing; n > 0 {
		l.unsure = true
		w.missing = n
		l.db.quarantine.add(missing(uint64(n)))
	}
	for _, info := range l.directory.Blocks {
		w.next = max(w.next, info.ID+1)
		switch {
		case info.Table == quarantineTable && (l.lostMeta || info.ID < w.meta.nextBlock):
			l.reportQuarantined(info)
		case corrupt[info.ID]:
			l.unsure = true
			l.blocks[quarantineTable] = append(l.blocks[quarantineTable], info)
		case garbage[info.ID]:
		case info.ID >= w.meta.nextBlock && !l.lostMeta:
			w.stale = append(w.stale, info.ID)
		default:
			l.blocks[info.Table] = append(l.blocks[info.Table], info)
		}
	}
	w.meta.garbage, w.meta.corrupt = nil, nil
	return nil
}

// reportQuarantined reports what an earlier DB kept as evidence: a WAL record, or how
// many blocks were missing.
func (l *loader) reportQuarantined(info BlockInfo) {
	l.db.writer.evidence = append(l.db.writer.evidence, info.ID)
	seq, _ := strconv.ParseUint(info.First.RowKey, 10, 64)
	if info.First.PartitionKey == missingBlocks {
		l.db.quarantine.add(missing(seq))
		return
	}
	err := fmt.Errorf("%w: kept as block %d", ErrCorrupt, info.ID)
	l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: seq, Err: err})
}

// missing describes blocks that are missing in a rebuilt directory.
func missing(blocks uint64) Corruption {
	return Corruption{Kind: CorruptDirectory,
		Err: fmt.Errorf("%w: blocks are missing (%d): entities may be missing, or have older values", ErrCorrupt, blocks)}
}

// catalog reads the whole catalog.
func (l *loader) catalog() (err error) {
	l.db.writer.catalog, err = l.readAll(catalogID)
	l.readShares()
	if l.lostShares {
		l.unsure = true
		l.db.wal.catalogChanged, l.db.writer.inDoubt = true, true
	}
	return err
}

// readAll turns all blocks of a table into changes, and returns the blocks that could
// be read. Where blocks overlap, the newest wins.
func (l *loader) readAll(id TableID) (sound []BlockID, err error) {
	w, c := &l.db.writer, l.v.contents(id)
	infos := l.blocks[id]
	slices.SortFunc(infos, func(a, b BlockInfo) int { return cmp.Compare(a.ID, b.ID) })
	for _, info := range infos {
		ref := &blockRef{BlockInfo: info, gone: true, detached: true}
		b, err := l.db.cache.get(ref)
		if err != nil {
			return nil, err
		}
		if ref.corrupt.Load() {
			w.corrupt = append(w.corrupt, info.ID)
			l.lostShares = l.lostShares || id == catalogID && isShares(info.First)
			continue
		}
		sound = append(sound, info.ID)
		for i := range b.Len() {
			e := b.Entity(i)
			if e.Timestamp == deleted {
				c.changes.Delete(e)
				continue
			}
			c.changes.Set(e)
			if id == catalogID && isShares(e.Key()) {
				l.listedIn[tableIDOf(e)] = info.ID
			}
			l.v.stamp = max(l.v.stamp, e.Timestamp)
		}
	}
	c.count = c.changes.Len()
	return sound, nil
}

// tables gives every table of the catalog its blocks.
func (l *loader) tables() error {
	l.v.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		l.catalogEntry(e)
		return true
	})
	l.quarantineShared()
	corrupt, lost := groupParts(l.blocks[quarantineTable])
	for _, r := range corrupt {
		lost = append(lost, r.BlockInfo)
	}
	for _, info := range lost {
		if l.isLoss(info) {
			l.db.quarantine.add(l.v.corruptBlock(info, errFoundEarlier))
		}
	}
	if l.readsAll() {
		return l.readTables()
	}
	l.reportOrphans()
	return nil
}

// quarantineShared puts the corrupt blocks of tables that share blocks into quarantine,
// as if this DB had found them. The other corrupt blocks belong to no table any more.
func (l *loader) quarantineShared() {
	w := &l.db.writer
	known := make(map[BlockID]bool)
	for _, r := range l.corrupt {
		l.db.quarantine.restore(l.v, r)
		for _, part := range r.parts() {
			known[part.ID] = true
		}
	}
	l.blocks[quarantineTable] = slices.DeleteFunc(l.blocks[quarantineTable], func(i BlockInfo) bool { return known[i.ID] })
	w.corrupt = slices.DeleteFunc(w.corrupt, func(id BlockID) bool { return known[id] })
}

// isCorrupt reports whether an earlier DB found a block corrupt.
func (l *loader) isCorrupt(info BlockInfo) bool { return slices.Contains(l.db.writer.corrupt, info.ID) }

// isLoss reports whether a block that an earlier DB found corrupt still means
// lost data: not if its table was deleted since, unless the tables are unknown.
func (l *loader) isLoss(info BlockInfo) bool {
	ofCatalog := func(b BlockInfo) bool { return b.Table == catalogID }
	return l.lostMeta || l.v.contents(info.Table) != nil || l.shared.has(info.ID) || slices.ContainsFunc(l.blocks[quarantineTable], ofCatalog)
}

// readsAll reports whether all blocks must be read, because it is unknown which of them
// were replaced.
func (l *loader) readsAll() bool { return l.lostMeta || l.lostShares }

// readTables reads all blocks, for a store in which it is unknown which were
// replaced. The next checkpoint rewrites all of them.
func (l *loader) readTables() error {
	w := &l.db.writer
	l.assignLostShares()
	for _, id := range slices.Sorted(maps.Keys(l.blocks)) {
		switch {
		case id == catalogID || id == quarantineTable:
		case l.v.contents(id) == nil:
			for _, info := range l.blocks[id] {
				w.corrupt = append(w.corrupt, info.ID)
			}
		default:
			sound, err := l.readAll(id)
			if err != nil {
				return err
			}
			w.stale = append(w.stale, sound...)
		}
	}
	slices.Sort(w.stale)
	w.stale = slices.Compact(w.stale) // tables may have shared blocks
	l.reportOrphans()
	return nil
}

// reportOrphans reports blocks of tables that are not in the catalog.
func (l *loader) reportOrphans() {
	for _, id := range slices.Sorted(maps.Keys(l.blocks)) {
		if l.v.contents(id) != nil || id == quarantineTable {
			continue
		}
		for _, info := range l.blocks[id] {
			if l.shared.has(info.ID) {
				continue
			}
			err := fmt.Errorf("%w: table %d is not in the catalog", ErrCorrupt, info.Table)
			l.db.quarantine.add(Corruption{Kind: CorruptBlock, Block: info, Err: err})
			l.db.writer.evidence = append(l.db.writer.evidence, info.ID)
		}
	}
}

func (l *loader) catalogEntry(e *odata.Entity) {
	if !isTable(e) {
		return
	}
	id := tableIDOf(e)
	l.v.nextTable = max(l.v.nextTable, id+1)
	if l.v.contents(id) != nil {
		return
	}
	c := newContents(newBlockTree())
	if refs, ok := l.sharedRefs(id); ok && !l.readsAll() {
		c.shared = true
		for _, ref := range refs {
			c.blocks.Set(ref)
			c.count += ref.Count
		}
	} else if !l.readsAll() {
		refs := l.refs(l.blocks[id])
		slices.SortFunc(refs, func(a, b *blockRef) int { return a.First.Compare(b.First) })
		for _, ref := range refs {
			c.blocks.Load(ref)
			c.count += ref.Count
		}
	}
	l.v.roots.Set(root{id, c})
}

// refs returns blocks with their deltas, and reports deltas without a block.
func (l *loader) refs(infos []BlockInfo) []*blockRef {
	refs, lost := groupParts(infos)
	for _, info := range lost {
		err := fmt.Errorf("%w: block %d, to which it is a delta, is missing", ErrCorrupt, info.Base)
		l.db.quarantine.add(l.v.corruptBlock(info, err))
		l.db.writer.evidence = append(l.db.writer.evidence, info.ID)
		l.unsure = true
	}
	return refs
}
