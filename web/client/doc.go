// Package client speaks the Azure Table REST API for the page.
//
// It knows one thing of the endpoint, its address: the service worker's prefix,
// the native server or any other endpoint that needs no signature all answer
// alike. Requests go through a [Transport]: fetch in the browser, and messages for
// transactions of its own tables; net/http elsewhere (see [DefaultTransport]).
//
// A refusal of the service comes back as a [*ServiceError]; a request that got
// no answer at all as whatever the transport said.
//
// Sources: "Table service REST API",
// https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api.
package client
