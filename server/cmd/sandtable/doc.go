//go:build !js

// Command sandtable runs Sandtable natively.
//
//	sandtable web    serves the web app: everything else happens in the browser
//	sandtable serve  answers the Table service REST API itself
//
// "sandtable help COMMAND" lists a command's flags.
package main
