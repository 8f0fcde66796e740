package xmlscan

import (
	"strings"
	"unicode/utf8"
)

// readStart reads a start tag with its namespaces and xml:space.
func (s *Scanner) readStart() bool {
	if s.rooted && len(s.open) == 0 || len(s.open) == MaxDepth {
		return false
	}
	s.rooted = true
	s.pos++
	start := s.pos
	prefix, local := s.readName()
	element := element{tag: s.text[start:s.pos], bindings: len(s.bindings)}
	if local == "" || !s.readAttributes() {
		return false
	}
	s.ended = s.skip("/")
	if !s.skip(">") || !s.declare() {
		return false
	}
	space, ok := s.lookUp(prefix)
	if !ok || prefix == "xmlns" || !s.resolve() {
		return false
	}
	s.Name = Name{space, local}
	if len(s.open) > 0 {
		element.preserve = s.open[len(s.open)-1].preserve
	}
	if value, ok := s.Attribute(Name{XMLNamespace, "space"}); ok {
		if value != "preserve" && value != "default" {
			return false
		}
		element.preserve = value == "preserve"
	}
	s.open = append(s.open, element)
	return true
}

// readEnd reads the end tag of the innermost open element.
func (s *Scanner) readEnd() bool {
	s.pos += len("</")
	if len(s.open) == 0 || !s.skip(s.open[len(s.open)-1].tag) {
		return false
	}
	s.skipSpace()
	if !s.skip(">") {
		return false
	}
	s.pop()
	return true
}

func (s *Scanner) pop() {
	last := len(s.open) - 1
	s.bindings = s.bindings[:s.open[last].bindings]
	s.open = s.open[:last]
}

// readName reads a name with an optional prefix. Local is "" if there is none.
func (s *Scanner) readName() (prefix, local string) {
	local = s.readPart()
	if local != "" && s.skip(":") {
		prefix, local = local, s.readPart()
	}
	return prefix, local
}

// readPart reads a name without a colon.
func (s *Scanner) readPart() string {
	start := s.pos
	for s.pos < len(s.text) && isNamePart(s.text[s.pos], s.pos == start) {
		s.pos++
	}
	return s.text[start:s.pos]
}

func isNamePart(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= utf8.RuneSelf:
		return true
	default:
		return !first && (c >= '0' && c <= '9' || c == '-' || c == '.')
	}
}

// readAttributes reads attributes and the white space around them.
func (s *Scanner) readAttributes() bool {
	s.attributes = s.attributes[:0]
	for s.skipSpace() {
		if s.pos == len(s.text) || !isNamePart(s.text[s.pos], true) {
			return true
		}
		prefix, local := s.readName()
		s.skipSpace()
		if local == "" || len(s.attributes) == MaxAttributes || !s.skip("=") {
			return false
		}
		s.skipSpace()
		value, ok := s.readQuoted()
		if !ok {
			return false
		}
		s.attributes = append(s.attributes, attribute{prefix, Name{Local: local}, value})
	}
	return true
}

// readQuoted reads an attribute's value. It keeps tabs and line breaks, which XML turns
// into spaces: no value that the service knows has any.
func (s *Scanner) readQuoted() (string, bool) {
	quote := "\""
	if !s.skip(quote) {
		if quote = "'"; !s.skip(quote) {
			return "", false
		}
	}
	raw, ok := s.cut(quote)
	if !ok || strings.IndexByte(raw, '<') >= 0 {
		return "", false
	}
	return dereference(raw)
}

// declare adds the namespaces that the last tag declares.
func (s *Scanner) declare() bool {
	for i := range s.attributes {
		a := &s.attributes[i]
		prefix := a.name.Local
		switch {
		case a.prefix == "" && prefix == "xmlns":
			prefix = ""
		case a.prefix != "xmlns":
			continue
		case a.value == "", prefix == "xmlns", (prefix == "xml") != (a.value == XMLNamespace):
			// A prefix cannot be undeclared, and xml is fixed.
			return false
		}
		if len(s.bindings) == MaxBindings {
			return false
		}
		s.bindings = append(s.bindings, binding{prefix, a.value})
	}
	return true
}

// lookUp returns the namespace of an element's prefix.
func (s *Scanner) lookUp(prefix string) (string, bool) {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].prefix == prefix {
			return s.bindings[i].space, true
		}
	}
	if prefix == "xml" {
		return XMLNamespace, true
	}
	return "", prefix == "" || prefix == "xmlns"
}

// resolve sets the namespaces of the last tag's attributes; attributes without a
// prefix have none. It reports false for duplicates.
func (s *Scanner) resolve() bool {
	for i := range s.attributes {
		a := &s.attributes[i]
		if a.prefix == "xmlns" {
			a.name.Space = xmlnsNamespace
		} else if a.prefix != "" {
			space, ok := s.lookUp(a.prefix)
			if !ok {
				return false
			}
			a.name.Space = space
		}
		for j := range i {
			if s.attributes[j].name == a.name {
				return false
			}
		}
	}
	return true
}
