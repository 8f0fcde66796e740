package odata

import "unsafe"

// word reads eight bytes in one step, as WebAssembly can wherever they stand;
// the compiler would make it eight.
func word(s string) uint64 {
	_ = s[7]
	return *(*uint64)(unsafe.Pointer(unsafe.StringData(s)))
}
