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

// headers reads headers, and remembers the lines of the last one. Clients usually
// send most of them in all operations of a batch, and comparing costs a tenth of
// parsing.
type headers struct {
	lines [][]byte // of the last header, with their line ends; none if it was not plain
	last  Header   // its fields, one for each line
	all   Header   // the fields of the last headers, in one array
}

// usualFields is as many fields as clients usually send.
const usualFields = 8

// cut reads fields up to an empty line or the end of text. It reports false for
// malformed fields and beyond the limits.
func (h *headers) cut(text []byte) (header Header, rest []byte, ok bool) {
	if cap(h.all)-len(h.all) < usualFields {
		h.all = make(Header, 0, min(2*cap(h.all)+usualFields, 16*usualFields))
	}
	start := len(h.all)
	rest = text
	same, plain := true, true
	for i := range maxHeaderLines {
		if len(text)-len(rest) > maxHeaderBytes {
			break
		}
		if i < len(h.lines) && bytes.HasPrefix(rest, h.lines[i]) {
			h.all = append(h.all, h.last[i])
			rest = rest[len(h.lines[i]):]
			continue
		}
		line, next := cutLine(rest)
		if len(line) == 0 {
			if same && i == len(h.lines) {
				h.all = h.all[:start]
				return h.last, next, true
			}
			header = h.all[start:len(h.all):len(h.all)]
			h.keep(header, plain)
			return header, next, true
		}
		if !h.read(line, i == 0) {
			break
		}
		same, plain = false, plain && !isFolded(line[0]) && next != nil
		if line = rest[:len(rest)-len(next)]; i < len(h.lines) {
			h.lines[i] = line
		} else {
			h.lines = append(h.lines, line)
		}
		rest = next
	}
	*h = headers{}
	return nil, nil, false
}

// keep remembers a header, whose lines were stored while it was read, if it is plain:
// each line is one field, and complete.
func (h *headers) keep(header Header, plain bool) {
	if !plain {
		h.lines, h.last = nil, nil
		return
	}
	h.lines, h.last = h.lines[:len(header)], header
}

// read adds the field in a line, or what a folded line adds to the field before.
func (h *headers) read(line []byte, first bool) bool {
	switch {
	case !isText(line):
		return false
	case !isFolded(line[0]):
		name, value, found := strings.Cut(string(line), ":")
		h.all = append(h.all, Field{name, strings.TrimSpace(value)})
		return found && isToken(line[:len(name)])
	case first:
		return false
	}
	last := &h.all[len(h.all)-1]
	last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(string(line)))
	return true
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
