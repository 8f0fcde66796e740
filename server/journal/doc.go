// Package journal remembers what a handler did lately: its last requests, with
// their headers and bodies, and a stream of events for whoever wants to know at
// once. It does no I/O and knows neither the service nor the engine.
//
// # What remembering costs
//
// A request is remembered by keeping what it has anyway: pointers to its
// address, its headers and its bodies. A long body is copied up to a limit, so
// that it does not stay. Whatever makes a text of it is done by the one who asks.
//
// # Secrets
//
// What is kept has secrets in it; what is shown goes through a [Redactor].
package journal
