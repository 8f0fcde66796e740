// Command size says what a program of ours weighs as WebAssembly: as it is,
// as it travels, and package by package.
//
//	go run ./wasm/size -promise 1.5 build/engine.wasm ./wasm/worker
//
// The file is what is delivered, without names; they are taken from another
// build of the package, which differs in nothing else. A package has the bytes
// of its functions' bodies. What data are there (types, the tables of functions
// and lines, texts) belongs to no package.
package main
