package engine

import (
	"context"
	"fmt"
	"slices"
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

// Compact checkpoints the WAL, merges underfull blocks, and deletes blocks that
// are no longer in use. Reads and writes continue meanwhile. Corrupt blocks stay, and
// so do blocks that are pinned by readers. The context can end it between steps;
// after each step it calls progress, unless that is nil. It returns the usage
// before and after. The error is the context's, [ErrClosed], or wraps
// [ErrStorage]; the store is consistent in any case.
//
// The storage's files may stay as large as before: see filestorage.Compact.
func (db *DB) Compact(ctx context.Context, progress func(Usage)) (before, after Usage, err error) {
	if before, err = db.usage(); err != nil {
		return before, before, err
	}
	after = before
	// The first step merges the WAL into blocks, which may leave some underfull.
	for step, more := 1, true; more || step <= 2; step++ {
		if err := ctx.Err(); err != nil {
			return before, after, err
		}
		if more, err = db.compactSome(ctx); err != nil {
			return before, after, err
		}
		if after, err = db.usage(); err != nil {
			return before, after, err
		}
		if progress != nil {
			progress(after)
		}
	}
	return before, after, nil
}

// compactSome runs a checkpoint that merges some blocks, and reports whether there
// may be more.
func (db *DB) compactSome(ctx context.Context) (more bool, err error) {
	if err := db.queue.leadExclusive(ctx); err != nil {
		return false, err
	}
	orphans, err := db.orphans()
	if err != nil {
		db.queue.handOver(nil)
		return false, err
	}
	db.writer.stale = append(db.writer.stale, orphans...)
	done := make(chan error, 1)
	c := db.startCheckpoint(mergeAtOnce, done)
	db.queue.handOver(nil)
	if err := <-done; err != nil {
		return false, fmt.Errorf("%w: checkpoint: %w", ErrStorage, err)
	}
	return c.compacted > 0, nil
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
