// Package boltstorage is an [engine.Storage] in a file of bbolt's and a log
// beside it, for programs that run on an operating system. In a browser there
// are none.
//
// # Layout
//
// The folder has one file of bbolt's, [FileName], with three buckets:
//
//	blocks     identity of the block -> text
//	directory  identity of the block -> its entry of the directory
//	state      "format" -> version of this layout, "meta" -> the checkpoint's text,
//	           "log" -> which files the log is in, and what of it is dropped
//
// Numbers and identities are eight bytes, big-endian. Records, blocks and
// entries carry checksums of the engine's. In the layout before, version 1, the
// log was a fourth bucket. Open moves it.
//
// The log is in one or two files beside it, whose names end in log-1 and log-2.
// Each has an opening of a page, and then frames. The opening is
//
//	name   8  of the format, with its version
//	start  8  the position in the log at which the file begins
//	salt   8  random, for the sums of this file's frames
//	sum    4  CRC-32C of these, in every version; four zeros follow
//
// A frame is a header of 32 bytes and a record, and begins at a multiple of eight:
//
//	position  8  in the log: the file's start, and the offset in the file
//	number    8  of the record
//	length    4  of the record, in bytes
//	check     4  CRC-32C of the record; four zeros follow
//	sum       4  CRC-32C of the salt and the rest of the header
//
// Numbers are little-endian. Behind the last frame is room for more, which has
// zeros, or what the file had before. No frame of that passes for one of now:
// positions never come again.
//
// # Promises
//
// An append is one write to the log's last file, and one sync. One that is
// torn is cut off when the store is opened. A checkpoint is one transaction of
// bbolt's: all of it is there or nothing, after whatever happened. It also says
// what of the log is dropped, and from where on the log goes on in the other
// file. That one is begun anew before the transaction, when nothing refers to
// it, so there is no moment at which the two contradict each other. What an
// acknowledged write survives is [engine.Strict] or [engine.Relaxed].
//
// The process before may have left a root or a frame that it did not sync. So
// a store that is strict writes the last of either again when it is opened, and
// syncs them before it acknowledges anything.
//
// The file of bbolt's is locked while it is open, and the log is touched only
// by who has the lock. A second Open, by this process or another, waits a moment
// and then fails with [ErrInUse]. The lock ends with the process, however that
// ends.
//
// A disk that is full fails the call and nothing else ([ErrFull]). After any
// other error of a write nothing is written any more ([ErrFailed]).
//
// # Damage
//
// bbolt's pages have no checksums, and bbolt panics over a structure that
// contradicts itself. So Open walks all pages first (pages.go), which costs a
// read or two for every page in use, and refuses a file that bbolt could not
// follow, with the page's number. Values are not looked into: damage there is
// the engine's to find, and to set aside. [Salvage] makes another file of what
// can be read of one that Open refuses.
//
// A frame of the log that is damaged is passed over, and the engine misses its
// record by the number; nothing tells that from an append that was torn if it is
// the last. Nor are the last frames missed, however many, whose headers are
// gone. A file of the log that is missing, or another store's, or of a size
// that no log has, is refused by Open; Salvage gives it up, or mends it.
//
// # What it costs
//
// A durable transaction of bbolt is two writes and two syncs, one for the pages
// and one for the root, and an append to the log is one of each.
// docs/decisions/0005-boltstorage.md has the numbers.
package boltstorage
