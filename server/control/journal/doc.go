// Package journal remembers what a handler did recently: its last requests in a
// [Ring], and a [Stream] of events for listeners. It does no I/O.
//
// A recorded request has no credentials: of its headers only known ones are kept
// (see [NewEntry]), Authorization without its signature, and of its URL only the
// values of known query parameters. Everything is limited in length. Bodies are
// kept as they were sent, where the caller asks for that.
package journal
