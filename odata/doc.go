// Package odata holds the values, entities, names and addresses of the Azure
// Table service's data model, as they are: without I/O, without a clock and
// without goroutines.
//
// An [Entity] is a pair of keys, a [DateTime] of its last change and a list of
// named values; a [Value] is one of the eight EDM types. Strings are ordered
// by UTF-16 code unit, as the service orders them (see [Compare]).
//
// What an entity looks like on the wire is the business of the packages below
// this one: payload (JSON), filter ($filter) and batch (multipart/mixed).
//
// Sources: "Understanding the Table service data model",
// https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model,
// and "Addressing Table service resources" beside it.
package odata
