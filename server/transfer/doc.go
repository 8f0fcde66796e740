// Package transfer copies tables from one Table endpoint to another, and
// compares them. It is the client of both, over HTTP: so it copies between any
// two services that speak the protocol. A store of this process takes part
// through [OverHandler].
//
// A copy reads pages and writes each as entity group transactions of Insert Or
// Replace Entity, several at once; the next page is read meanwhile. Every step can
// be repeated: after an error that may go away a request is sent again, and a
// [State] lets a later process continue with the page after the last one that
// was written whole. Types, names and values arrive as they were; Timestamps and
// ETags are the target's.
package transfer
