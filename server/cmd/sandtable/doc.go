//go:build !js

// Command sandtable runs Sandtable natively.
//
//	sandtable web      serves the web app, whose tables are in the browser
//	sandtable serve    serves the Table service REST API
//	sandtable salvage  makes a new store from what can be read of a corrupt one
//	sandtable dump     writes a store, or one account of it, as JSON Lines
//	sandtable load     loads what dump wrote
//	sandtable verify   checks the whole store and prints one line per problem
//	sandtable compact  makes a store and its files as small as possible
//	sandtable copy     copies tables from any endpoint or store to any other
//	sandtable compare  sends the same requests to two endpoints and prints how the responses differ
//	sandtable health   asks a running server whether it is ready
//	sandtable lessons  checks lessons, or packs them into the file that pages fetch
//	sandtable version  prints the version
//
// "sandtable help COMMAND" lists the flags of a command. All commands have the
// same exit codes: 0 success, 1 corruption or data loss, 2 any other error.
package main
