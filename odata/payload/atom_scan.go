package payload

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read. No client comes near them; they keep the work for
// each element, and so the whole, within a constant times the body's length.
const (
	// maxAttributes is how many attributes an element can have.
	maxAttributes = 64
	// maxBindings is how many namespaces can be declared at one place.
	maxBindings = 64
)

// fewElements is room for what clients send: four elements within each other,
// three namespaces, five attributes.
const fewElements = 8

// The namespaces of the prefixes that need no declaration.
const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// xmlName is a name with its namespace instead of its prefix.
type xmlName struct{ space, local string }

type xmlAttribute struct {
	prefix string // as written, until resolve has run
	name   xmlName
	value  string
}

// xmlElement is an element that has begun and not ended.
type xmlElement struct {
	tag      string // as written, with the prefix
	bindings int    // how many were in force before it
	preserve bool   // xml:space
}

// xmlBinding is what a prefix stands for; the prefix "" is the default.
type xmlBinding struct{ prefix, space string }

// xmlKind is what next has read.
type xmlKind byte

const (
	xmlStart xmlKind = iota
	xmlEnd
	xmlText
	xmlDone
)

// xmlScanner reads XML 1.0 with namespaces from the left, as far as Atom needs
// it: comments and processing instructions are skipped, and there are no
// document types, so no entities but the five. The standard library's decoder
// would take more, among it what is no XML (two roots, an attribute twice),
// and would refuse what the service takes (see [dereference]).
//
// As in the scanner of JSON, the error is ErrSyntax alone, and text without
// references is cut out of one copy of the body. Names can have any character
// outside of ASCII: which of these are letters is for the property to check.
type xmlScanner struct {
	text string
	pos  int

	open     []xmlElement
	bindings []xmlBinding
	// ended is set behind <x/>, whose end is still to be told.
	ended bool
	// rooted is set from the first element on.
	rooted bool

	// name and attributes are those of the last start.
	name       xmlName
	attributes []xmlAttribute
	// chars is the last text, which can be a part of all that an element has.
	chars string
}

// newXMLScanner copies the body, without the mark that some clients put before
// UTF-8, and reads the declaration. It reports false for what is no UTF-8, or
// has characters in it that no XML has.
func newXMLScanner(body []byte) (*xmlScanner, bool) {
	if !utf8.Valid(body) || bytes.ContainsFunc(body, notInXML) {
		return nil, false
	}
	s := &xmlScanner{
		text:       string(bytes.TrimPrefix(body, []byte("\uFEFF"))),
		open:       make([]xmlElement, 0, fewElements),
		bindings:   make([]xmlBinding, 0, fewElements),
		attributes: make([]xmlAttribute, 0, fewElements),
	}
	return s, s.declaration()
}

func notInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// declaration reads <?xml …?>, if there is one. It has the form of a start
// tag, with attributes in this order.
func (s *xmlScanner) declaration() bool {
	rest, ok := strings.CutPrefix(s.text, "<?xml")
	if !ok || rest == "" || !isXMLSpace(rest[0]) {
		return true
	}
	s.pos = len("<?xml")
	if !s.readAttributes() || !s.skip("?>") {
		return false
	}
	allowed := []string{"version", "encoding", "standalone"}
	for i, a := range s.attributes {
		for len(allowed) > 0 && allowed[0] != a.name.local {
			allowed = allowed[1:]
		}
		if len(allowed) == 0 || a.prefix != "" || i == 0 && a.name.local != "version" || !declares(a.name.local, a.value) {
			return false
		}
		allowed = allowed[1:]
	}
	return len(s.attributes) > 0
}

// declares reports whether a declaration can say so. The encoding has been
// seen by now to be UTF-8.
func declares(name, value string) bool {
	switch name {
	case "version":
		return value == "1.0"
	case "encoding":
		return strings.EqualFold(value, "utf-8")
	default:
		return value == "yes" || value == "no"
	}
}

// next reads up to the end of the next start tag, end tag or text.
func (s *xmlScanner) next() (xmlKind, error) {
	if s.ended {
		s.ended = false
		s.pop()
		return xmlEnd, nil
	}
	for {
		rest := s.text[s.pos:]
		ok := false
		switch {
		case rest == "":
			if len(s.open) > 0 || !s.rooted {
				return 0, ErrSyntax
			}
			return xmlDone, nil
		case rest[0] != '<':
			if ok = s.readText(); ok && len(s.open) > 0 && s.chars != "" {
				return xmlText, nil
			}
		case strings.HasPrefix(rest, "<!--"):
			ok = s.skipComment()
		case strings.HasPrefix(rest, "<?"):
			ok = s.skipInstruction()
		case strings.HasPrefix(rest, "<![CDATA["):
			if s.readCDATA() {
				return xmlText, nil
			}
		case strings.HasPrefix(rest, "</"):
			if s.readEnd() {
				return xmlEnd, nil
			}
		default:
			// A document type ends here too: "!" begins no name.
			if s.readStart() {
				return xmlStart, nil
			}
		}
		if !ok {
			return 0, ErrSyntax
		}
	}
}

// skipElement reads up to the end of the element that has just begun.
func (s *xmlScanner) skipElement() error {
	for depth := len(s.open); ; {
		if _, err := s.next(); err != nil {
			return err
		}
		if len(s.open) < depth {
			return nil
		}
	}
}

// attribute returns the value of the attribute with this name of the element
// that has just begun.
func (s *xmlScanner) attribute(name xmlName) (string, bool) {
	for i := range s.attributes {
		if s.attributes[i].name == name {
			return s.attributes[i].value, true
		}
	}
	return "", false
}

func (s *xmlScanner) skip(prefix string) bool {
	if !strings.HasPrefix(s.text[s.pos:], prefix) {
		return false
	}
	s.pos += len(prefix)
	return true
}

// skipSpace reports whether there was any.
func (s *xmlScanner) skipSpace() bool {
	start := s.pos
	for s.pos < len(s.text) && isXMLSpace(s.text[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

// cut returns what stands before the mark, and goes behind it.
func (s *xmlScanner) cut(mark string) (string, bool) {
	n := strings.Index(s.text[s.pos:], mark)
	if n < 0 {
		return "", false
	}
	before := s.text[s.pos : s.pos+n]
	s.pos += n + len(mark)
	return before, true
}

func (s *xmlScanner) skipComment() bool {
	s.pos += len("<!--")
	_, ok := s.cut("--")
	return ok && s.skip(">")
}

// skipInstruction refuses a declaration that is not at the start.
func (s *xmlScanner) skipInstruction() bool {
	s.pos += len("<?")
	prefix, target := s.readName()
	if target == "" || prefix != "" || strings.EqualFold(target, "xml") {
		return false
	}
	return s.skip("?>") || s.skipSpace() && s.skipTo("?>")
}

func (s *xmlScanner) skipTo(mark string) bool {
	_, ok := s.cut(mark)
	return ok
}

func isXMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
