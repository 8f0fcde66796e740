// Command worker is Sandtable inside a browser's service worker: the engine on
// IndexedDB, and the server over it.
//
// The worker's script (wasm/js) starts it, hands every request that is ours to
// it, and starts it anew when it has exited. What the two know of each other is
// one object, which the script leaves in the global "sandtable" while the
// program takes its first turn:
//
//	build                             the version of the build that both are of
//	store                             the name of the IndexedDB database
//	folder                            instead of it, in Node.js: a folder of files; "" is memory
//	durability                        "relaxed" or "strict"; the storage's own default if absent
//	ready(handle, close, reader, id, watch)  the program serves from now on, from the store of this identity
//	failed(why, reason)               it does not, and exits; reason is "format", "database" or "room"
//	opened(db)                        gets each IDBDatabase, to be closed when the program has ended
//	full(bool)                        the browser has no room for writes, or has again
//	again()                           the store was deleted: the program exits, and is to be started anew
//	exchange                          the byte array in which requests and answers lie
//	settle(id, status, …)             answers what handle(id, …) was called with
//	begin(id, status, …)              does so with an answer that is streamed,
//	piece(id, …), end(id, whole)      in pieces for which reader(id, true) asks
//	event(kind, data)                 tells of changes and requests, from watch(true) to watch(false)
//
// close() closes the store and ends the program. See package jshttp for the
// exchange.
package main
