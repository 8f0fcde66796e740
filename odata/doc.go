// Package odata holds the values, entities, names and addresses of the Azure
// Table service's data model. It has no I/O, no clock and no goroutines.
//
// An [Entity] is a pair of keys, a [DateTime] of its last change and a list of
// named values; a [Value] is one of the eight EDM types. Strings are ordered
// by UTF-16 code unit, as the service orders them (see [Compare]).
//
// Wire formats are in the packages below this one: payload (JSON and Atom),
// filter ($filter) and batch (multipart/mixed).
//
// Sources: "Understanding the Table service data model",
// https://learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model,
// and "Addressing Table service resources".
package odata
