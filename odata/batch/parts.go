package batch

import "bytes"

// parts iterates over the parts of a multipart body in one pass.
type parts struct {
	rest      []byte
	delimiter []byte // "--" and the boundary
	found     bool   // a delimiter was found
	closed    bool   // the closing delimiter was found
}

func newParts(body []byte, boundary string) *parts {
	p := &parts{rest: body, delimiter: []byte("--" + boundary)}
	_, p.found = p.cut()
	return p
}

// next returns the next part, without the line end before the delimiter. The end
// of the body ends a part as well; p.closed is false then.
func (p *parts) next() ([]byte, bool) {
	if !p.found || p.closed || len(p.rest) == 0 {
		return nil, false
	}
	part, _ := p.cut()
	part = bytes.TrimSuffix(part, []byte("\n"))
	return bytes.TrimSuffix(part, []byte("\r")), true
}

// cut returns everything before the next delimiter line and moves past it, or
// returns the whole rest if there is none.
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
			// otherwise it is a longer boundary with this prefix
			if len(bytes.TrimLeft(line, " \t")) == 0 {
				p.rest, p.closed = rest, closing
				return text[:i], true
			}
		}
		from = i + len(p.delimiter)
	}
}
