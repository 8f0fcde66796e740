// Package server answers the REST API of the Azure Table service over an
// [engine.DB], natively and in a browser's service worker alike. What it needs
// of HTTP is package message; natively a [Handler] is an http.Handler too.
//
// A request's way: [Handler.Serve] gives it an id, finds the account that
// it addresses (endpoint.go), checks its credentials (package auth), finds the
// operation (route.go) and what it wants to be answered in (negotiate.go). The
// operation then reads and refuses the request, and only what is left to do
// goes into a transaction: it is a command, a function of a transaction. An
// entity group transaction (batch.go) runs many commands in one.
//
// Errors rise unchanged and become a status, a code and a message once, in
// errors.go.
//
// What differs from the service is listed in docs/compatibility.md. Package
// control wraps a [Handler] with Sandtable's own API; it is an [Observer] of it.
//
// Source: "Table service REST API",
// https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api.
package server
