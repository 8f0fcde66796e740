// Package boltstorage is an [engine.Storage] in one file of bbolt's, for
// programs that run on an operating system. In a browser there is none.
//
// # Layout
//
// The folder has one file, [FileName], with four buckets:
//
//	log        number of the record -> record
//	blocks     identity of the block -> text
//	directory  identity of the block -> its entry of the directory
//	state      "format" -> version of this layout, "meta" -> the checkpoint's text
//
// Numbers and identities are eight bytes, big-endian. Records, blocks and
// entries carry checksums of the engine's.
//
// # Promises
//
// A call that writes is one transaction of bbolt's: all of it is there or
// nothing, after whatever happened. What an acknowledged one survives is
// [Strict] or [Relaxed].
//
// The file is locked while it is open. A second Open, by this process or
// another, waits a moment and then fails with [ErrInUse]. The lock ends with
// the process, however that ends.
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
// # What it costs
//
// A durable transaction of bbolt is two writes and two syncs, one for the pages
// and one for the root. docs/decisions/0005-boltstorage.md has the numbers beside a plain
// log.
package boltstorage
