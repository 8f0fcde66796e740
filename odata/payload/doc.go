// Package payload writes and reads the JSON of the Azure Table service: the
// entities, tables and errors of responses at the three metadata levels, and
// the bodies of requests.
//
// Encoders append to a buffer of the caller, and allocate nothing beside its
// growth. Decoders read the whole body once, in time that grows with its
// length alone, and refuse what is not JSON by the letter of RFC 8259. There
// is no reflection here and no encoding/json.
//
// A [Context] writes what the service answers, [DecodeEntity] and
// [DecodeTableName] read what clients send. The other side of the wire is here
// too, for clients: [AppendRequest], [DecodeEntityResponse],
// [DecodeEntitiesResponse], [DecodeTablesResponse] and [DecodeErrorResponse].
//
// Not here: Atom, which no version of the service since 2015-12-11 speaks, and
// the limits of names, values and keys, which are those of package odata.
//
// Source: "Payload format for Table service operations",
// https://learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations.
package payload
