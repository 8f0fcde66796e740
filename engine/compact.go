package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sandtable/odata"
)

// mergeAtOnce is how many bytes of underfull blocks one checkpoint of a compaction
// merges. The storage needs that much extra space meanwhile.
const mergeAtOnce = 16 << 20

// Usage is the size of what is stored.
type Usage struct {
	Blocks  int // including garbage that is not deleted yet
	Bytes   int64
	Records int // of the WAL
}

// String returns it in words.
func (u Usage) String() string {
	return fmt.Sprintf("%d blocks and %d WAL records (%.1f MB)", u.Blocks, u.Records, float64(u.Bytes)/1e6)
}

// compaction is one pass over the blocks of all tables. Each of its checkpoints merges
// some and leaves the others to the next one. So it ends, whatever is written meanwhile.
type compaction struct {
	table  TableID   // the pass has come to this table,
	key    odata.Key // and in it to the block of this key
	budget int       // about how many bytes the checkpoint may still merge; some are left at the end of the pass
}

// Mergeable is an estimate of what a compaction would gain.
type Mergeable struct {
	Blocks int   // that it would merge, not counting those that changes in the WAL leave underfull
	Bytes  int64 // that it would free, if all entities of a block had the same size
}

// Mergeable estimates what [DB.Compact] would gain now. It looks at the block directory
// alone, which takes a few milliseconds for millions of entities, and longer with many
// snapshots.
func (db *DB) Mergeable() (m Mergeable) {
	c := checkpoint{db: db, base: db.current.Load(), compact: &compaction{budget: math.MaxInt}}
	c.base.roots.Scan(func(r root) bool {
		if r.contents.blocks == nil {
			return true
		}
		for _, run := range c.mergeCandidates(r) {
			m.Blocks += len(run)
			for _, ref := range run {
				first := ref.parts()[0]
				m.Bytes += max(0, int64(ref.Size)-int64(ref.Count)*int64(first.Size)/max(1, int64(first.Count)))
			}
		}
		m.Bytes += r.contents.deletedBytes(c.sharing(r.contents))
		return true
	})
	return m
}

// Compact checkpoints the WAL, merges underfull blocks, and deletes blocks that
// are no longer in use. Reads and writes continue meanwhile; what such writes leave
// underfull may stay so. Corrupt blocks stay, and so do blocks that readers pin.
// The context can end it between steps; after each step it calls progress, unless that
// is nil. It returns the usage before and after. The error is the context's,
// [ErrClosed], or wraps [ErrStorage]; the store is consistent in any case.
//
// The storage's files may stay as large as before: see filestorage.Compact.
func (db *DB) Compact(ctx context.Context, progress func(Usage)) (before, after Usage, err error) {
	return db.compact(ctx, mergeAtOnce, progress)
}

func (db *DB) compact(ctx context.Context, budget int, progress func(Usage)) (before, after Usage, err error) {
	if before, err = db.usage(); err != nil {
		return before, before, err
	}
	after = before
	// The first step only merges the WAL into blocks, which may leave some underfull.
	c := compaction{}
	for more := true; more; c.budget = budget {
		if err := ctx.Err(); err != nil {
			return before, after, err
		}
		if err := db.compactSome(ctx, &c); err != nil {
			return before, after, err
		}
		more = c.budget <= 0
		if after, err = db.usage(); err != nil {
			return before, after, err
		}
		if progress != nil {
			progress(after)
		}
	}
	return before, after, nil
}

// compactSome runs the next checkpoint of a compaction.
func (db *DB) compactSome(ctx context.Context, c *compaction) error {
	if err := db.queue.leadExclusive(ctx); err != nil {
		return err
	}
	orphans, err := db.orphans()
	if err != nil {
		db.queue.handOver(nil)
		return err
	}
	db.writer.stale = append(db.writer.stale, orphans...)
	done := make(chan error, 1)
	db.startCheckpoint(c, done)
	db.queue.handOver(nil)
	if err := <-done; err != nil {
		return fmt.Errorf("%w: checkpoint: %w", ErrStorage, err)
	}
	return nil
}

// orphans returns the blocks that are not in the directory. The caller leads.
func (db *DB) orphans() (orphans []BlockID, err error) {
	l, ok := db.storage.(blockLister)
	if !ok {
		return nil, nil
	}
	d, err := loadDirectory(db.storage)
	if err != nil {
		return nil, err
	}
	ids, err := l.BlockIDs()
	if err != nil {
		return nil, fmt.Errorf("%w: list blocks: %w", ErrStorage, err)
	}
	known := make(map[BlockID]bool, len(d.Blocks))
	for _, info := range d.Blocks {
		known[info.ID] = true
	}
	for _, id := range ids {
		if !known[id] && !slices.Contains(db.writer.stale, id) {
			orphans = append(orphans, id)
		}
	}
	return orphans, nil
}

// usage measures what is stored.
func (db *DB) usage() (u Usage, err error) {
	db.queue.lead()
	defer db.queue.handOver(nil)
	if db.queue.closed.Load() {
		return Usage{}, ErrClosed
	}
	d, err := loadDirectory(db.storage)
	if err != nil {
		return Usage{}, err
	}
	for _, info := range d.Blocks {
		u.Blocks++
		u.Bytes += int64(info.Size)
	}
	for _, record := range d.WAL {
		u.Records++
		u.Bytes += int64(len(record.Data))
	}
	return u, nil
}
