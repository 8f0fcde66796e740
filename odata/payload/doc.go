// Package payload encodes and decodes the JSON and Atom of the Azure Table
// service: entities, tables and errors in responses, in JSON at the three
// metadata levels, and request bodies.
//
// Encoders append to a buffer of the caller and allocate nothing else. Decoders
// read a body once, in linear time and in memory proportional to its length, and
// accept only JSON as of RFC 8259 and XML 1.0 with namespaces. There is no
// reflection, no encoding/json and no encoding/xml.
//
// A [Context] encodes responses; [DecodeEntity] and [DecodeTableName] decode
// requests. The client side is [AppendRequest], [DecodeEntityResponse],
// [DecodeEntitiesResponse], [DecodeTablesResponse] and [DecodeErrorResponse].
//
// Atom, for service versions before 2015-12-11, has [Atom], [DecodeAtomEntity]
// and [DecodeAtomTableName], with the same results and errors, but no client
// side. Comments say what is known from the service and what is our choice.
// [Cosmos] encodes the responses of Cosmos DB.
//
// The limits of names, values and keys are in package odata.
//
// Source: "Payload format for Table service operations",
// https://learn.microsoft.com/rest/api/storageservices/payload-format-for-table-service-operations.
package payload
