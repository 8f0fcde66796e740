package xmlscan

import (
	"errors"
	"strings"
)

// Limits far above what clients send. They bound the work per element, and so
// make the whole linear in the length of the document.
const (
	// MaxAttributes limits the attributes of an element.
	MaxAttributes = 64
	// MaxDepth limits the nesting of elements.
	MaxDepth = 64
	// MaxBindings limits the namespaces in scope.
	MaxBindings = 64
)

// fewElements is a capacity for what clients send: four nested elements, three
// namespaces, five attributes.
const fewElements = 8

// The namespaces of the predefined prefixes.
const (
	XMLNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// Name is a name with its namespace.
type Name struct{ Space, Local string }

type attribute struct {
	prefix string // as written
	name   Name
	value  string
}

// element is an open element.
type element struct {
	tag      string // as written, with the prefix
	bindings int    // number in scope before it
	preserve bool   // xml:space
}

// binding maps a prefix to a namespace; the prefix "" is the default.
type binding struct{ prefix, space string }

// ErrSyntax means malformed XML, or XML beyond what this package reads.
var ErrSyntax = errors.New("xml is malformed")

// Kind is the kind of token that [Scanner.Next] has read.
type Kind byte

// The kinds.
const (
	// Start is a start tag; its name is in Name.
	Start Kind = iota
	// End is the end of the innermost open element.
	End
	// Text is a part of an element's text, in Chars.
	Text
	// Done is the end of the document.
	Done
)

// Scanner reads a document. Comments and processing instructions are skipped.
// Text without references is a substring of one copy of the document. Names may
// contain any non-ASCII character; the caller compares them with known names.
type Scanner struct {
	// Name is the name of the last Start.
	Name Name
	// Chars is the last Text, possibly only a part of an element's text.
	Chars string

	text string
	pos  int

	open     []element
	bindings []binding
	ended    bool // after <x/>: Next returns End
	rooted   bool // the root has started

	// attributes of the last Start
	attributes []attribute
}

// NotInXML reports whether XML does not allow a character, even as a reference.
// The scanner accepts such references nevertheless, because clients send them.
func NotInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// Attribute returns an attribute of the element that has just started.
func (s *Scanner) Attribute(name Name) (string, bool) {
	for i := range s.attributes {
		if s.attributes[i].name == name {
			return s.attributes[i].value, true
		}
	}
	return "", false
}

func (s *Scanner) skip(prefix string) bool {
	if !strings.HasPrefix(s.text[s.pos:], prefix) {
		return false
	}
	s.pos += len(prefix)
	return true
}

// skipSpace reports whether there was any.
func (s *Scanner) skipSpace() bool {
	start := s.pos
	for s.pos < len(s.text) && isSpace(s.text[s.pos]) {
		s.pos++
	}
	return s.pos > start
}

// cut returns the text before the mark and moves past the mark.
func (s *Scanner) cut(mark string) (string, bool) {
	n := strings.Index(s.text[s.pos:], mark)
	if n < 0 {
		return "", false
	}
	before := s.text[s.pos : s.pos+n]
	s.pos += n + len(mark)
	return before, true
}

func (s *Scanner) skipTo(mark string) bool {
	_, ok := s.cut(mark)
	return ok
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
