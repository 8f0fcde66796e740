package odata

import "math/bits"

// Compare compares two strings by UTF-16 code unit, as the service compares keys
// and string properties. That is the order of their UTF-8 bytes, except that a
// character above U+FFFF, a surrogate pair, comes before U+E000 to U+FFFF.
func Compare(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	// Keys share long prefixes: compare eight bytes at a time.
	for n-i >= 8 {
		if d := word(a[i:i+8]) ^ word(b[i:i+8]); d != 0 {
			i += bits.TrailingZeros64(d) / 8
			return compareBytes(a[i], b[i])
		}
		i += 8
	}
	for ; i < n; i++ {
		if a[i] != b[i] {
			return compareBytes(a[i], b[i])
		}
	}
	switch {
	case len(a) < len(b):
		return -1
	case len(a) > len(b):
		return 1
	}
	return 0
}

// compareBytes compares the first two bytes that differ.
func compareBytes(x, y byte) int {
	// 0xEE and 0xEF lead U+E000 to U+FFFF; 0xF0 and up lead the surrogate pairs.
	if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
		x, y = y, x
	}
	if x < y {
		return -1
	}
	return 1
}

// UTF16Len returns the number of UTF-16 code units of s, in which the service
// limits strings. S must be valid UTF-8.
func UTF16Len(s string) int {
	n := len(s)
	if isASCII(s) {
		return n
	}
	for i := range len(s) {
		// A byte is a unit, unless it continues a character (10xxxxxx); one that
		// begins a surrogate pair (11110xxx) is two.
		switch b := s[i]; {
		case b >= 0x80 && b < 0xC0:
			n--
		case b >= 0xF0:
			n++
		}
	}
	return n
}

// isASCII looks at eight bytes at a time; the last ones may overlap.
func isASCII(s string) bool {
	n := len(s)
	switch {
	case n >= 8:
		all := word(s[n-8:])
		for ; len(s) > 8; s = s[8:] {
			all |= word(s[:8])
		}
		return all&highBits == 0
	case n > 3:
		return (s[0]|s[1]|s[2]|s[3]|s[n-4]|s[n-3]|s[n-2]|s[n-1])&0x80 == 0
	case n > 0:
		return (s[0]|s[n/2]|s[n-1])&0x80 == 0
	}
	return true
}

// highBits has the highest bit of each of eight bytes.
const highBits = 0x8080808080808080
