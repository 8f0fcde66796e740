// Package filestorage is an [engine.Storage] in the files of a folder, for
// programs of an operating system and for Node.js.
//
// # Layout
//
// EPOCH is the number of an owner: of one opening of the store. No two owners
// make a file of the same name.
//
//	wal-EPOCH-N     the write-ahead log: a snapshot, then what came after it
//	blocks-EPOCH-N  a segment of blocks
//	owner-EPOCH     the process that has the store
//	lock            locked by it, where the operating system has locks
//	reserve         space for the time when there is no other
//	*.tmp           files that do not count: one that is being written, or the
//	                previous WAL segment, which the next one overwrites
//
// Every WAL and block file starts with a header: 8 bytes with the name of the
// format and, last, its version; 8 random ones that are the store's; 8 with the
// length that the file had when it got its name; 4 with the CRC-32C of these; and
// four zeros. Frames follow, each at a multiple of eight:
//
//	sum      4  CRC-32C of the store's random bytes, the file's number and the rest of this header
//	kind     1  record, block, commit or snapshot; three zeros follow
//	number   8  of the record or block, or the last record that a commit drops
//	length   4  of the payload
//	check    4  CRC-32C of the payload
//	commits  8  how many commits the store has seen
//
// Numbers are little-endian. After the last frame of a WAL segment are zeros, or what
// is left of the segment that it has overwritten.
//
// # Writing
//
// An append is one write and one sync. A checkpoint writes its blocks to the end
// of a segment and syncs them; then a commit in the WAL, which says where they
// are and what was deleted, makes them count. So the WAL alone decides what the
// store consists of.
//
// When most of a WAL segment no longer counts, the next one begins: a snapshot of
// the directory, and the records that still count, written and synced under
// another name. It replaces the one before when it gets its own name. That is the
// only switch, and it also happens at every opening: what an earlier process left
// torn or unsynced is in no file that is written to any more.
//
// A block is never written again where it is. When too much of the segments no
// longer counts, checkpoints copy the rest of the emptiest one forward, a slice
// at a time, with their own blocks; it is removed when nothing in it counts.
//
// # Failures
//
// A full disk fails the call and nothing else ([ErrFull]). After any other error
// of a write nothing more is written ([ErrFailed]). What an acknowledged write
// survives is [engine.Strict] or [engine.Relaxed].
//
// # Corruption
//
// A WAL record that is corrupt, or gone, the engine finds: by its checksum or its
// number. So it does with a block. Of a commit that cannot be read the blocks are
// taken, and the engine is told that the metadata is lost: it may find entities
// that had been deleted, and reports that. The last frame of the WAL, if it is
// corrupt, cannot be told from one that was torn; it is missing silently.
//
// Files that are missing, cut short, or do not list the blocks keep a store from
// opening, unless [Options.Quarantine] is set. Then the store consists of what is
// left. A WAL segment in which something could not be read is kept under a name
// that begins with "quarantine-".
package filestorage
