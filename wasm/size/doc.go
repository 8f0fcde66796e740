// Command size reports the size of a program as WebAssembly: raw, compressed, and
// package by package.
//
//	go run ./wasm/size -promise 1.5 build/engine.wasm ./wasm/worker wasm/js/vendor/codemirror.js
//
// The file is the delivered one, without names; the names come from another build of
// the package that is otherwise equal. A package's size is that of its functions'
// bodies. Data (types, function and line tables, strings) belongs to no package. Files
// after the package are reported by size alone.
package main
