// Package endpoint is the page on which the user connects to an account of
// another endpoint, by connection string, SAS URL, or account and key. It keeps
// what was typed in memory; the shell keeps the account.
package endpoint
