package xmlscan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// New copies the body, without a byte order mark, and reads the declaration. It
// reports false for invalid UTF-8 and for characters that XML does not allow.
func New(body []byte) (*Scanner, bool) {
	if !utf8.Valid(body) || bytes.ContainsFunc(body, NotInXML) {
		return nil, false
	}
	s := &Scanner{
		text:       string(bytes.TrimPrefix(body, []byte("\uFEFF"))),
		open:       make([]element, 0, fewElements),
		bindings:   make([]binding, 0, fewElements),
		attributes: make([]attribute, 0, fewElements),
	}
	return s, s.declaration()
}

// declaration reads an optional <?xml …?>, which has the form of a start tag with
// attributes in a fixed order.
func (s *Scanner) declaration() bool {
	rest, ok := strings.CutPrefix(s.text, "<?xml")
	if !ok || rest == "" || !isSpace(rest[0]) {
		return true
	}
	s.pos = len("<?xml")
	if !s.readAttributes() || !s.skip("?>") {
		return false
	}
	allowed := []string{"version", "encoding", "standalone"}
	for i, a := range s.attributes {
		for len(allowed) > 0 && allowed[0] != a.name.Local {
			allowed = allowed[1:]
		}
		if len(allowed) == 0 || a.prefix != "" || i == 0 && a.name.Local != "version" || !isDeclaration(a.name.Local, a.value) {
			return false
		}
		allowed = allowed[1:]
	}
	return len(s.attributes) > 0
}

// isDeclaration reports whether a declaration may have this attribute. The body
// is known to be UTF-8.
func isDeclaration(name, value string) bool {
	switch name {
	case "version":
		return value == "1.0"
	case "encoding":
		return strings.EqualFold(value, "utf-8")
	default:
		return value == "yes" || value == "no"
	}
}

// Next reads the next start tag, end tag or text.
func (s *Scanner) Next() (Kind, error) {
	if s.ended {
		s.ended = false
		s.pop()
		return End, nil
	}
	for {
		rest := s.text[s.pos:]
		ok := false
		switch {
		case rest == "":
			if len(s.open) > 0 || !s.rooted {
				return 0, ErrSyntax
			}
			return Done, nil
		case rest[0] != '<':
			if ok = s.readText(); ok && len(s.open) > 0 && s.Chars != "" {
				return Text, nil
			}
		case strings.HasPrefix(rest, "<!--"):
			ok = s.skipComment()
		case strings.HasPrefix(rest, "<?"):
			ok = s.skipInstruction()
		case strings.HasPrefix(rest, "<![CDATA["):
			if s.readCDATA() {
				return Text, nil
			}
		case strings.HasPrefix(rest, "</"):
			if s.readEnd() {
				return End, nil
			}
		default:
			// This refuses document types, too: no name starts with "!".
			if s.readStart() {
				return Start, nil
			}
		}
		if !ok {
			return 0, ErrSyntax
		}
	}
}

// SkipElement skips the rest of the element that has just started.
func (s *Scanner) SkipElement() error {
	for depth := len(s.open); ; {
		if _, err := s.Next(); err != nil {
			return err
		}
		if len(s.open) < depth {
			return nil
		}
	}
}

func (s *Scanner) skipComment() bool {
	s.pos += len("<!--")
	_, ok := s.cut("--")
	return ok && s.skip(">")
}

// skipInstruction skips a processing instruction. It refuses an XML declaration,
// which is only allowed at the start.
func (s *Scanner) skipInstruction() bool {
	s.pos += len("<?")
	prefix, target := s.readName()
	if target == "" || prefix != "" || strings.EqualFold(target, "xml") {
		return false
	}
	return s.skip("?>") || s.skipSpace() && s.skipTo("?>")
}
