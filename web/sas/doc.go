// Package sas writes shared access signatures of the Table service: of one table
// or of a whole account. It also signs requests with an account key.
//
// A [Token] holds what was typed, so it can be incomplete: [Token.Problems] says
// what is missing, and [Token.Summary] says in words what it allows.
//
// Sources: "Create a service SAS", "Create an account SAS" and "Authorize with
// Shared Key", https://learn.microsoft.com/rest/api/storageservices/.
package sas
