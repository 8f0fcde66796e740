// Package batch reads and writes the multipart/mixed bodies of entity group
// transactions, in both directions.
//
// [Parse] reads what clients send, with all the liberties that working clients
// take, and [AppendResponses] writes what the service answers, to the byte.
// [AppendRequest] and [ParseResponses] are the client's side.
//
// What the operations mean, how many there may be, and whether they act on one
// partition is not known here. mime/multipart is of no use: it refuses line
// ends and headers that clients send and the service accepts.
//
// Source: "Performing entity group transactions",
// https://learn.microsoft.com/rest/api/storageservices/performing-entity-group-transactions.
package batch
