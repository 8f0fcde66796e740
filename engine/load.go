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

// load reads the directory, the catalog and the log into the current version.
// Blocks of other tables are read when somebody wants them.
func (db *DB) load() error {
	directory, err := db.storage.Load()
	if err != nil {
		return fmt.Errorf("%w: load: %w", ErrStorage, err)
	}
	l := loader{db: db, v: newVersion(), directory: directory, blocks: make(map[TableID][]BlockInfo)}
	// Nobody has the DB yet.
	db.current.Store(l.v)
	for _, step := range []func() error{l.meta, l.sort, l.catalog, l.tables, l.log} {
		if err := step(); err != nil {
			return fmt.Errorf("%w: load: %w", ErrStorage, err)
		}
	}
	return nil
}

// loader builds the first version of a DB, which nobody sees before it is
// done.
type loader struct {
	db        *DB
	v         *version
	directory Directory
	blocks    map[TableID][]BlockInfo // that belong to the store
	// lostMeta tells that nobody knows which record of the log is the first,
	// nor which blocks are the last of their tables.
	lostMeta bool
	// unsure tells that the log does not say which puts are of new entities:
	// something of it is missing, or something that it was written over.
	unsure bool
}

// report sets something aside; only a format that is newer than this program
// is an error.
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
		return l.report(Corruption{Kind: CorruptMeta}, err)
	}
	l.v.seq, l.v.stamp, l.v.nextTable = m.seq, odata.DateTime(m.stamp), m.nextTable
	l.db.writer.meta, l.db.writer.corrupt = m, m.corrupt
	l.db.checkpointed.Store(m.stamp)
	return nil
}

// sort tells the blocks that belong to the store from those that do not.
func (l *loader) sort() error {
	w := &l.db.writer
	not := make(map[BlockID]bool)
	for _, id := range w.meta.garbage {
		not[id] = true
	}
	damaged := make(map[BlockID]bool)
	for _, id := range w.corrupt {
		damaged[id] = true
	}
	w.next = w.meta.nextBlock
	for _, info := range l.directory.Blocks {
		w.next = max(w.next, info.ID+1)
		switch {
		case info.Table == asideTable && (l.lostMeta || info.ID < w.meta.nextBlock):
			l.reportAside(info)
		case damaged[info.ID]:
			l.unsure = true
			l.blocks[asideTable] = append(l.blocks[asideTable], info)
		case not[info.ID] || info.ID >= w.meta.nextBlock && !l.lostMeta:
			w.stale = append(w.stale, info.ID)
		default:
			l.blocks[info.Table] = append(l.blocks[info.Table], info)
		}
	}
	w.meta.garbage, w.meta.corrupt = nil, nil
	return nil
}

// reportAside reports a record of the log that an earlier DB set aside.
func (l *loader) reportAside(info BlockInfo) {
	seq, _ := strconv.ParseUint(info.First.RowKey, 10, 64)
	err := fmt.Errorf("%w: kept as block %d", ErrCorrupt, info.ID)
	l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: seq, Err: err})
	l.db.writer.evidence = append(l.db.writer.evidence, info.ID)
}

// catalog reads the catalog, whole.
func (l *loader) catalog() (err error) {
	l.db.writer.catalog, err = l.readAll(catalogID)
	return err
}

// readAll makes changes of all entities that a table has in blocks, and
// returns those that could be read. Where blocks overlap, the youngest has it.
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
			continue
		}
		sound = append(sound, info.ID)
		for i := range b.Len() {
			e := b.Entity(i)
			c.changes.Set(e)
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
	for _, info := range l.blocks[asideTable] {
		if l.isMissed(info) {
			l.db.quarantine.add(l.v.corruptBlock(info, fmt.Errorf("%w: found before", ErrCorrupt)))
		}
	}
	if l.lostMeta {
		return l.readTables()
	}
	l.reportStrays()
	return nil
}

// isMissed reports whether a block that was found damaged before is still part
// of something: that of a table that was deleted since is not, unless nobody
// knows which tables there were.
func (l *loader) isMissed(info BlockInfo) bool {
	ofCatalog := func(b BlockInfo) bool { return b.Table == catalogID }
	return l.lostMeta || l.v.contents(info.Table) != nil || slices.ContainsFunc(l.blocks[asideTable], ofCatalog)
}

// readTables is for a store in which nobody knows which blocks were replaced:
// all are read, and the next checkpoint writes all anew.
func (l *loader) readTables() error {
	w := &l.db.writer
	for _, id := range slices.Sorted(maps.Keys(l.blocks)) {
		switch {
		case id == catalogID || id == asideTable:
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
	l.reportStrays()
	return nil
}

// reportStrays reports blocks of tables that the catalog does not have.
func (l *loader) reportStrays() {
	for _, id := range slices.Sorted(maps.Keys(l.blocks)) {
		if l.v.contents(id) != nil || id == asideTable {
			continue
		}
		for _, info := range l.blocks[id] {
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
	if !l.lostMeta {
		infos := l.blocks[id]
		slices.SortFunc(infos, func(a, b BlockInfo) int { return a.First.Compare(b.First) })
		refs := make([]blockRef, len(infos))
		for i, info := range infos {
			refs[i].BlockInfo = info
			c.blocks.Load(&refs[i])
			c.count += info.Count
		}
	}
	l.v.roots.Set(root{id, c})
}

// corruptBlock describes the loss of a block, and whose it is.
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

// log does again what was committed since the checkpoint.
func (l *loader) log() error {
	s := &l.db.wal
	expected := l.v.seq + 1
	for i, record := range l.directory.WAL {
		if record.Seq < expected {
			continue // of a storage that drops the log after the rest of a checkpoint
		}
		if i > 0 || !l.lostMeta {
			l.missing(expected, record.Seq)
		}
		expected = record.Seq + 1
		// A damaged record's number is not used again: it is evidence.
		l.v.seq = record.Seq
		s.size += len(record.Data) + recordCost
		s.records++
		c, err := decodeWALRecord(record.Data, record.Seq)
		if err != nil {
			if err := l.report(Corruption{Kind: CorruptRecord, Seq: record.Seq}, err); err != nil {
				return err
			}
			l.unsure = true
			l.db.writer.aside = append(l.db.writer.aside, record)
			continue
		}
		whole, err := l.replay(c)
		if err != nil {
			return err
		}
		if !whole {
			l.db.writer.aside = append(l.db.writer.aside, record)
		}
	}
	return nil
}

// missing reports the records from one number up to another.
func (l *loader) missing(from, to uint64) {
	if from < to {
		l.unsure = true
		err := fmt.Errorf("%w: %d records of the log are missing", ErrCorrupt, to-from)
		l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: from, Err: err})
	}
}

// replay does a record again, and reports false where it changed tables that
// are not in the catalog: nothing else has these entities, so the record is kept.
func (l *loader) replay(c commitRecord) (whole bool, err error) {
	l.v.stamp = max(l.v.stamp, c.stamp)
	lost := 0
	for _, e := range c.entries {
		found, err := l.replayEntry(e, l.unsure)
		if err != nil {
			return false, err
		}
		if !found {
			lost++
		}
	}
	if lost > 0 {
		err := fmt.Errorf("%w: %d changes are to tables that are not in the catalog", ErrCorrupt, lost)
		l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: c.seq, Err: err})
	}
	return lost == 0, nil
}

// replayEntry reports false where the entry's table is not there, because a
// record before this one was lost. It reads a block only when it has to look
// whether an entity is new.
func (l *loader) replayEntry(e entry, look bool) (found bool, err error) {
	c := l.v.contents(e.table)
	if c == nil {
		return e.kind == entryDrop, nil
	}
	s := &l.db.wal
	s.catalogChanged = s.catalogChanged || e.table == catalogID
	if e.kind == entryDrop {
		if e.table != catalogID {
			s.noteDropped(c)
			l.v.roots.Delete(root{id: e.table})
		}
		return true, nil
	}
	if look {
		if e.kind, err = l.look(c, e); err != nil {
			return false, err
		}
	}
	switch {
	case e.table == catalogID && e.kind == entryDelete:
		c.remove(e.key)
	case e.table == catalogID && e.entity != nil:
		c.changes.Set(e.entity)
		l.catalogEntry(e.entity)
	case e.kind == entryInsert:
		c.replay(e.entity, 1)
	case e.kind == entryPut:
		c.replay(e.entity, 0)
	case e.kind == entryDelete:
		c.replay(tombstone(e.key), -1)
	}
	return true, nil
}

// entryNothing is a delete of what is not there.
const entryNothing = 0

// look returns the kind of an entry, after looking for its entity.
func (l *loader) look(c *contents, e entry) (byte, error) {
	key := e.key
	if e.entity != nil {
		key = e.entity.Key()
	}
	tx := newReadTx(l.v, l.db.cache, l.db.clock)
	_, err := tx.find(c, key)
	switch {
	case err == nil && e.entity != nil:
		return entryPut, nil
	case err == nil:
		return entryDelete, nil
	case err != ErrEntityNotFound:
		return 0, err
	case e.entity != nil:
		return entryInsert, nil
	}
	return entryNothing, nil
}
