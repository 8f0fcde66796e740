// Package payload writes and reads the JSON and the Atom of the Azure Table
// service: the entities, tables and errors of responses, in JSON at the three
// metadata levels, and the bodies of requests.
//
// Encoders append to a buffer of the caller, and allocate nothing beside its
// growth. Decoders read the whole body once, in time that grows with its
// length alone, and refuse what is not JSON by the letter of RFC 8259, or not
// XML 1.0 with namespaces. There is no reflection here, no encoding/json and
// no encoding/xml.
//
// A [Context] writes what the service answers, [DecodeEntity] and
// [DecodeTableName] read what clients send. The other side of the wire is here
// too, for clients: [AppendRequest], [DecodeEntityResponse],
// [DecodeEntitiesResponse], [DecodeTablesResponse] and [DecodeErrorResponse].
//
// For Atom, which versions of the service before 2015-12-11 speak, there are
// [Atom], [DecodeAtomEntity] and [DecodeAtomTableName], with the same results
// and errors, but no client's side. The comments in its files tell what is
// known from the service and what is a choice.
//
// Not here: the limits of names, values and keys, which are those of package
// odata.
//
// Source: "Payload format for Table service operations",
// https://learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations.
package payload
