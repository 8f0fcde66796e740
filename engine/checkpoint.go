package engine

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"time"

	"sandtable/engine/internal/block"
	"sandtable/odata"
)

// recordCost is what reading one record of the log costs beside its bytes, in
// bytes: the cost of many small ones is in their number.
const recordCost = 256

// longestLog is how long a log may become, in bytes, however much a checkpoint
// has to write: some 10,000 inserts, which are done again in a tenth of a
// second in a browser.
const longestLog = 4 << 20

// mostRecords is how many records the log may have, however short they are,
// before a checkpoint is made of it.
const mostRecords = 4096

// sliceSize is about how many bytes of blocks a checkpoint writes at once, at
// most. Updates wait for one slice, not for the checkpoint.
const sliceSize = 512 << 10

// shortestSlice returns how many it writes at least. In a browser all else waits,
// too, while a slice is handed over; natively a slice is paid for with a sync.
func shortestSlice() int {
	if runtime.GOARCH == "wasm" {
		return sliceSize / 4
	}
	return sliceSize
}

// directoryEntry is about how many bytes a block has in a directory.
const directoryEntry = 48

// turnTime is about how long a checkpoint works before it lets others have their
// turn, where one thread does everything: a block more can be on top of it.
const turnTime = 2 * time.Millisecond

// saved is what the leader knows about the log.
type saved struct {
	after   int // Options.CheckpointAfter
	logSize int // bytes of the log, with recordCost for each record
	records int // of the log
	wait    int // after a checkpoint that failed: the log's size for the next try
	look    int // the log's size from which it is worth asking whether to write one

	idleAfter time.Duration // Options.IdleAfter
	watched   bool          // somebody looks whether the store is idle
	failed    int           // checkpoints in a row

	catalog bool         // it has changed since the last checkpoint
	dropped []*blockTree // of tables that went since
	writing bool         // a checkpoint is under way; since it began:
	since   []op
	size    int // of the log as it began
	old     int // records in it
	toFold  int // changes
	written int // of these, as of the last slice
}

// note takes account of a commit that is about to be seen.
func (s *saved) note(before *version, ops []op, size int) {
	s.logSize += size + recordCost
	s.records++
	if s.writing {
		s.since = append(s.since, ops...)
	}
	for i := range ops {
		s.noteTable(before, ops[i].table, ops[i].kind == TableDeleted, ops[i].dropped)
	}
}

func (s *saved) noteTable(before *version, id TableID, drops bool, dropped TableID) {
	if id == catalogID {
		s.catalog = true
	}
	if drops {
		if c := before.contents(dropped); c != nil && c.blocks.Len() > 0 {
			s.dropped = append(s.dropped, c.blocks)
		}
	}
}

// due reports whether a checkpoint is worth it: the log is long, and long
// beside the blocks that would be written anew, so that a byte of the log is
// paid for with at most four of blocks, unless it would become too long.
func (s *saved) due(v *version) bool {
	switch {
	case s.after < 0 || s.writing || s.logSize < s.wait:
		return false
	case s.logSize >= max(longestLog, s.after) || s.records >= mostRecords:
		return true
	case s.logSize < max(s.after, s.look):
		return false
	case s.logSize >= v.affected()/4:
		return true
	}
	s.look = s.logSize + s.logSize/4
	return false
}

// full reports whether the log has become as long as it may be while a
// checkpoint is under way that will shorten it: updates wait for that, so that
// whoever opens the store next has no more to do again than twice a long log.
func (s *saved) full() bool {
	return s.writing &&
		(s.logSize >= s.allowed(s.size, 2*max(longestLog, s.after)) || s.records >= s.allowed(s.old, 2*mostRecords))
}

// allowed returns how much the log may have of what it had when the checkpoint
// began, and may have most of at its end. Half of the rest is there at once; the
// other half comes with the slices, so that one that writes without a break waits
// for each slice a little, and not in the end for all of the checkpoint.
func (s *saved) allowed(begun, most int) int {
	rest := most - begun
	if rest <= 0 || s.toFold == 0 {
		return most
	}
	return begun + rest/2 + int(float64(rest/2)*float64(s.written)/float64(s.toFold))
}

// idleLog is how long a log has to be for a checkpoint when the store is idle:
// a shorter one is done again in a few milliseconds.
const idleLog = 64 << 10

// longestPatience is how often the time doubles after which an idle store is
// seen to, when checkpoints fail: from half a second to a minute.
const longestPatience = 7

// watchIdle has somebody look, after a while, whether anything was written
// since. After checkpoints that failed it takes longer each time: there may be
// room again although nobody writes. The caller leads.
func (db *DB) watchIdle() {
	s := &db.saved
	if s.after < 0 || s.idleAfter < 0 || s.watched || s.writing || !db.hasUpkeep() {
		return
	}
	s.watched = true
	seq := db.current.Load().seq
	time.AfterFunc(s.idleAfter<<min(s.failed, longestPatience), func() { db.whenIdle(seq) })
}

// hasUpkeep reports whether an idle store is worth a checkpoint: its log is
// long, or there are blocks to be deleted, such as those of a table that went,
// or the last one failed.
func (db *DB) hasUpkeep() bool {
	s := &db.saved
	return s.logSize >= idleLog || len(s.dropped) > 0 || s.failed > 0 || db.writer.hasGarbage()
}

// whenIdle makes a checkpoint if the last record of the log is still the one
// with this number.
func (db *DB) whenIdle(seq uint64) {
	db.acquire()
	defer db.resign(nil)
	s := &db.saved
	s.watched = false
	switch {
	case db.closed.Load() || s.writing:
	case db.current.Load().seq != seq, !db.canTidy():
		db.watchIdle()
	default:
		db.beginCheckpoint()
		db.watchIdle()
	}
}

// canTidy reports whether a checkpoint would find more to do than blocks that
// are still being read.
func (db *DB) canTidy() bool {
	s := &db.saved
	return s.logSize >= idleLog || len(s.dropped) > 0 || s.failed > 0 || len(db.writer.freed()) > 0
}

// writer is what a checkpoint knows about the storage.
type writer struct {
	meta     meta // of the last checkpoint, less its garbage
	next     BlockID
	catalog  []BlockID // the catalog's blocks
	corrupt  []BlockID // kept, and not read
	stale    []BlockID // belong to nothing that anybody reads
	eras     []*era    // that are over, and have garbage
	aside    []WALRecord
	evidence []BlockID // of damage: kept, and nobody's
	slice    int       // shortestSlice
	doubtful bool      // nobody knows whether the last checkpoint is there
}

func newWriter() writer {
	return writer{meta: meta{nextTable: catalogID + 1, nextBlock: 1}, next: 1, slice: shortestSlice()}
}

// sliceOf returns how long the slices of a checkpoint are: twice as long as the
// directory, which a storage may write with each.
func (w *writer) sliceOf(v *version) int {
	return max(w.slice, min(2*directoryEntry*v.blocks(), sliceSize))
}

// id returns a new block's.
func (w *writer) id() BlockID {
	w.next++
	return w.next - 1
}

// asideTable is no table: its blocks are records of the log that could not be
// read, or not be done again as a whole, kept as they were found when a
// checkpoint dropped the log. The row key of the directory's First is the
// record's number.
const asideTable TableID = math.MaxUint32

// asideBlocks returns the records that are set aside as blocks.
func (w *writer) asideBlocks() []Block {
	blocks := make([]Block, len(w.aside))
	for i, r := range w.aside {
		first := odata.Key{RowKey: strconv.FormatUint(r.Seq, 10)}
		info := BlockInfo{ID: w.id(), Table: asideTable, First: first, Size: len(r.Data)}
		blocks[i] = Block{BlockInfo: info, Data: r.Data}
	}
	return blocks
}

// garbage returns the blocks that are in the storage and belong to nothing.
func (w *writer) garbage() []BlockID {
	ids := append([]BlockID(nil), w.stale...)
	for _, e := range w.eras {
		ids = append(ids, e.garbage...)
	}
	return ids
}

// hasGarbage reports whether there are blocks to be deleted, now or later.
func (w *writer) hasGarbage() bool {
	if len(w.stale) > 0 {
		return true
	}
	for _, e := range w.eras {
		if len(e.garbage) > 0 {
			return true
		}
	}
	return false
}

// freed returns the garbage of eras that nobody reads any more, which is then
// stale.
func (w *writer) freed() []BlockID {
	for len(w.eras) > 0 && w.eras[0].readers.Load() == 0 {
		w.stale = append(w.stale, w.eras[0].garbage...)
		w.eras = w.eras[1:]
	}
	return w.stale
}

// checkpoint writes a version: the blocks that have changes, folded together
// with them, in slices, and the catalog. Only the last slice makes the others
// count; until then the log is as it was. Updates go on meanwhile.
type checkpoint struct {
	db      *DB
	base    *version
	catalog bool
	dropped []*blockTree

	folded   []root // with the new blocks, and nothing else
	replaced []*blockRef
	corrupt  []*blockRef // of these
	catalogs []BlockID   // the catalog's blocks
	written  []BlockID   // all of them
	puts     []Block
	size     int       // of puts
	slice    int       // what it is to become
	turn     time.Time // when this turn began
	taken    int       // changes

	merge  int        // how many bytes of half-empty blocks to merge
	merged int        // how many blocks that was
	done   chan error // gets the outcome; nil for nobody
}

// beginCheckpoint is for the leader. It leaves it to whoever waits to lead
// alone: that one is next, and begins one.
func (db *DB) beginCheckpoint() {
	db.mu.Lock()
	wanted := len(db.alone) > 0
	db.mu.Unlock()
	if !wanted {
		db.begin(0, nil)
	}
}

func (db *DB) begin(merge int, done chan error) *checkpoint {
	s := &db.saved
	c := &checkpoint{
		db: db, base: db.current.Load(), catalog: s.catalog, dropped: s.dropped,
		merge: merge, done: done,
	}
	c.slice = db.writer.sliceOf(c.base)
	s.writing, s.since, s.size, s.old, s.catalog, s.dropped = true, nil, s.logSize, s.records, false, nil
	s.toFold, s.written = c.base.unfolded(), 0
	db.mu.Lock()
	db.writing = true
	db.mu.Unlock()
	go c.run()
	return c
}

func (c *checkpoint) run() {
	db := c.db
	c.makeRoom()
	c.turn = time.Now()
	err := c.fold()
	c.pause()
	db.acquire()
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		c.giveUp()
	}
	db.noteOutcome(err)
	s := &db.saved
	s.writing = false
	s.since = nil
	db.mu.Lock()
	db.writing = false
	db.idle.Broadcast()
	db.mu.Unlock()
	if err == nil && s.due(db.current.Load()) {
		db.beginCheckpoint()
	}
	db.watchIdle()
	db.resign(nil)
	if c.done != nil {
		c.done <- err
	}
}

// noteOutcome takes account of how a checkpoint ended. The caller leads.
func (db *DB) noteOutcome(err error) {
	s := &db.saved
	if err == nil {
		s.failed = 0
		db.failing.Store(nil)
		return
	}
	s.failed++
	f := &CheckpointFailure{Err: err, Since: odata.DateTimeOf(db.clock()), Attempts: s.failed}
	if before := db.failing.Load(); before != nil {
		f.Since = before.Since
	}
	db.failing.Store(f)
}

// makeRoom deletes what earlier checkpoints had to leave, before this one needs
// more.
func (c *checkpoint) makeRoom() {
	c.db.acquire()
	defer c.db.resign(nil)
	c.free()
}

// giveUp leaves everything for another checkpoint: the log is still there. So
// may be what was written, which is deleted at once: where there is no room,
// the next one has not less of it. Its identities are not used again.
func (c *checkpoint) giveUp() {
	s := &c.db.saved
	s.catalog = s.catalog || c.catalog
	s.dropped = append(c.dropped, s.dropped...)
	s.wait = s.logSize + max(s.after, 1)
	c.db.writer.stale = append(c.db.writer.stale, c.written...)
	c.free()
}

// put adds a block, and writes what there is when it is enough. After a
// checkpoint of which nobody knows whether it happened, all is written at
// once: a slice repeats the text beside the blocks, and there are two that may
// be there.
func (c *checkpoint) put(b Block) error {
	c.puts = append(c.puts, b)
	c.written = append(c.written, b.ID)
	c.size += b.Size
	w := &c.db.writer
	if c.size < c.slice || w.doubtful {
		c.breathe()
		return nil
	}
	c.pause() // the storage has much to do, too
	m := w.meta
	m.garbage, m.corrupt = w.garbage(), w.corrupt
	c.db.acquire()
	err := c.db.saveCheckpoint(Checkpoint{Seq: m.seq, Puts: c.puts, Meta: m.encode()})
	c.db.saved.written = c.taken
	c.db.resign(nil)
	c.puts, c.size, c.turn = nil, 0, time.Now()
	return err
}

// breathe lets others have their turn when this one was long.
func (c *checkpoint) breathe() {
	if time.Since(c.turn) >= turnTime {
		c.pause()
	}
}

// pause lets others have their turn. The checkpoint must not lead.
func (c *checkpoint) pause() {
	c.db.yield()
	c.turn = time.Now()
}

// finish writes the last slice and makes the version with the new blocks the
// current one. The caller leads.
func (c *checkpoint) finish() error {
	w := &c.db.writer
	if c.catalog {
		c.putCatalog()
	}
	garbage := c.garbage()
	for _, id := range c.db.quarantine.blockIDs() {
		// One that was lost after it had been read is garbage like others.
		if !slices.Contains(w.corrupt, id) && !slices.Contains(garbage, id) {
			w.corrupt = append(w.corrupt, id)
		}
	}
	puts := append(c.puts, w.asideBlocks()...)
	for _, b := range puts[len(c.puts):] {
		c.written = append(c.written, b.ID)
	}
	m := meta{seq: c.base.seq, stamp: int64(c.base.stamp), nextTable: c.base.nextTable, nextBlock: w.next}
	full := m
	full.garbage, full.corrupt = append(w.garbage(), garbage...), w.corrupt
	err := c.db.saveCheckpoint(Checkpoint{Seq: m.seq, Puts: puts, Meta: full.encode()})
	if err != nil {
		w.doubtful = w.doubtful || !errors.Is(err, ErrNoSpace)
		return err
	}
	for _, b := range puts[len(c.puts):] {
		w.evidence = append(w.evidence, b.ID)
	}
	w.meta, w.aside, w.doubtful = m, nil, false
	c.db.checkpointed.Store(m.stamp)
	if c.catalog {
		w.catalog = c.catalogs
	}
	w.eras = append(w.eras, c.publish(garbage))
	c.free()
	return nil
}

// putCatalog writes the catalog anew; it is small.
func (c *checkpoint) putCatalog() {
	var b block.Builder
	flush := func() {
		if b.Len() > 0 {
			id := c.db.writer.id()
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

// garbage returns what the checkpoint makes superfluous.
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
		// One that is damaged stays: perhaps somebody can make something of it.
		// Unless its table was deleted: then nobody misses it.
		if !slices.Contains(c.corrupt, r) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// publish makes the new blocks those of the current version, beside which
// stands only what has changed since the checkpoint began. It returns the era
// that ends with it.
func (c *checkpoint) publish(garbage []BlockID) *era {
	db, s := c.db, &c.db.saved
	now := db.current.Load()
	v := now.next()
	v.era = new(era)
	folded := make(map[TableID]bool, len(c.folded))
	for _, f := range c.folded {
		folded[f.id] = true
		if now.contents(f.id) == nil {
			s.dropped = append(s.dropped, f.contents.blocks)
			continue
		}
		v.roots.Set(f)
	}
	for i := range s.since {
		o := &s.since[i]
		if table := v.contents(o.table); folded[o.table] && table != nil {
			table.apply(o, nil)
		}
	}
	now.era.garbage = garbage
	db.quarantine.replace(c.replaced, c.corrupt, func() { db.current.Store(v) })
	s.logSize -= s.size
	s.records -= s.old
	s.wait, s.look = 0, 0
	db.cache.forget(c.replaced)
	return now.era
}

// freeAtOnce is how many blocks are deleted at once: as many as a slice writes,
// since IndexedDB takes about as long for either, and updates wait for it.
const freeAtOnce = 16

// free deletes what nobody reads any more. What fails, or is still read, is
// left for the next checkpoint; so is everything while nobody knows whether the
// last one is there, since what it wrote may be what counts.
func (c *checkpoint) free() {
	w := &c.db.writer
	if w.doubtful {
		return
	}
	for len(w.freed()) > 0 {
		some := w.stale[:min(freeAtOnce, len(w.stale))]
		rest := w.stale[len(some):]
		all := w.stale
		w.stale = rest
		m := w.meta
		m.garbage, m.corrupt = w.garbage(), w.corrupt
		if c.db.saveCheckpoint(Checkpoint{Seq: m.seq, Deletes: some, Meta: m.encode()}) != nil {
			w.stale = all
			return
		}
		if len(rest) > 0 {
			c.db.resign(nil)
			c.db.acquire()
		}
	}
}

// saveCheckpoint treats a storage that panics as one that fails.
func (db *DB) saveCheckpoint(c Checkpoint) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return db.storage.Checkpoint(c)
}
