// Package auth authenticates requests to the Table service and authorizes their
// operations: Shared Key, Shared Key Lite, account and table shared access
// signatures. Its string to sign is in sharedkey.go and sas.go.
//
// [Authenticate] checks the credentials that a request carries and returns a
// [Grant]; [Grant.Check] then says, for each operation, whether the grant
// reaches it. Both refuse with a [Refusal], which holds the service's error
// and, for the log only, the reason. Signatures are compared in constant time,
// and no text ever contains a key.
//
// Sources: "Authorize with Shared Key",
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key;
// "Create an account SAS" and "Create a service SAS" there.
package auth
