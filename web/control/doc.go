// Package control speaks Sandtable's control API for the page: what is stored, which
// accounts there are, what happens, snapshots, faults and maintenance. The service
// of Azure has nothing like it: docs/control.md describes it.
//
// A refusal comes back as a [*client.ServiceError], and the answer of another server
// as [ErrNoSandtable].
package control
