// Command size reports the size of a program as WebAssembly: raw, compressed, and
// package by package.
//
//	go run ./wasm/size -promise 1.5 build/engine.wasm ./wasm/worker
//
// The file is what is delivered, without names; those come from another build of
// the package, which differs in nothing else. The size of a package is that of its
// functions' bodies. Data (types, function and line tables, strings) belong to no
// package.
package main
