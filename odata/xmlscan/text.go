package xmlscan

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readText reads characters up to the next markup.
//
// White space alone is dropped (Chars is "") unless xml:space="preserve" applies
// or it is CDATA. The service's library does the same: users found that it did
// not store strings of only spaces (azure-sdk-for-python issue 140).
func (s *Scanner) readText() bool {
	n := strings.IndexByte(s.text[s.pos:], '<')
	if n < 0 {
		n = len(s.text) - s.pos
	}
	raw := s.text[s.pos : s.pos+n]
	s.pos += n
	if len(s.open) == 0 {
		// outside of the root
		return strings.Trim(raw, Spaces) == ""
	}
	if strings.Contains(raw, "]]>") {
		return false
	}
	text, ok := dereference(normalizeLines(raw))
	if !s.open[len(s.open)-1].preserve && strings.Trim(text, Spaces) == "" {
		text = ""
	}
	s.Chars = text
	return ok
}

// Spaces are XML's white space characters.
const Spaces = " \t\n\r"

func (s *Scanner) readCDATA() bool {
	s.pos += len("<![CDATA[")
	raw, ok := s.cut("]]>")
	s.Chars = normalizeLines(raw)
	return ok && len(s.open) > 0
}

// normalizeLines converts line ends to line feeds. A carriage return can only be
// written as a reference.
func normalizeLines(raw string) string {
	if strings.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
}

// dereference replaces references by their characters.
func dereference(raw string) (string, bool) {
	n := strings.IndexByte(raw, '&')
	if n < 0 {
		return raw, true
	}
	text := make([]byte, 0, len(raw))
	for n >= 0 {
		text = append(text, raw[:n]...)
		name, rest, ok := strings.Cut(raw[n+1:], ";")
		if !ok {
			return "", false
		}
		r, ok := reference(name)
		if !ok {
			return "", false
		}
		text = utf8.AppendRune(text, r)
		raw = rest
		n = strings.IndexByte(raw, '&')
	}
	return string(append(text, raw...)), true
}

// reference returns the character of the reference between "&" and ";".
//
// A number may denote any character, even one that XML does not allow, such as
// U+0001: clients send them.
func reference(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, false
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	// The size admits no sign, and no underscore with an explicit base.
	n, err := strconv.ParseUint(digits, base, 31)
	return rune(n), err == nil && utf8.ValidRune(rune(n))
}
