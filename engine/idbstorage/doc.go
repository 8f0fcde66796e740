// Package idbstorage is an [engine.Storage] in IndexedDB, for js/wasm.
//
// # Layout
//
// A database has three object stores without key paths or indexes, whose
// values are all Uint8Arrays with a checksum of the engine's:
//
//	log     number of the record -> record; -1 - N -> that the epoch N has ended,
//	        for ever (fence.go)
//	blocks  identity of the block -> text
//	state   "directory" -> all of the directory, "meta" -> the checkpoint's text,
//	        "identity" -> sixteen random bytes, made with the database,
//	        "epoch" -> how often it was loaded, eight bytes, "dropped" -> the number
//	        of the last record that a checkpoint dropped, "taken" -> numbers that
//	        have a mark instead of a record
//
// The directory is one record because IndexedDB is paid for by the record: a
// store of a million entities opens with a handful of reads.
//
// # Promises
//
// A call that writes is one readwrite transaction, whose requests are all made
// before anything is waited for, and is acknowledged by the transaction's
// complete event, never by that of a request. A full quota is reported when
// the transaction aborts; it becomes [ErrQuota], and nothing was written.
//
// A connection can be lost: the browser closes it, another context deletes or
// upgrades the database (versionchange, which closes it at once so as not to
// stand in the way), or WebKit's database process dies. The next call opens
// another one; a call that was under way is made again, once, on the new
// connection. Doing it twice does no harm: a record of the log is put under
// its number, and a checkpoint puts and deletes by identity. When the database
// behind the new connection is another one (its identity tells), everything
// fails with [ErrLost], since writing on would mix two stores.
//
// # What is go-indexeddb's and what is ours
//
// The package opens, creates, and deletes databases through
// github.com/hack-pad/go-indexeddb, and uses its error and durability types.
// Transactions are ours (transaction.go), because in v0.3.2 Transaction.Await
// reports success for an abort without an error, there is no getAll, and a
// transaction costs three js.Funcs and four goroutines; ours costs one js.Func,
// released before the call returns.
//
// The database belongs to the last that loaded it. Every write of one before
// fails with [ErrFenced], as a whole; so a worker that was stopped and wakes up
// cannot write over what its successor has written. A database that a newer
// version has written to is not taken from it: Load fails with
// [engine.ErrFormat], and whoever has the database goes on.
//
// To take a database over is to write a few bytes. Where the browser has no room
// for them it is loaded all the same, and read-only: a write takes it over first,
// and fails with [ErrQuota] as long as there is no room (claim.go).
//
// No call may be made from inside a JavaScript callback: it would wait for
// events that cannot come before the callback returns.
//
// Sources: "Indexed Database API 3.0", https://www.w3.org/TR/IndexedDB/.
package idbstorage
