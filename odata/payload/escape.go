package payload

import "unicode/utf8"

// plain holds the bytes that the service does not escape in JSON strings: ASCII
// from the space up, without the quote and the backslash.
var plain = func() (table [256]bool) {
	for c := byte(0x20); c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// AppendString appends s as a JSON string, escaped as the service does.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	b = appendText(b, s)
	return append(b, '"')
}

// appendText appends s as the content of a JSON string. Like the service, it
// escapes every non-ASCII UTF-16 unit, but not the slash or HTML's characters.
func appendText(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		if s[i] < utf8.RuneSelf {
			b = appendEscape(b, s[i])
			i++
		} else {
			// Invalid UTF-8 becomes U+FFFD; decoders refuse it.
			r, size := utf8.DecodeRuneInString(s[i:])
			b = appendRune(b, r)
			i += size
		}
		start = i
	}
	return append(b, s[start:]...)
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return appendUnit(b, uint16(c))
}

func appendRune(b []byte, r rune) []byte {
	if r >= 0x10000 {
		r -= 0x10000
		b = appendUnit(b, uint16(0xD800+r>>10))
		return appendUnit(b, uint16(0xDC00+r&0x3FF))
	}
	return appendUnit(b, uint16(r))
}

func appendUnit(b []byte, u uint16) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}
