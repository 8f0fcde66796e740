//go:build !js

// Command sandtable runs Sandtable natively.
//
//	sandtable web      serves the web app: everything else happens in the browser
//	sandtable serve    answers the Table service REST API itself
//	sandtable salvage  makes a store anew from what can be read of its files
//	sandtable dump     writes a store, or an account of it, as JSON Lines
//	sandtable load     puts what dump wrote into a store
//	sandtable verify   says what is not as it should be in a store
//	sandtable compact  makes a store and its files as small as they can be
//
// "sandtable help COMMAND" lists a command's flags. All have the same exit codes:
// 0 if it is done, 1 if the store is damaged or something of it is lost, 2 if it
// could not be done.
package main
