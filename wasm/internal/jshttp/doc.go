// Package jshttp answers the browser's fetches with an [http.Handler].
//
// The worker's script and Go exchange as few values as they can, because every
// crossing between JavaScript and WebAssembly costs about a microsecond: a
// request arrives as one text (its head) and one byte array (its body), an
// answer leaves as a status, one text and one byte array. The heads look like
// those of HTTP/1.1, without its blanks:
//
//	GET https://devstoreaccount1.table.core.windows.net/Tables
//	accept:application/json
//	x-ms-version:2019-02-02
//
// A text cannot carry a line break in an address or a header value, so nothing
// needs to be quoted. JavaScript sees header values as Latin-1: one character
// for one byte. The bytes that a handler sets and reads are those which a
// client of a native server would send and receive.
//
// Bodies are buffered both ways: the service's limit is 4 MiB, and streams
// into workers are not to be relied on.
//
// This package does not know which fetches are ours (the script decides), nor
// what the handler does.
package jshttp
