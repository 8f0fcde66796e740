package odata

import "unsafe"

// word reads eight bytes with one load, which WebAssembly allows at any address;
// the compiler would use eight loads.
func word(s string) uint64 {
	_ = s[7]
	return *(*uint64)(unsafe.Pointer(unsafe.StringData(s)))
}
