package payload

import (
	"strings"
	"unicode/utf8"
)

// xmlPlain holds the bytes that need no escaping in XML text and attributes: all
// but markup, carriage returns, which readers would convert to line feeds, and
// other control characters. 0xEF is checked separately: it leads U+FFFE and
// U+FFFF, but also plain characters.
var xmlPlain = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != 0xEF || c == '\t' || c == '\n'
	}
	for _, c := range []byte(`&<>`) {
		table[c] = false
	}
	return table
}()

// appendXML appends s as the text of an element. Characters that XML 1.0 does not
// allow, such as U+0001, become numeric references. Strictly that is not XML, but
// the service's library writes it, and the .NET storage client sent them to the
// service in this form (azure-sdk-for-java issue 111).
func appendXML(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		// Decoders refuse invalid UTF-8.
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	start := 0
	for i := 0; i < len(s); {
		if xmlPlain[s[i]] {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		r, size := utf8.DecodeRuneInString(s[i:])
		b = appendXMLRune(b, r)
		i += size
		start = i
	}
	return append(b, s[start:]...)
}

// appendXMLAttribute appends s as the value of an attribute, where white space
// other than U+0020 needs references. Only an unusual host name could have any.
func appendXMLAttribute(b []byte, s string) []byte {
	start := 0
	for i := range len(s) {
		if c := s[i]; c == '"' || c == '\t' || c == '\n' {
			b = appendXML(b, s[start:i])
			b = appendXMLReference(b, rune(c))
			start = i + 1
		}
	}
	return appendXML(b, s[start:])
}

func appendXMLRune(b []byte, r rune) []byte {
	switch {
	case r < ' ', r == '&', r == '<', r == '>', r == 0xFFFE, r == 0xFFFF:
		return appendXMLReference(b, r)
	}
	return utf8.AppendRune(b, r)
}

func appendXMLReference(b []byte, r rune) []byte {
	switch r {
	case '&':
		return append(b, "&amp;"...)
	case '<':
		return append(b, "&lt;"...)
	case '>':
		return append(b, "&gt;"...)
	case '"':
		return append(b, "&quot;"...)
	}
	const hex = "0123456789ABCDEF"
	b = append(b, "&#x"...)
	if r > 0xFF {
		b = append(b, hex[r>>12&15], hex[r>>8&15])
	}
	if r > 0xF {
		b = append(b, hex[r>>4&15])
	}
	return append(b, hex[r&15], ';')
}
