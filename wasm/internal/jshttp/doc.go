// Package jshttp answers the browser's fetches with a [Handler].
//
// The worker's script and Go exchange as few values as possible: every value that
// crosses between JavaScript and WebAssembly costs a microsecond or two, and more if
// it is an object, which Go tracks with a finalizer. So both write into one byte
// array, the shared buffer, and pass each other only numbers: a request is a head
// followed by a body, and so is an answer. Heads look like those of HTTP/1.1 without
// spaces, in UTF-8:
//
//	GET https://devstoreaccount1.table.core.windows.net/Tables
//	accept:application/json
//	x-ms-version:2019-02-02
//
// Neither a URL nor a header value can contain a line break, so nothing needs to
// be quoted. JavaScript sees header values as Latin-1: one character
// for one byte. The bytes that a handler sets and reads are those which a
// client of a native server would send and receive.
//
// The bodies of requests are buffered: the service's limit is 4 MiB, and streams
// into workers are unreliable. So are those of answers, unless the handler flushes:
// then the answer is streamed in chunks on demand, and ends when its reader is gone.
//
// This package does not know which fetches are ours (the script decides), nor
// what the handler does.
package jshttp
