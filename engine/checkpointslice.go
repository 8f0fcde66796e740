package engine

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
)

// turnTime is about how long a checkpoint works before it yields, for platforms with
// a single thread. It may finish another block first.
const turnTime = 2 * time.Millisecond

// checkpoint writes a version, in slices: the blocks that have changes, merged
// with them (merge.go), and the catalog. The last slice puts all of them into use;
// until then the WAL is unchanged. Updates continue meanwhile.
type checkpoint struct {
	db      *DB
	base    *version
	catalog bool         // it has changed
	dropped []*blockTree // of tables that were dropped since the last checkpoint

	tables      map[TableID]*contents // with their new blocks, and the changes that were reapplied
	reapplied   int                   // commits since the checkpoint began
	replaced    []*blockRef
	patched     map[*blockRef]*blockRef // blocks in replaced that only got another delta
	corrupt     []*blockRef             // of replaced
	miscounts   bool                    // tables may have wrong counts until the next checkpoint
	catalogs    []BlockID               // the catalog's new blocks
	written     []BlockID               // new blocks that may be in the storage
	writtenSize int                     // bytes of written, without the catalog
	puts        []Block                 // the next slice
	putsSize    int
	shares      shares    // of the tables as they will be
	slice       int       // the size of a full slice
	turn        time.Time // when this turn began
	taken       int       // changes that were merged so far

	compact   *compaction     // nil for none
	partUsers map[BlockID]int // of a compaction: how many tables have a part of a block; nil until it is needed
	done      chan error      // gets the outcome; may be nil
}

// put adds a block to the slice, and writes a full slice. After a checkpoint in doubt
// everything is written at once: a slice repeats the metadata of the last checkpoint,
// and it is unknown which one that is.
func (c *checkpoint) put(b Block) error {
	c.puts = append(c.puts, b)
	c.putsSize += b.Size
	c.writtenSize += b.Size
	w := &c.db.writer
	if c.putsSize < c.slice || w.inDoubt {
		if time.Since(c.turn) >= turnTime {
			c.yield()
		}
		return nil
	}
	c.yield() // the storage is about to work, too
	m := w.meta
	m.garbage, m.corrupt = w.garbage(), w.corrupt
	c.db.queue.lead()
	err := c.save(Checkpoint{Seq: m.seq, Puts: c.puts, Meta: m.encode()})
	c.db.wal.running.written = c.taken
	c.db.queue.handOver(nil)
	c.puts, c.putsSize, c.turn = nil, 0, time.Now()
	return err
}

// save writes a slice, and notes its blocks unless there was no space.
func (c *checkpoint) save(slice Checkpoint) error {
	err := c.db.saveCheckpoint(slice)
	if !errors.Is(err, ErrNoSpace) {
		for _, b := range slice.Puts {
			c.written = append(c.written, b.ID)
		}
	}
	return err
}

// yield lets other goroutines and events run. The checkpoint must not lead.
func (c *checkpoint) yield() {
	c.db.yield()
	c.turn = time.Now()
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

// deleteAtOnce returns how many blocks are deleted at once. In IndexedDB it is as many
// as a slice writes: deleting takes about as long as writing, and updates wait
// meanwhile. In files a deletion is only a number in a commit.
func deleteAtOnce() int {
	if runtime.GOARCH == "wasm" {
		return 16
	}
	return math.MaxInt
}

// deleteStale deletes the blocks that no reader pins. Failed deletions are left to the
// next checkpoint. While the last checkpoint is in doubt, all are: the blocks that it
// wrote may be in use. The caller leads.
func (db *DB) deleteStale() {
	w := &db.writer
	if w.inDoubt {
		return
	}
	for len(w.freed()) > 0 {
		all := w.stale
		n := min(deleteAtOnce(), len(all))
		w.stale = all[n:]
		m := w.meta
		m.garbage, m.corrupt = w.garbage(), w.corrupt
		if db.saveCheckpoint(Checkpoint{Seq: m.seq, Deletes: all[:n], Meta: m.encode(), Shrinks: true}) != nil {
			w.stale = all
			return
		}
		if len(w.stale) > 0 {
			db.queue.handOver(nil)
			db.queue.lead()
		}
	}
}
