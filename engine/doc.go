// Package engine keeps accounts, tables and entities: in trees that readers
// and writers share without waiting for each other, and in a [Storage] that
// outlives the program. It knows no HTTP and no browser.
//
// # The life of a commit
//
// [DB.Update] puts its callback into a queue. Whoever finds the queue without a
// leader becomes the leader, takes all that wait, and
//
//  1. calls the callbacks one after another, each with a [Tx] on what those
//     before it made. A Tx changes copies of trees (copy-on-write, so a copy
//     costs the nodes that are changed). When a callback fails its copies are
//     dropped: nobody saw them.
//  2. encodes the changes of those that succeeded as one record, and gives it
//     to [Storage.Append]. Nothing is seen before that returned nil.
//  3. makes the new version the current one, with a single atomic store. A
//     reader takes the current version when [DB.View] begins and keeps it.
//  4. tells subscribers, in the order of the commits, and
//  5. answers its members, its own caller among them, and hands the lead to the
//     first of those that came meanwhile.
//
// When Append fails the version of step 1 is dropped, and with it every answer
// that depended on it: also that of an update without changes that saw those of
// others, and an error such as [ErrEntityExists] that was true only there. The
// number of the refused record is used again, so that even a record which is in
// the log after all is replaced by the next one that is accepted. It can come
// back only if the store is opened again before that happens: then a write
// whose outcome was unknown turns out to have happened, and nothing was built on
// its absence.
//
// # Tables
//
// A table is a tree of blocks (block.go), which are immutable, and beside it a
// tree of what has changed since the last checkpoint (contents.go). Entities of
// a block are read where they stand (row.go); a query walks both trees (walk.go).
// A block is in memory or in the storage alone, up to a budget (cache.go).
//
// # Checkpoints
//
// When the log has become long, or nobody has written for a while, a goroutine
// folds the changes into new blocks (fold.go) and writes them in slices, between
// which updates go on. The last slice makes them count, drops the log, and is
// followed by a version with the new blocks. One that fails loses nothing and is
// tried again later. Replaced blocks are deleted when no reader can want them.
// [Open] reads the directory, the catalog and the log, and no other block.
//
// # The catalog
//
// Accounts and tables are entities too, of the table 0: the same encoding, the
// same log. All of it is in memory.
//
// # Corruption
//
// All that is stored has a format version and a checksum. What is not as it
// was written is set aside and listed by [DB.Corruption]; the rest opens. A store of
// a newer format is refused as it is ([ErrFormat]).
package engine
