// Command worker is Sandtable inside a browser's service worker: the engine on
// IndexedDB, and the server on the engine. It also runs in Node.js, on files.
//
// The worker's script (wasm/js) starts it, passes it every request that is ours, and
// restarts it when it has exited. Both sides share one object, which the script puts
// into the global "sandtable" during the program's first turn:
//
//	build                             the version of the build of both
//	site                              the path of the folder that the site is in; "" for the root
//	store                             the name of the IndexedDB database
//	folder                            instead of it, in Node.js: a folder of files; "" is memory
//	durability                        "relaxed" or "strict"; the storage's own default if absent
//	ready(handle, close, reader, id, watch)  the program serves from now on, from the store with this identity
//	failed(why, reason)               it cannot, and exits; see StartReason in wasm/js/program.js
//	opened(db)                        gets each IDBDatabase, to close it when the program has ended
//	owns(path)                        in Node.js: the file that names the folder's owner, to delete if the program crashes
//	full(bool)                        whether the browser has no space for writes
//	deleted()                         the browser deleted the store: the program exits
//	fenced()                          another worker stole the store: the program exits
//	buffer                            the byte array that carries requests and answers
//	settle(id, status, …)             answers what handle(id, …) was called with
//	begin(id, status, …)              answers it with a streamed body,
//	chunk(id, …), end(id, whole)      in chunks, each requested by reader(id, true)
//	event(kind, data)                 reports changes and requests, from watch(true) to watch(false)
//
// close() closes the store and ends the program. See package jshttp for the
// shared buffer.
package main
