// Package auth decides whether a request to the Table service comes from
// whom it says and what it may then do: Shared Key, Shared Key Lite, account
// and table shared access signatures.
//
// [Authenticate] checks the credentials that a request carries and returns a
// [Grant]; [Grant.Check] then says, for each operation, whether the grant
// reaches it. Both refuse with a [Refusal], which holds the service's error
// and, for the log alone, the reason. Signatures are compared in constant
// time, and no key is ever part of a text.
//
// Sources: "Authorize with Shared Key",
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key;
// "Create an account SAS" and "Create a service SAS" beside it.
package auth
