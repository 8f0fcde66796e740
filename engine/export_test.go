package engine

import "context"

// SetSlice changes the size of checkpoint slices. The DB must be unwritten.
func (db *DB) SetSlice(bytes int) { db.writer.slice = bytes }

// CompactBy is [DB.Compact] with checkpoints that merge about so many bytes.
func (db *DB) CompactBy(ctx context.Context, bytes int, progress func(Usage)) (before, after Usage, err error) {
	return db.compact(ctx, bytes, progress)
}

// Settle waits for the current checkpoint.
func (db *DB) Settle() { settle(db) }

// CacheBytes returns the size of the blocks in memory.
func (db *DB) CacheBytes() int {
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	return db.cache.bytes
}
