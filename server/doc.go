// Package server answers the REST API of the Azure Table service over a
// [Store], natively and in a browser's service worker alike: over an [engine.DB]
// in this process, or over a database that several servers share. What it needs
// of HTTP is package message; package nethttp puts a net/http server around it.
//
// [Handler.Serve] (serve.go) takes a request through stages, each with a value
// of its own, and the first that refuses it gives the answer:
//
//   - the endpoint that it addresses (endpoint.go), and the account there;
//   - its protocol: the version of the service and the representation of the
//     answer (protocol.go, version.go, negotiate.go);
//   - its session: what its credentials allow (access.go, package auth);
//   - the request: operation, path and body (request.go, operations.go);
//   - the command, the part that needs a transaction. Each operation prepares
//     one: entities.go, query.go, tables.go, policies.go, service.go.
//
// Each operation of an entity group transaction (batch.go) is a request of its
// own; their commands run in one transaction. A command returns a reply, which
// becomes a response or a part of one. Errors rise unchanged and become a
// status, a code and a message once, in errors.go. What Cosmos DB's Table API
// answers instead is in cosmos.go and cosmos_reply.go.
//
// What differs from the service is listed in docs/compatibility.md. Package
// control wraps a [Handler] with Sandtable's own API; it is an [Observer] of it.
//
// Source: "Table service REST API",
// https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api.
package server
