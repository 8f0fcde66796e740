// Command app is the page: built for js/wasm it runs Sandtable's user
// interface in the browser.
//
// Built natively it writes the web app as a folder of static files, which any
// static host can serve from any path:
//
//	app -engine engine.wasm -app app.wasm -exec wasm_exec.js -worker wasm/js -assets web/assets -out dist
//
// With -embed it also writes what other people's sites copy: the module for
// their pages, the worker and the engine.
//
// The version of a build is the hash of what is in it: the same sources make
// the same files.
package main
