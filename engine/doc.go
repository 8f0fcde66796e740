// Package engine is a transactional store for accounts, tables and entities. It
// keeps them in copy-on-write trees and makes them durable through a [Storage].
// It knows no HTTP and no browser.
//
// # Commits
//
// [DB.Update] joins the commit queue (commitqueue.go). The first update that
// finds no leader becomes the leader, takes all waiting updates, and
//
//  1. calls their callbacks one after another, each with a [Tx] on the result of
//     the callbacks before it. A Tx changes copy-on-write copies of trees. If a
//     callback fails, its copies are dropped.
//  2. encodes the changes of successful callbacks as one WAL record (wal.go) and
//     passes it to [Storage.Append] (groupcommit.go). Readers never see a change
//     before it is durable.
//  3. publishes the new version with a single atomic store. [DB.View] pins the
//     current version when it begins (version.go).
//  4. notifies subscribers, in the order of the commits (feed.go), and
//  5. answers the updates of the group and hands leadership over to the first waiter.
//
// A callback that needs a block which is not in memory is parked: its goroutine
// loads the block, and the callback is retried (blockfetch.go).
//
// If Append fails, the version of step 1 is dropped, and with it every answer that
// depended on it. This includes an update without changes that saw changes of others,
// and an error such as [ErrEntityExists] that was true only in that version. The
// number of the refused record is reused, so that a record which did reach the WAL is
// replaced by the next accepted one. It can come back only if the store is opened
// before that: then a write whose outcome was unknown has happened, and nothing was
// built on its absence.
//
// # Tables
//
// A table is a tree of immutable blocks and a tree of the changes since the last
// checkpoint (contents.go). The encoded block, with its shapes (the names and
// types of an entity's properties, stored once per block), is
// engine/internal/block. Blocks are loaded on demand and evicted beyond a budget
// (cache.go).
//
// # Checkpoints
//
// When the WAL is long, or the store has been idle for a while (walstate.go), a
// checkpoint merges the changes into new blocks (merge.go) and writes them in
// slices, between which updates continue (checkpoint.go). A few changes to a block
// are written as a delta next to it (patch.go). The last slice puts the new blocks
// into use and truncates the WAL. A checkpoint that fails loses nothing and is
// retried. Replaced blocks (garbage.go) are deleted when no reader pins their epoch
// (checkpointslice.go). [Open] reads the directory and the catalog (load.go) and
// replays the WAL (replay.go); it reads no other block.
//
// # Snapshots
//
// A snapshot of an account is a hidden account, whose tables are clones that share
// blocks with their originals (snapshots.go, share.go). Taking and restoring one
// takes constant time for each table. Comparing one with the account reads only the
// blocks that they do not share (snapshotdiff.go).
//
// # The catalog
//
// Accounts and tables are entities of table 0: the same encoding, the same WAL.
// All of the catalog is in memory.
//
// # Corruption
//
// Everything stored has a format version and a checksum. Corrupt blocks and WAL
// records are put into quarantine and listed by [DB.Corruption]; the rest is
// usable (quarantine.go). A store of a newer format is refused ([ErrFormat]).
//
// [DB.Verify] opens the store a second time from what is stored (verify.go), and
// checks the catalog (verify_catalog.go) and every block (verify_table.go).
package engine
