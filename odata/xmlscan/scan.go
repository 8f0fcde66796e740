package xmlscan

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read. No client comes near them; they keep the work for
// each element, and so the whole, within a constant times the body's length.
const (
	// MaxAttributes is how many attributes an element can have.
	MaxAttributes = 64
	// MaxDepth is how many elements can stand within each other.
	MaxDepth = 64
	// MaxBindings is how many namespaces can be declared at one place.
	MaxBindings = 64
)

// fewElements is room for what clients send: four elements within each other,
// three namespaces, five attributes.
const fewElements = 8

// The namespaces of the prefixes that need no declaration.
const (
	XMLNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// Name is a name with its namespace instead of its prefix.
type Name struct{ Space, Local string }

type attribute struct {
	prefix string // as written, until resolve has run
	name   Name
	value  string
}

// element is an element that has begun and not ended.
type element struct {
	tag      string // as written, with the prefix
	bindings int    // how many were in force before it
	preserve bool   // xml:space
}

// binding is what a prefix stands for; the prefix "" is the default.
type binding struct{ prefix, space string }

// ErrSyntax is a text that is no XML, or none of the kind that is read here.
var ErrSyntax = errors.New("xml is malformed")

// Kind is what [Scanner.Next] has read.
type Kind byte

// The kinds.
const (
	// Start is the beginning of an element, whose Name there is.
	Start Kind = iota
	// End is the end of the innermost element that is open.
	End
	// Text is a part of an element's text, in Chars.
	Text
	// Done is the end of the document.
	Done
)

// Scanner reads a document. Comments and processing instructions are skipped.
// Text without references is cut out of one copy of the document. Names can
// have any character outside of ASCII: which of these are letters is for
// whoever knows the names.
type Scanner struct {
	// Name is that of the last Start.
	Name Name
	// Chars is the last Text, which can be a part of all that an element has.
	Chars string

	text string
	pos  int

	open     []element
	bindings []binding
	// ended is set behind <x/>, whose end is still to be told.
	ended bool
	// rooted is set from the first element on.
	rooted bool

	// attributes are those of the last Start.
	attributes []attribute
}

// New copies the body, without the mark that some clients put before
// UTF-8, and reads the declaration. It reports false for what is no UTF-8, or
// has characters in it that no XML has.
func New(body []byte) (*Scanner, bool) {
	if !utf8.Valid(body) || bytes.ContainsFunc(body, notInXML) {
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

func notInXML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

// declaration reads <?xml …?>, if there is one. It has the form of a start
// tag, with attributes in this order.
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
		if len(allowed) == 0 || a.prefix != "" || i == 0 && a.name.Local != "version" || !declares(a.name.Local, a.value) {
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

// Next reads up to the end of the next start tag, end tag or text.
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
			// A document type ends here too: "!" begins no name.
			if s.readStart() {
				return Start, nil
			}
		}
		if !ok {
			return 0, ErrSyntax
		}
	}
}

// SkipElement reads up to the end of the element that has just begun.
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

// Attribute returns the value of the attribute with this name of the element
// that has just begun.
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

// cut returns what stands before the mark, and goes behind it.
func (s *Scanner) cut(mark string) (string, bool) {
	n := strings.Index(s.text[s.pos:], mark)
	if n < 0 {
		return "", false
	}
	before := s.text[s.pos : s.pos+n]
	s.pos += n + len(mark)
	return before, true
}

func (s *Scanner) skipComment() bool {
	s.pos += len("<!--")
	_, ok := s.cut("--")
	return ok && s.skip(">")
}

// skipInstruction refuses a declaration that is not at the start.
func (s *Scanner) skipInstruction() bool {
	s.pos += len("<?")
	prefix, target := s.readName()
	if target == "" || prefix != "" || strings.EqualFold(target, "xml") {
		return false
	}
	return s.skip("?>") || s.skipSpace() && s.skipTo("?>")
}

func (s *Scanner) skipTo(mark string) bool {
	_, ok := s.cut(mark)
	return ok
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
