// Package transfer copies tables from one Table endpoint to another, and
// compares them. It is an HTTP client of both, so it copies between any two services
// with this protocol. A store of this process takes part through [OverHandler], and a
// CSV or JSON Lines file as a [File] or a [NewFile].
//
// A copy reads pages and writes each as entity group transactions of Insert Or
// Replace Entity, several at once, while it reads the next page. Every step can be
// repeated: temporary failures are retried, and a [State] lets a later process continue
// after the last completely written page. Types, names and values are preserved;
// Timestamps and ETags are the target's.
package transfer
