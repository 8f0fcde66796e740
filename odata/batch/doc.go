// Package batch reads and writes the multipart/mixed bodies of entity group
// transactions, in both directions.
//
// [Parse] accepts all variations that working clients send, and
// [AppendResponses] writes the service's responses byte for byte.
// [AppendRequest] and [ParseResponses] are the client side.
//
// The package does not know the meaning of the operations. It does not use
// mime/multipart, which refuses line ends and headers that clients send and the
// service accepts.
//
// Source: "Performing entity group transactions",
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions.
package batch
