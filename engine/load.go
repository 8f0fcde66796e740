package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sandtable/odata"
)

// loadBatch is how many bytes of blocks are asked for at once.
const loadBatch = 4 << 20

// load reads the store into the current version.
func (db *DB) load() error {
	directory, err := db.storage.Load()
	if err != nil {
		return fmt.Errorf("%w: load: %w", ErrStorage, err)
	}
	l := loader{db: db, v: newVersion(), directory: directory}
	for _, step := range []func() error{l.meta, l.blocks, l.log} {
		if err := step(); err != nil {
			return fmt.Errorf("%w: load: %w", ErrStorage, err)
		}
	}
	db.current.Store(l.v)
	return nil
}

// loader builds the first version of a DB, which nobody sees before it is
// done.
type loader struct {
	db        *DB
	v         *version
	directory Directory
	// lostMeta tells that nobody knows which record of the log is the first.
	lostMeta bool
}

// report sets something aside; only a format that is newer than this program
// is an error.
func (l *loader) report(d Damage, cause error) error {
	if errors.Is(cause, ErrFormat) || !errors.Is(cause, ErrDamaged) {
		return fmt.Errorf("%s: %w", d, cause)
	}
	d.Err = cause
	l.db.damage = append(l.db.damage, d)
	return nil
}

func (l *loader) meta() error {
	if l.directory.Meta == nil {
		return nil
	}
	m, err := decodeMeta(l.directory.Meta)
	if err != nil {
		l.lostMeta = true
		return l.report(Damage{Kind: DamagedMeta}, err)
	}
	l.v.seq, l.v.stamp, l.v.nextTable = m.seq, odata.DateTime(m.stamp), m.nextTable
	l.db.saved.nextBlock = max(l.db.saved.nextBlock, m.nextBlock)
	return nil
}

// blocks reads all blocks, those of the catalog first, so that damage in
// others can be named.
func (l *loader) blocks() error {
	infos := slices.DeleteFunc(slices.Clone(l.directory.Blocks), l.reportAside)
	slices.SortFunc(infos, func(a, b BlockInfo) int {
		if a.Table != b.Table {
			return int(int64(a.Table) - int64(b.Table))
		}
		return a.First.Compare(b.First)
	})
	for len(infos) > 0 {
		n, size := 0, 0
		for n < len(infos) && size < loadBatch && infos[n].Table == infos[0].Table {
			size += infos[n].Size
			n++
		}
		if err := l.readBlocks(infos[:n]); err != nil {
			return err
		}
		if infos[0].Table == catalogID && (n == len(infos) || infos[n].Table != catalogID) {
			l.addTables()
		}
		infos = infos[n:]
	}
	return nil
}

// reportAside reports a record of the log that an earlier DB set aside.
func (l *loader) reportAside(info BlockInfo) bool {
	if info.Table != asideTable {
		return false
	}
	seq, _ := strconv.ParseUint(info.First.RowKey, 10, 64)
	err := fmt.Errorf("%w: kept as block %d", ErrDamaged, info.ID)
	l.db.damage = append(l.db.damage, Damage{Kind: DamagedRecord, Seq: seq, Err: err})
	l.db.saved.nextBlock = max(l.db.saved.nextBlock, info.ID+1)
	return true
}

// addTables gives every table of the catalog a tree.
func (l *loader) addTables() {
	l.v.tree(catalogID).Scan(func(e *odata.Entity) bool {
		l.catalogEntry(e)
		return true
	})
}

func (l *loader) catalogEntry(e *odata.Entity) {
	if !isTable(e) {
		return
	}
	id := tableIDOf(e)
	l.v.nextTable = max(l.v.nextTable, id+1)
	if l.v.tree(id) == nil {
		l.v.roots.Set(root{id, newTree()})
	}
}

func (l *loader) readBlocks(infos []BlockInfo) error {
	ids := make([]BlockID, len(infos))
	for i, info := range infos {
		ids[i] = info.ID
		l.db.saved.nextBlock = max(l.db.saved.nextBlock, info.ID+1)
	}
	texts, err := l.db.storage.ReadBlocks(ids)
	switch {
	case errors.Is(err, ErrBlockNotFound) && len(ids) == 1:
		return l.report(l.named(Damage{Kind: DamagedBlock, Block: infos[0]}), fmt.Errorf("%w: %w", ErrDamaged, err))
	case errors.Is(err, ErrBlockNotFound):
		return l.readEach(infos)
	case err != nil:
		return err
	}
	for i, info := range infos {
		if err := l.addBlock(info, texts[i]); err != nil {
			return err
		}
	}
	return nil
}

// readEach finds out which of the blocks is not there.
func (l *loader) readEach(infos []BlockInfo) error {
	for i := range infos {
		if err := l.readBlocks(infos[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) addBlock(info BlockInfo, text []byte) error {
	t := l.v.tree(info.Table)
	if t == nil {
		err := fmt.Errorf("%w: table %d is not in the catalog", ErrDamaged, info.Table)
		return l.report(Damage{Kind: DamagedBlock, Block: info}, err)
	}
	entities, err := decodeBlock(text, info)
	if err != nil {
		return l.report(l.named(Damage{Kind: DamagedBlock, Block: info}), err)
	}
	for _, e := range entities {
		t.Load(e)
		l.v.stamp = max(l.v.stamp, e.Timestamp)
	}
	l.db.saved.own(info)
	return nil
}

// named fills in whose block it is.
func (l *loader) named(d Damage) Damage {
	l.v.tree(catalogID).Scan(func(e *odata.Entity) bool {
		if isTable(e) && tableIDOf(e) == d.Block.Table {
			d.Account, d.Table = e.PartitionKey, tableNameOf(e)
		}
		return d.Table == ""
	})
	return d
}

// log does again what was committed since the checkpoint.
func (l *loader) log() error {
	expected := l.v.seq + 1
	for i, record := range l.directory.Log {
		if record.Seq < expected {
			continue // of a storage that drops the log after the rest of a checkpoint
		}
		if i > 0 || !l.lostMeta {
			l.missing(expected, record.Seq)
		}
		expected = record.Seq + 1
		// A damaged record's number is not used again: it is evidence.
		l.v.seq = record.Seq
		l.db.saved.logSize += len(record.Data) + recordCost
		c, err := decodeLogRecord(record.Data, record.Seq)
		if err != nil {
			if err := l.report(Damage{Kind: DamagedRecord, Seq: record.Seq}, err); err != nil {
				return err
			}
			l.db.saved.aside = append(l.db.saved.aside, record)
			continue
		}
		l.replay(c)
	}
	return nil
}

// missing reports the records from one number up to another.
func (l *loader) missing(from, to uint64) {
	if from < to {
		err := fmt.Errorf("%w: %d records of the log are missing", ErrDamaged, to-from)
		l.db.damage = append(l.db.damage, Damage{Kind: DamagedRecord, Seq: from, Err: err})
	}
}

func (l *loader) replay(c commitRecord) {
	l.v.stamp = max(l.v.stamp, c.stamp)
	lost := 0
	for _, e := range c.entries {
		if !l.replayEntry(e) {
			lost++
		}
	}
	if lost > 0 {
		err := fmt.Errorf("%w: %d changes are to tables that are not in the catalog", ErrDamaged, lost)
		l.db.damage = append(l.db.damage, Damage{Kind: DamagedRecord, Seq: c.seq, Err: err})
	}
}

// replayEntry reports false where the entry's table is not there, because a
// record before this one was lost.
func (l *loader) replayEntry(e entry) bool {
	t := l.v.tree(e.table)
	if t == nil {
		return e.kind == entryDrop
	}
	l.db.saved.changed(e.table)
	switch e.kind {
	case entryPut:
		t.Set(e.entity)
		if e.table == catalogID {
			l.catalogEntry(e.entity)
		}
	case entryDelete:
		t.Delete(pivot(e.key))
	case entryDrop:
		l.v.roots.Delete(root{id: e.table})
	}
	return true
}
