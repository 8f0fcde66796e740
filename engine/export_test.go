package engine

// SetSlice has checkpoints write slices of another size. It is for a DB that
// nothing was written to yet.
func (db *DB) SetSlice(bytes int) { db.writer.slice = bytes }

// Settle waits for the checkpoint that is under way.
func (db *DB) Settle() { settle(db) }

// CacheBytes returns how many bytes of blocks are in memory.
func (db *DB) CacheBytes() int {
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	return db.cache.bytes
}
