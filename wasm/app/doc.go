// Command app is the page: built for js/wasm it runs Sandtable's user
// interface in the browser.
//
// Built natively it writes the web app as a folder of static files, which any
// static host can serve from any path:
//
//	app -engine engine.wasm -app app.wasm -exec wasm_exec.js -worker wasm/js -assets web/assets -out dist
//
// With -embed it also writes the files for embedding sites: the module for their
// pages, the worker and the engine; with -node the module for Node.js.
//
// The version of a build is the hash of its files: the same sources make the same
// files. bundle_other.go bundles the modules of wasm/js, site_other.go assembles
// the web app, embed_other.go the files for embedding sites; relocate_other.go adapts
// what go-app generates; pack_other.go and write_other.go write the result.
package main
