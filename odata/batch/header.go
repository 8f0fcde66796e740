package batch

import (
	"bytes"
	"strings"
)

// Field is one line of a header.
type Field struct{ Name, Value string }

// Header holds the fields of a part in the order in which they are written.
type Header []Field

// Get returns the value of the first field with this name in any case, "" if
// there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

const (
	contentType      = "Content-Type"
	contentIDName    = "Content-ID"
	maxHeaderLines   = 100
	maxBoundaryBytes = 70 // of RFC 2046
)

// fewFields is room for the fields that clients send.
const fewFields = 8

// cutLine returns the first line of text without its end, which is LF or CRLF,
// and what follows it.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// cutBlankLines returns what follows the empty lines at the start of text.
func cutBlankLines(text []byte) []byte {
	for len(text) > 0 {
		line, rest := cutLine(text)
		if len(line) > 0 {
			break
		}
		text = rest
	}
	return text
}

// cutHeader reads fields up to an empty line, or to the end of text. It
// reports false for what is no field, and for too many of them.
func cutHeader(text []byte) (h Header, rest []byte, ok bool) {
	for range maxHeaderLines {
		if len(text) == 0 {
			return h, nil, true
		}
		var line []byte
		if line, text = cutLine(text); len(line) == 0 {
			return h, text, true
		}
		if !isText(line) {
			return nil, nil, false
		}
		if folded := line[0] == ' ' || line[0] == '\t'; folded {
			if len(h) == 0 {
				return nil, nil, false
			}
			last := &h[len(h)-1]
			last.Value = strings.TrimSpace(last.Value + " " + string(bytes.TrimSpace(line)))
			continue
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !isToken(line[:colon]) {
			return nil, nil, false
		}
		if h == nil {
			h = make(Header, 0, fewFields)
		}
		field := string(line) // one copy for name and value
		h = append(h, Field{field[:colon], strings.TrimSpace(field[colon+1:])})
	}
	return nil, nil, false
}

// isText reports whether a line has no control character in it: a carriage
// return that came back in a response would begin a line of its own.
func isText(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return true
}

// isToken reports whether name can be that of a field or a method.
func isToken(name []byte) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7F || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return len(name) > 0
}

// boundaryOf returns the boundary parameter of a multipart/mixed media type.
// It can be quoted and stand behind other parameters.
func boundaryOf(mediaType string) (string, bool) {
	name, rest, _ := strings.Cut(mediaType, ";")
	if !strings.EqualFold(strings.TrimSpace(name), "multipart/mixed") {
		return "", false
	}
	for rest != "" {
		var key, value string
		key, rest, _ = strings.Cut(rest, "=")
		value, rest = cutParameter(strings.TrimLeft(rest, " \t"))
		if strings.EqualFold(strings.TrimSpace(key), "boundary") {
			return value, value != "" && len(value) <= maxBoundaryBytes && isText([]byte(value))
		}
	}
	return "", false
}

// cutParameter reads a parameter's value, quoted or not, and the semicolon
// behind it.
func cutParameter(text string) (value, rest string) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		value, rest, _ = strings.Cut(quoted, `"`)
		_, rest, _ = strings.Cut(rest, ";")
		return value, rest
	}
	value, rest, _ = strings.Cut(text, ";")
	return strings.TrimSpace(value), rest
}
