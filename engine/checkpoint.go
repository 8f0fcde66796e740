package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// turnTime is about how long a checkpoint works before it yields, where one
// thread does everything. Another block can come on top of it.
const turnTime = 2 * time.Millisecond

// asideTable is no table: its blocks are WAL records that could not be read, or
// not be replayed completely, kept as they were found when a checkpoint
// truncated the WAL. The row key of the directory's First is the record's
// number.
const asideTable TableID = math.MaxUint32

// checkpoint writes a version, in slices: the blocks that have changes, merged
// with them (merge.go), and the catalog. Only the last slice puts the others
// into use; until then the WAL is as it was. Updates go on meanwhile.
type checkpoint struct {
	db      *DB
	base    *version
	catalog bool         // it has changed
	dropped []*blockTree // of tables that were dropped since the last checkpoint

	merged   []root // tables, with their new blocks and without changes
	replaced []*blockRef
	corrupt  []*blockRef // of replaced
	catalogs []BlockID   // the catalog's new blocks
	written  []BlockID   // all new blocks
	puts     []Block     // the next slice
	putsSize int
	slice    int       // the size of a full slice
	turn     time.Time // when this turn began
	taken    int       // changes that were merged so far

	compact   int        // how many bytes of underfull blocks to merge
	compacted int        // how many blocks that was
	done      chan error // gets the outcome; may be nil
}

// beginCheckpoint begins a checkpoint, unless somebody waits to lead exclusively
// and will begin one. The caller leads.
func (db *DB) beginCheckpoint() {
	if !db.queue.exclusiveWaits() {
		db.startCheckpoint(0, nil)
	}
}

// startCheckpoint begins a checkpoint that also merges about this many bytes of
// underfull blocks. The caller leads.
func (db *DB) startCheckpoint(compact int, done chan error) *checkpoint {
	s := &db.wal
	c := &checkpoint{
		db: db, base: db.current.Load(), catalog: s.catalogChanged, dropped: s.dropped,
		compact: compact, done: done,
	}
	c.slice = db.writer.sliceOf(c.base)
	s.running = runningCheckpoint{on: true, size: s.size, records: s.records, changes: c.base.changes()}
	s.catalogChanged, s.dropped = false, nil
	db.queue.beginCheckpoint()
	go c.run()
	return c
}

func (c *checkpoint) run() {
	db := c.db
	// Delete what earlier checkpoints had to keep, before this one needs space.
	db.queue.lead()
	db.deleteStale()
	db.queue.handOver(nil)
	c.turn = time.Now()
	err := c.mergeTables()
	c.yield()
	db.queue.lead()
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		c.abandon()
	}
	db.noteOutcome(err)
	s := &db.wal
	s.running = runningCheckpoint{}
	db.queue.endCheckpoint()
	if err == nil && s.due(db.current.Load()) {
		db.beginCheckpoint()
	}
	db.watchIdle()
	db.queue.handOver(nil)
	if c.done != nil {
		c.done <- err
	}
}

// noteOutcome records how a checkpoint ended. The caller leads.
func (db *DB) noteOutcome(err error) {
	s := &db.wal
	if err == nil {
		s.failed = 0
		db.failing.Store(nil)
		return
	}
	s.failed++
	f := &CheckpointFailure{Err: err, Since: odata.DateTimeOf(db.clock()), Attempts: s.failed}
	if first := db.failing.Load(); first != nil {
		f.Since = first.Since
	}
	db.failing.Store(f)
}

// abandon leaves everything to another checkpoint: the WAL is still there. Blocks
// that may have been written are deleted at once, so that the next one has as
// much space. Their identities are not used again.
func (c *checkpoint) abandon() {
	s := &c.db.wal
	s.catalogChanged = s.catalogChanged || c.catalog
	s.dropped = append(c.dropped, s.dropped...)
	s.retryAt = s.size + max(s.checkpointAfter, 1)
	c.db.writer.stale = append(c.db.writer.stale, c.written...)
	c.db.deleteStale()
}

// put adds a block to the slice, and writes a full one. After a checkpoint in
// doubt everything is written at once: a slice repeats the metadata, of which
// two may be in the storage.
func (c *checkpoint) put(b Block) error {
	c.puts = append(c.puts, b)
	c.written = append(c.written, b.ID)
	c.putsSize += b.Size
	w := &c.db.writer
	if c.putsSize < c.slice || w.inDoubt {
		if time.Since(c.turn) >= turnTime {
			c.yield()
		}
		return nil
	}
	c.yield() // the storage is going to work, too
	m := w.meta
	m.garbage, m.corrupt = w.garbage(), w.corrupt
	c.db.queue.lead()
	err := c.db.saveCheckpoint(Checkpoint{Seq: m.seq, Puts: c.puts, Meta: m.encode()})
	c.db.wal.running.written = c.taken
	c.db.queue.handOver(nil)
	c.puts, c.putsSize, c.turn = nil, 0, time.Now()
	return err
}

// yield lets others have their turn. The checkpoint must not lead.
func (c *checkpoint) yield() {
	c.db.yield()
	c.turn = time.Now()
}

// finish writes the last slice and publishes the version with the new blocks.
// The caller leads.
func (c *checkpoint) finish() error {
	w := &c.db.writer
	if c.catalog {
		c.putCatalog()
	}
	garbage := c.garbage()
	corrupt := c.corruptIDs(garbage)
	aside := w.asideBlocks()
	for _, b := range aside {
		c.written = append(c.written, b.ID)
	}
	m := meta{seq: c.base.seq, stamp: int64(c.base.stamp), nextTable: c.base.nextTable, nextBlock: w.next}
	full := m
	full.garbage, full.corrupt = append(w.garbage(), garbage...), corrupt
	err := c.db.saveCheckpoint(Checkpoint{Seq: m.seq, Puts: append(c.puts, aside...), Meta: full.encode()})
	if err != nil {
		w.inDoubt = w.inDoubt || !errors.Is(err, ErrNoSpace)
		return err
	}
	for _, b := range aside {
		w.evidence = append(w.evidence, b.ID)
	}
	w.meta, w.corrupt, w.aside, w.inDoubt = m, corrupt, nil, false
	c.db.checkpointed.Store(m.stamp)
	if c.catalog {
		w.catalog = c.catalogs
	}
	w.epochs = append(w.epochs, c.publish(garbage))
	c.db.deleteStale()
	return nil
}

// putCatalog writes the catalog, which is small, as a whole.
func (c *checkpoint) putCatalog() {
	var b block.Builder
	flush := func() {
		if b.Len() > 0 {
			id := c.db.writer.newID()
			c.puts = append(c.puts, finishBlock(&b, id, catalogID))
			c.written, c.catalogs = append(c.written, id), append(c.catalogs, id)
		}
	}
	c.base.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		b.Add(e)
		if b.Size() >= block.TargetSize {
			flush()
		}
		return true
	})
	flush()
}

// garbage returns the blocks that are no longer in use with the new ones.
func (c *checkpoint) garbage() (ids []BlockID) {
	if c.catalog {
		ids = append(ids, c.db.writer.catalog...)
	}
	for _, blocks := range c.dropped {
		blocks.Scan(func(r *blockRef) bool {
			c.replaced = append(c.replaced, r)
			return true
		})
	}
	for _, r := range c.replaced {
		// A corrupt block is kept as evidence, unless its table was dropped.
		if !slices.Contains(c.corrupt, r) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// corruptIDs returns the corrupt blocks to be kept. One that became corrupt
// after the checkpoint had read it is garbage.
func (c *checkpoint) corruptIDs(garbage []BlockID) []BlockID {
	ids := slices.Clone(c.db.writer.corrupt)
	for _, id := range c.db.quarantine.blockIDs() {
		if !slices.Contains(ids, id) && !slices.Contains(garbage, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// publish makes a version with the new blocks current, whose changes are those
// since the checkpoint began. It returns the epoch that ends.
func (c *checkpoint) publish(garbage []BlockID) *epoch {
	db, s := c.db, &c.db.wal
	now := db.current.Load()
	v := now.next()
	v.epoch = new(epoch)
	merged := make(map[TableID]bool, len(c.merged))
	for _, t := range c.merged {
		merged[t.id] = true
		if now.contents(t.id) == nil {
			s.dropped = append(s.dropped, t.contents.blocks)
			continue
		}
		v.roots.Set(t)
	}
	for i := range s.running.since {
		o := &s.running.since[i]
		if table := v.contents(o.table); merged[o.table] && table != nil {
			table.apply(o, nil)
		}
	}
	now.epoch.garbage = garbage
	db.quarantine.replace(c.replaced, c.corrupt, func() { db.current.Store(v) })
	s.size -= s.running.size
	s.records -= s.running.records
	s.retryAt, s.lookAt = 0, 0
	db.cache.forget(c.replaced)
	return now.epoch
}

// saveCheckpoint turns a panic of the storage into an error.
func (db *DB) saveCheckpoint(c Checkpoint) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return db.storage.Checkpoint(c)
}
