package entity

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// indented returns the JSON of a request with this entity in readable form:
// on many lines, and with letters instead of their escapes.
func indented(entity *odata.Entity) string {
	var b bytes.Buffer
	text := payload.AppendRequest(nil, entity)
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return withoutEscapes(b.String())
}

// withoutEscapes replaces \uXXXX by the character where that is one to be
// seen. Any other escape stays, so that the text means the same.
func withoutEscapes(text string) string {
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		r, size := escapedRune(text)
		if size > 0 && unicode.IsPrint(r) && r > unicode.MaxASCII {
			b.WriteRune(r)
		} else {
			size = 2
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String() + text
}

// escapedRune reads \uXXXX, or two of them that are a surrogate pair, from the
// left. The size is 0 where there is none.
func escapedRune(text string) (r rune, size int) {
	first, ok := escapedUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	second, ok := escapedUnit(text[6:])
	if !ok {
		return 0, 0
	}
	return utf16.DecodeRune(first, second), 12
}

func escapedUnit(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
