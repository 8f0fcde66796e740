// Package snippet writes a recorded call as code that makes it again: curl, fetch,
// and the Tables SDKs of JavaScript, Go, Python, C# and Java.
//
// Code never contains a credential. It takes a shared access signature from the
// environment's TABLES_SAS.
package snippet
