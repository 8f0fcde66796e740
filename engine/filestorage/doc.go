// Package filestorage is an [engine.Storage] in the files of a folder, for native
// programs and for Node.js.
//
// # Layout
//
// EPOCH is the number of an owner: each time the store is opened, it has a new
// owner. No two owners create a file of the same name.
//
//	wal-EPOCH-N     the write-ahead log: a snapshot, then the changes after it
//	blocks-EPOCH-N  a segment of blocks
//	owner-EPOCH     the process that owns the store
//	lock            locked by it, where the operating system has locks
//	reserve         space that deletions may use when the disk is full
//	*.tmp           not part of the store: a file that is being written, or the
//	                previous WAL segment, which the next one overwrites
//
// Every WAL and block file starts with a header: 8 bytes with the name of the
// format and, last, its version; 8 random bytes that identify the store; 8 with
// the length that the file had when it got its name; 4 with the CRC-32C of these;
// and four zeros. Frames follow, each at a multiple of eight:
//
//	sum      4  CRC-32C of the store's random bytes, the file's number and the rest of this header
//	kind     1  record, block, commit or snapshot; three zeros follow
//	number   8  of the record or block, or of the last record that a commit drops
//	length   4  of the payload
//	check    4  CRC-32C of the payload
//	commits  8  how many commits the store has seen
//
// Numbers are little-endian. After the last frame of a WAL segment are zeros, or the
// rest of the segment that it has overwritten.
//
// # Writing
//
// An append is one write and one sync. A checkpoint writes its blocks to the end
// of a segment and syncs them; then a commit in the WAL, which lists their places
// and the deleted blocks, puts them into effect. So the WAL alone decides which
// blocks and records the store has.
//
// When most of a WAL segment is garbage, the WAL is rotated: a snapshot of the
// directory and the live records are written and synced under a temporary name. The
// rename to its own name makes it the current segment. Every opening rotates, too,
// so that nothing is appended to a file that an earlier process may have left torn
// or unsynced.
//
// A block is never overwritten in place. When the segments have too much garbage,
// checkpoints copy the live blocks of the emptiest one forward, a slice at a time,
// with their own blocks; a segment without live blocks is removed.
//
// # Failures
//
// A full disk fails the call and nothing else ([ErrFull]). After any other error
// of a write nothing more is written ([ErrFailed]). [engine.Strict] and
// [engine.Relaxed] define what an acknowledged write survives.
//
// # Corruption
//
// The engine detects corrupt WAL records and blocks by their checksums, and missing
// ones by their numbers. If a commit cannot be read, or the WAL ends before blocks of
// later commits, the storage keeps the blocks that it wrote and returns metadata that
// marks it as lost; the engine then reports that deleted entities may be back. A corrupt
// last frame of the WAL looks like a torn one: it is dropped silently.
//
// A store with missing or truncated files, without a readable snapshot, or with a WAL
// that the disk refuses to read, does not open unless [Options.Quarantine] is set; then
// it opens with what is left. A WAL segment that could not be read completely is kept
// under a name that begins with "quarantine-".
package filestorage
