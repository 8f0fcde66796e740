package batch

import (
	"bytes"
	"strings"
)

// Field is a header field.
type Field struct{ Name, Value string }

// Header holds the fields of a part in order.
type Header []Field

// Get returns the value of the first field with this name, ignoring case, or "".
func (h Header) Get(name string) string {
	for i := range h {
		// Names are ASCII, so equal names have equal lengths.
		if f := &h[i]; len(f.Name) == len(name) && strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

const (
	contentType      = "Content-Type"
	contentIDName    = "Content-ID"
	maxHeaderLines   = 100
	maxHeaderBytes   = 64 << 10 // of one header
	maxBoundaryBytes = 70       // of RFC 2046
)

// fewFields is a capacity for the fields that clients send.
const fewFields = 8

// cutLine returns the first line without its line end, LF or CRLF, and the rest.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// cutBlankLines removes leading empty lines.
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

// cutHeader reads fields up to an empty line or the end of text. It reports false
// for malformed fields and beyond the limits. All fields share one copy.
func cutHeader(text []byte) (h Header, rest []byte, ok bool) {
	fields, rest, ok := cutFields(text)
	if !ok || len(fields) == 0 {
		return nil, rest, ok
	}
	h = make(Header, 0, fewFields)
	for lines := string(fields); lines != ""; {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		line = strings.TrimSuffix(line, "\r")
		if isFolded(line[0]) {
			last := &h[len(h)-1]
			last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(line))
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		h = append(h, Field{name, strings.TrimSpace(value)})
	}
	return h, rest, true
}

// lastHeader caches the last header. Clients usually send the same fields in all
// operations of a batch, and comparing costs a tenth of parsing.
type lastHeader struct {
	text   []byte // with the empty line that ends it; or nil
	header Header
}

// cut is cutHeader with the cache.
func (l *lastHeader) cut(text []byte) (h Header, rest []byte, ok bool) {
	if l.text != nil && bytes.HasPrefix(text, l.text) {
		return l.header, text[len(l.text):], true
	}
	h, rest, ok = cutHeader(text)
	if ok && rest != nil { // the header is complete
		l.text, l.header = text[:len(text)-len(rest)], h
	}
	return h, rest, ok
}

// cutFields checks the lines of a header and splits them from the rest.
func cutFields(text []byte) (fields, rest []byte, ok bool) {
	rest = text
	for range maxHeaderLines {
		if len(rest) == 0 {
			return text, nil, true
		}
		line, next := cutLine(rest)
		if len(line) == 0 {
			return text[:len(text)-len(rest)], next, true
		}
		colon := bytes.IndexByte(line, ':')
		switch {
		case !isText(line):
			return nil, nil, false
		case isFolded(line[0]):
			if len(rest) == len(text) { // the first line
				return nil, nil, false
			}
		case colon < 0 || !isToken(line[:colon]):
			return nil, nil, false
		}
		if rest = next; len(text)-len(rest) > maxHeaderBytes {
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// isFolded reports whether a line that starts with this byte continues the
// previous one.
func isFolded(first byte) bool { return first == ' ' || first == '\t' }

// isText reports whether a line is free of control characters: a carriage return
// that is echoed in a response would start a new line.
func isText(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return true
}

// isToken reports whether name is valid for a field or a method.
func isToken(name []byte) bool {
	for _, c := range name {
		if !tokenCharacter[c] {
			return false
		}
	}
	return len(name) > 0
}

var tokenCharacter = func() (is [256]bool) {
	for c := byte(' ') + 1; c < 0x7F; c++ {
		is[c] = strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) < 0
	}
	return is
}()

// boundaryOf returns the boundary parameter of a multipart/mixed media type. It
// may be quoted and follow other parameters.
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

// cutParameter reads a parameter's value, quoted or not, and the semicolon after
// it.
func cutParameter(text string) (value, rest string) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		value, rest, _ = strings.Cut(quoted, `"`)
		_, rest, _ = strings.Cut(rest, ";")
		return value, rest
	}
	value, rest, _ = strings.Cut(text, ";")
	return strings.TrimSpace(value), rest
}
