// Package playground is the page where people run code against a throw-away
// account: an editor, and what the last run printed, requested and stored.
//
// The code is in the address, after the hash, so that a link carries it and
// no server sees it. It runs in the sandbox of wasm/js/sandbox, which
// web/assets/js/playground.js starts.
package playground
