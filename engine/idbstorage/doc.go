// Package idbstorage is an [engine.Storage] in IndexedDB, for js/wasm.
//
// # Layout
//
// A database, format 1, has three object stores without key paths or indexes.
// Values are Uint8Arrays that the engine has given a checksum, except for
// markers, which are the number 1:
//
//	wal     sequence number -> record, or a marker: the number is reserved;
//	        N - 0.5 -> several records, the last of which is N (pack.go)
//	        -1 - N -> a marker: the epoch N is fenced, forever (epoch.go)
//	blocks  block id -> encoded block
//	state   "directory" -> the whole block directory
//	        "deleted"   -> the blocks of it that were deleted since
//	        "blocks"    -> how many blocks there are
//	        "meta"      -> the meta data of the last checkpoint
//	        "identity"  -> 16 random bytes, made with the first epoch
//	        "epoch"     -> number of the current epoch, 8 bytes
//	        "truncated" -> last sequence number that a checkpoint removed
//	        "reserved"  -> reserved sequence numbers (sequencenumbers.go)
//
// The directory is one record because IndexedDB costs per record, not per byte:
// a store of a million entities opens with a handful of reads.
//
// # Durability
//
// A write is one readwrite transaction. All its requests are made before
// anything is awaited, and it is acknowledged by the transaction's complete
// event, never by a request's event. A full quota is reported when the
// transaction aborts; it becomes [ErrQuota], and nothing was written.
//
// A connection can be lost: the browser closes it, another context deletes or
// upgrades the database (versionchange: we close at once so as not to block
// it), or WebKit's database process dies. The next call opens a new connection;
// a call in progress is retried once on the new connection. That is safe,
// because writes are idempotent: a WAL record is stored under its sequence
// number, blocks under their ids. If the database behind the new connection has
// a different identity, everything fails with [ErrLost]: further writes would mix
// two stores.
//
// A browser can have a value that it cannot read. If that is a block, and other values
// can be read, it counts as missing; a directory is rebuilt, and a WAL record or a pack is
// corrupt.
//
// # Ownership
//
// The storage that loaded the database last owns it. Loading acquires it by
// starting a new epoch, which fences the previous one: every later write of the
// previous owner fails as a whole with [ErrFenced], so a suspended worker that
// resumes cannot overwrite what its successor wrote. A database that a newer
// version has written to is not acquired: Load fails with [engine.ErrFormat],
// and its owner continues.
//
// Acquiring writes a few bytes. If the quota is full, the database is loaded
// read-only and acquired by the first write that fits (claim.go).
//
// # go-indexeddb
//
// The package opens, creates and deletes databases through
// github.com/hack-pad/go-indexeddb, and uses its error type. Transactions are
// our own (transaction.go), because in v0.3.2 Transaction.Await reports success
// for an abort without an error, there is no getAll, and a transaction costs
// three js.Funcs and four goroutines. Ours costs one js.Func, released before
// the call returns.
//
// No call may be made from inside a JavaScript callback: it would wait for
// events that cannot arrive before the callback returns.
//
// Source: "Indexed Database API 3.0", https://www.w3.org/TR/IndexedDB/.
package idbstorage
