// Package control answers Sandtable's own API under /_sandtable/ and passes every
// other request to the handler of the Table service, which it wraps. It reports
// status, manages accounts and settings, dumps and loads stores, runs
// maintenance, and shows recent requests and a stream of events. The contract is
// docs/control.md.
//
// The files, from the top down: handler.go and routes.go dispatch; call.go is one
// request; admit.go refuses what must not get in; accounts.go, keys.go, tables.go, snapshots.go,
// faults.go, settings.go, clock.go, status.go, archive.go, reset.go,
// maintenance.go, requests.go and events.go each answer the paths they are named
// for, and feed.go collects the events; object.go, members.go and errors.go write
// and read the small JSON documents. They do without encoding/json, which alone is
// a twentieth of what a worker downloads.
//
// Package journal keeps recent requests and events.
package control
