package engine

import (
	"fmt"
)

// replayWAL applies the commits since the checkpoint.
func (l *loader) replayWAL() error {
	s := &l.db.wal
	expected := l.v.seq + 1
	for i, record := range l.directory.WAL {
		if record.Seq < expected {
			continue // some storages truncate the WAL after a checkpoint, not with it
		}
		if i > 0 || !l.lostMeta {
			l.reportMissing(expected, record.Seq)
		}
		expected = record.Seq + 1
		// The number of a corrupt record is not reused: the record is evidence.
		l.v.seq = record.Seq
		s.add(len(record.Data)+recordCost, 1)
		complete, err := l.replayRecord(record)
		if err != nil {
			return err
		}
		if !complete {
			l.db.writer.quarantined = append(l.db.writer.quarantined, record)
		}
	}
	return nil
}

// reportMissing reports the WAL records from one number up to another as missing.
func (l *loader) reportMissing(from, to uint64) {
	if from < to {
		l.unsure = true
		err := fmt.Errorf("%w: %d WAL records are missing", ErrCorrupt, to-from)
		l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: from, Err: err})
	}
}

// replayRecord returns false for a record that has to be kept as evidence: it is
// corrupt, or has changes to tables that are not in the catalog.
func (l *loader) replayRecord(record WALRecord) (complete bool, err error) {
	r, err := decodeWALRecord(record.Data, record.Seq)
	if err != nil {
		l.unsure = true
		return false, l.report(Corruption{Kind: CorruptRecord, Seq: record.Seq}, err)
	}
	l.v.stamp = max(l.v.stamp, r.stamp)
	lost := 0
	for _, e := range r.entries {
		found, err := l.replayEntry(e)
		if err != nil {
			return false, err
		}
		if !found {
			lost++
		}
	}
	if lost > 0 {
		err := fmt.Errorf("%w: %d changes are to tables that are not in the catalog", ErrCorrupt, lost)
		l.db.quarantine.add(Corruption{Kind: CorruptRecord, Seq: r.seq, Err: err})
	}
	return lost == 0, nil
}

// replayEntry returns false if the entry's table is missing, because an earlier
// record was lost. It reads a block only if it cannot trust the entry's kind.
func (l *loader) replayEntry(e walEntry) (found bool, err error) {
	c := l.v.contents(e.table)
	if c == nil {
		return e.kind == entryDrop, nil
	}
	if e.table == catalogID {
		l.replayCatalog(c, e)
		return true, nil
	}
	if e.kind == entryClone {
		return l.replayClone(e), nil
	}
	if e.kind == entryDrop {
		l.db.wal.noteDropped(c)
		l.v.roots.Delete(root{id: e.table})
		return true, nil
	}
	if l.unsure {
		if e.kind, err = l.actualKind(c, e); err != nil {
			return false, err
		}
	}
	switch e.kind {
	case entryInsert:
		c.replay(e.entity, 1)
	case entryPut:
		c.replay(e.entity, 0)
	case entryDelete:
		c.replay(tombstone(e.key), -1)
	}
	return true, nil
}

// replayClone returns false if the other table is missing.
func (l *loader) replayClone(e walEntry) (found bool) {
	from := l.v.contents(e.from)
	if from == nil {
		l.unsure = true // the new table lacks what later records change
		return false
	}
	l.v.roots.Set(root{e.table, from.share()})
	return true
}

func (l *loader) replayCatalog(c *contents, e walEntry) {
	l.db.wal.catalogChanged = true
	switch e.kind {
	case entryDelete:
		c.remove(e.key)
	case entryInsert, entryPut:
		c.changes.Set(e.entity)
		l.catalogEntry(e.entity)
	}
}

// entryNone is a delete of an entity that is not there.
const entryNone = 0

// actualKind returns the kind that the entry has in the recovered store.
func (l *loader) actualKind(c *contents, e walEntry) (byte, error) {
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
	return entryNone, nil
}
