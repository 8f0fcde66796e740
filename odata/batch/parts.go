package batch

import "bytes"

// parts walks over the parts of a multipart body, in one pass.
type parts struct {
	rest      []byte
	delimiter []byte // "--" and the boundary
	found     bool   // a delimiter was there
	closed    bool   // the closing delimiter was there
}

func newParts(body []byte, boundary string) *parts {
	p := &parts{rest: body, delimiter: []byte("--" + boundary)}
	_, p.found = p.cut()
	return p
}

// next returns the next part, without the line end that belongs to the
// delimiter behind it. The end of the body ends a part as well, which
// p.closed tells apart.
func (p *parts) next() ([]byte, bool) {
	if !p.found || p.closed || len(p.rest) == 0 {
		return nil, false
	}
	part, _ := p.cut()
	part = bytes.TrimSuffix(part, []byte("\n"))
	return bytes.TrimSuffix(part, []byte("\r")), true
}

// cut returns what stands before the next line that is a delimiter, and goes
// on behind that line. Without such a line it returns everything.
func (p *parts) cut() (before []byte, found bool) {
	text := p.rest
	for from := 0; ; {
		i := bytes.Index(text[from:], p.delimiter)
		if i < 0 {
			p.rest = nil
			return text, false
		}
		i += from
		if i == 0 || text[i-1] == '\n' {
			line, rest := cutLine(text[i+len(p.delimiter):])
			line, closing := bytes.CutPrefix(line, []byte("--"))
			// A longer boundary that begins like this one is another one.
			if len(bytes.TrimLeft(line, " \t")) == 0 {
				p.rest, p.closed = rest, closing
				return text[:i], true
			}
		}
		from = i + len(p.delimiter)
	}
}
