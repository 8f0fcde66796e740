package odata

import "encoding/hex"

// Guid is an Edm.Guid in textual byte order: the first byte is the first two
// hexadecimal digits. GUIDs are compared in this order.
type Guid [16]byte

// guidTextLen is the length of the form 8-4-4-4-12.
const guidTextLen = 36

// ParseGuid parses the form 8-4-4-4-12 of hexadecimal digits of either case.
func ParseGuid(s string) (Guid, bool) {
	var g Guid
	if len(s) != guidTextLen || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return g, false
	}
	digits := make([]byte, 0, 32)
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			continue
		}
		digits = append(digits, s[i])
	}
	if _, err := hex.Decode(g[:], digits); err != nil {
		return Guid{}, false
	}
	return g, true
}

// String returns the form 8-4-4-4-12 in lower case.
func (g Guid) String() string { return string(g.AppendText(make([]byte, 0, guidTextLen))) }

// AppendText appends what [Guid.String] returns.
func (g Guid) AppendText(b []byte) []byte {
	b = hex.AppendEncode(b, g[0:4])
	b = hex.AppendEncode(append(b, '-'), g[4:6])
	b = hex.AppendEncode(append(b, '-'), g[6:8])
	b = hex.AppendEncode(append(b, '-'), g[8:10])
	return hex.AppendEncode(append(b, '-'), g[10:16])
}
