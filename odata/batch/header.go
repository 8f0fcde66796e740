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
	for i := range h {
		// Names are ASCII, so those that are equal have one length.
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
// reports false for what is no field, and for too many of them. One copy of the
// text serves all fields.
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

// lastHeader is a header that was read, and its text. Clients write the same
// fields into all operations of a batch, so most often the next header is this
// one, and to compare them costs a tenth of reading.
type lastHeader struct {
	text   []byte // with the empty line that ends it; nil for none
	header Header
}

// cut is cutHeader.
func (l *lastHeader) cut(text []byte) (h Header, rest []byte, ok bool) {
	if l.text != nil && bytes.HasPrefix(text, l.text) {
		return l.header, text[len(l.text):], true
	}
	h, rest, ok = cutHeader(text)
	if ok && rest != nil { // without an empty line there might have been more of it
		l.text, l.header = text[:len(text)-len(rest)], h
	}
	return h, rest, ok
}

// cutFields returns the lines that cutHeader reads, after a look at them.
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
			if len(rest) == len(text) { // there is no line before
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

// isFolded reports whether a line that begins so goes on with the one before.
func isFolded(first byte) bool { return first == ' ' || first == '\t' }

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
