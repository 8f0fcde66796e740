package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// beginCheckpoint begins a checkpoint, unless a caller of leadExclusive is waiting,
// which will begin one. The caller leads.
func (db *DB) beginCheckpoint() {
	if !db.queue.exclusiveWaits() {
		db.startCheckpoint(nil, nil)
	}
}

// startCheckpoint begins a checkpoint that also merges some blocks of a compaction, nil
// for none. The caller leads.
func (db *DB) startCheckpoint(compact *compaction, done chan error) {
	s := &db.wal
	c := &checkpoint{
		db: db, base: db.current.Load(), catalog: s.catalogChanged, dropped: s.dropped,
		tables: make(map[TableID]*contents), patched: make(map[*blockRef]*blockRef), compact: compact, done: done,
	}
	c.slice = db.writer.sliceOf(c.base)
	s.running = runningCheckpoint{on: true, size: s.size, records: s.records, changes: c.base.changes()}
	s.catalogChanged, s.dropped = false, nil
	db.queue.beginCheckpoint()
	go c.run()
}

func (c *checkpoint) run() {
	db := c.db
	// Delete what earlier checkpoints had to keep, before this one needs space.
	db.queue.lead()
	db.deleteStale()
	db.queue.handOver(nil)
	c.turn = time.Now()
	err := c.mergeTables()
	if err == nil {
		c.findShares()
		c.catchUp()
	}
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
	if err == nil && (c.miscounts || s.due(db.current.Load())) {
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

// abandon ends a failed checkpoint. Nothing is lost: the WAL still has all changes,
// and the next checkpoint retries. Blocks that may have been written are deleted at
// once, to free their space. Blocks refused for lack of space were not written, and
// deleting them would only use up the space that the storage reserves for
// deletions. No identity is reused.
func (c *checkpoint) abandon() {
	s := &c.db.wal
	s.catalogChanged = s.catalogChanged || c.catalog
	s.dropped = append(c.dropped, s.dropped...)
	s.retryAt = s.size + max(s.checkpointAfter, 1)
	c.db.writer.stale = append(c.db.writer.stale, c.written...)
	c.db.deleteStale()
}

// finish writes the last slice and publishes the version with the new blocks.
// The caller leads.
func (c *checkpoint) finish() error {
	w := &c.db.writer
	if c.catalog {
		c.putCatalog()
	}
	v, dropped := c.nextVersion()
	garbage, unused := c.garbage(v)
	corrupt := c.corruptIDs(v, garbage)
	quarantined := w.quarantinedBlocks()
	m := meta{seq: c.base.seq, stamp: int64(c.base.stamp), nextTable: c.base.nextTable, nextBlock: w.next}
	full := m
	full.garbage, full.corrupt = append(w.garbage(), garbage...), corrupt
	err := c.save(Checkpoint{
		Seq: m.seq, Puts: append(c.puts, quarantined...), Meta: full.encode(), Shrinks: c.writtenSize <= unused,
	})
	if err != nil {
		w.inDoubt = w.inDoubt || !errors.Is(err, ErrNoSpace)
		return err
	}
	for _, b := range quarantined {
		w.evidence = append(w.evidence, b.ID)
	}
	if w.inDoubt {
		// Verify may be reading what the checkpoint in doubt wrote.
		garbage, w.stale = append(garbage, w.stale...), nil
	}
	w.meta, w.corrupt, w.quarantined, w.missing, w.inDoubt = m, corrupt, nil, 0, false
	c.db.checkpointed.Store(m.stamp)
	if c.catalog {
		w.catalog = c.catalogs
	}
	c.db.wal.dropped = append(c.db.wal.dropped, dropped...)
	w.epochs = append(w.epochs, c.publish(v, garbage))
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
			c.catalogs = append(c.catalogs, id)
		}
	}
	add := func(e *odata.Entity) bool {
		b.Add(e)
		if b.Size() >= block.TargetSize {
			flush()
		}
		return true
	}
	for _, e := range c.shares.entities() {
		add(e)
	}
	c.base.contents(catalogID).changes.Scan(add)
	flush()
}

// nextVersion returns a version with the new blocks and the changes since the
// checkpoint began, and the merged blocks of tables that were dropped since.
func (c *checkpoint) nextVersion() (v *version, dropped []*blockTree) {
	now := c.db.current.Load()
	v = now.next()
	v.epoch = new(epoch)
	for _, ops := range c.db.wal.running.since[c.reapplied:] {
		c.reapply(ops)
	}
	for id, table := range c.tables {
		if now.contents(id) == nil {
			dropped = append(dropped, table.blocks)
		} else {
			v.roots.Set(root{id, table})
		}
	}
	return v, dropped
}

// publish makes the next version current. It returns the epoch that ends.
func (c *checkpoint) publish(v *version, garbage []BlockID) *epoch {
	db, s := c.db, &c.db.wal
	now := db.current.Load()
	now.epoch.garbage = garbage
	for _, r := range c.corrupt {
		r.evidence = true
	}
	c.miscounts = db.quarantine.replace(c.replaced, c.patched, func() { db.current.Store(v) })
	s.add(-s.running.size, -s.running.records)
	s.retryAt, s.lookAt = 0, 0
	db.cache.replace(c.replaced, c.patched)
	return now.epoch
}

// fewChanges is how many changes the leader applies at once at the end of a
// checkpoint, which takes less than turnTime.
const fewChanges = 500

// catchUp applies the changes since the checkpoint began to the merged tables, while
// updates continue, until few are left for finish. It stops when it makes no
// progress: updates then wait for finish.
func (c *checkpoint) catchUp() {
	for left := math.MaxInt; ; {
		c.db.queue.lead()
		since := c.db.wal.running.since[c.reapplied:]
		c.db.queue.handOver(nil)
		n := 0
		for _, ops := range since {
			n += len(ops)
		}
		if n <= fewChanges || n >= left {
			return
		}
		left = n
		for _, ops := range since {
			c.reapply(ops)
			if time.Since(c.turn) >= turnTime {
				c.yield()
			}
		}
	}
}

// reapply applies the changes of a commit to the merged tables, and to their clones
// made meanwhile.
func (c *checkpoint) reapply(ops []op) {
	for i := range ops {
		o := &ops[i]
		if table := c.tables[o.table]; table != nil {
			table.apply(o, nil)
		}
		if from := c.tables[o.cloned]; o.cloned != 0 && from != nil {
			c.tables[tableIDOf(o.after)] = from.share()
		}
	}
	c.reapplied++
}

// idleWALSize is how long the WAL has to be, in bytes, for a checkpoint of an
// idle store: a shorter one is replayed in a few milliseconds.
const idleWALSize = 64 << 10

// maxIdleBackoff is how often the idle time doubles while checkpoints fail: from
// half a second to a minute.
const maxIdleBackoff = 7

// watchIdle starts a timer for a checkpoint if nothing is written until it
// fires. After failed checkpoints it takes longer each time: space may have been
// freed although there are no writes. The caller leads.
func (db *DB) watchIdle() {
	s := &db.wal
	if s.checkpointAfter < 0 || s.idleAfter < 0 || s.idleTimer || s.running.on || !db.hasMaintenance() {
		return
	}
	s.idleTimer = true
	seq := db.current.Load().seq
	time.AfterFunc(s.idleAfter<<min(s.failed, maxIdleBackoff), func() { db.idleSince(seq) })
}

// hasMaintenance reports whether an idle store is worth a checkpoint, now or
// when replaced blocks are no longer pinned by readers.
func (db *DB) hasMaintenance() bool { return db.needsCheckpoint() || db.writer.hasGarbage() }

func (db *DB) needsCheckpoint() bool {
	s := &db.wal
	return s.size >= idleWALSize || len(s.dropped) > 0 || s.failed > 0
}

// idleSince begins a checkpoint if nothing was written after this record.
func (db *DB) idleSince(seq uint64) {
	db.queue.lead()
	defer db.queue.handOver(nil)
	s := &db.wal
	s.idleTimer = false
	if db.queue.closed.Load() || s.running.on {
		return
	}
	if db.current.Load().seq == seq && (db.needsCheckpoint() || len(db.writer.freed()) > 0) {
		db.beginCheckpoint()
	}
	db.watchIdle()
}

// ForgetCorruption discards everything in quarantine, for a store that was emptied
// on purpose: [DB.Corruption] returns nothing, and a checkpoint that it starts
// deletes the blocks from the storage. If that fails, or the program ends first, the
// next opening lists the corruption again. It waits for a running checkpoint.
func (db *DB) ForgetCorruption() error {
	if err := db.queue.leadExclusive(context.Background()); err != nil {
		return err
	}
	defer db.queue.handOver(nil)
	w := &db.writer
	w.stale = append(w.stale, w.corrupt...)
	w.stale = append(w.stale, w.evidence...)
	for _, id := range db.quarantine.blockIDs() {
		if !slices.Contains(w.corrupt, id) {
			w.stale = append(w.stale, id)
		}
	}
	db.quarantine.clear()
	w.corrupt, w.evidence, w.quarantined, w.missing = nil, nil, nil, 0
	db.startCheckpoint(nil, nil)
	return nil
}
