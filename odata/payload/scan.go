package payload

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth limits the nesting of arrays and objects, and so the stack. Entities
// need one level and collections three.
const maxDepth = 64

// kind is the kind of a JSON value.
type kind byte

const (
	kindNull kind = iota
	kindString
	kindNumber
	kindTrue
	kindFalse
	// kindNested is an object or an array, whose content is skipped.
	kindNested
)

// token is a JSON value. Text is an unescaped string, or the literal of a number.
type token struct {
	kind kind
	text string
}

// scanner reads JSON from the left. Its only error is ErrSyntax, so its methods
// report success as a bool.
//
// Strings without escapes are substrings of the text.
type scanner struct {
	text string
	pos  int
}

// newScanner skips a byte order mark, which some clients send. It reports false
// for invalid UTF-8, which could not be returned as it was sent.
func newScanner(text string) (scanner, bool) {
	return scanner{text: strings.TrimPrefix(text, "\uFEFF")}, utf8.ValidString(text)
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte after white space, 0 at the end.
func (s *scanner) peek() byte {
	s.skipSpace()
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// skip skips c if it is the next byte after white space.
func (s *scanner) skip(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// atEnd reports whether only white space is left.
func (s *scanner) atEnd() bool {
	s.skipSpace()
	return s.pos == len(s.text)
}

// object reads an object and calls each to read the value of each member.
func (s *scanner) object(each func(name string) error) error {
	if !s.skip('{') {
		return ErrSyntax
	}
	if s.skip('}') {
		return nil
	}
	for {
		name, ok := s.name()
		if !ok {
			return ErrSyntax
		}
		if err := each(name); err != nil {
			return err
		}
		if s.skip('}') {
			return nil
		}
		if !s.skip(',') {
			return ErrSyntax
		}
	}
}

// array reads an array and calls each to read each element.
func (s *scanner) array(each func() error) error {
	if !s.skip('[') {
		return ErrSyntax
	}
	if s.skip(']') {
		return nil
	}
	for {
		if err := each(); err != nil {
			return err
		}
		if s.skip(']') {
			return nil
		}
		if !s.skip(',') {
			return ErrSyntax
		}
	}
}

// name reads a member's name and the colon.
func (s *scanner) name() (string, bool) {
	if s.peek() != '"' {
		return "", false
	}
	name, ok := s.string()
	return name, ok && s.skip(':')
}

// value reads any value. Objects and arrays are checked and skipped.
func (s *scanner) value() (token, bool) { return s.valueAt(0) }

func (s *scanner) valueAt(depth int) (token, bool) {
	switch c := s.peek(); c {
	case '"':
		text, ok := s.string()
		return token{kindString, text}, ok
	case 'n':
		return token{kind: kindNull}, s.literal("null")
	case 't':
		return token{kind: kindTrue}, s.literal("true")
	case 'f':
		return token{kind: kindFalse}, s.literal("false")
	case '{', '[':
		return token{kind: kindNested}, s.nested(c, depth+1)
	default:
		n := numberLen(s.text[s.pos:])
		text := s.text[s.pos : s.pos+n]
		s.pos += n
		return token{kindNumber, text}, n > 0
	}
}

func (s *scanner) nested(open byte, depth int) bool {
	if depth > maxDepth {
		return false
	}
	element := func() error {
		if _, ok := s.valueAt(depth); !ok {
			return ErrSyntax
		}
		return nil
	}
	if open == '[' {
		return s.array(element) == nil
	}
	return s.object(func(string) error { return element() }) == nil
}

func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		return false
	}
	s.pos += len(word)
	return true
}

// string reads a string; the scanner is at its first quote.
func (s *scanner) string() (string, bool) {
	start := s.pos + 1
	for i := start; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return s.text[start:i], true
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// escaped reads the rest of a string that starts at start and has its first
// escape at i.
func (s *scanner) escaped(start, i int) (string, bool) {
	buf := make([]byte, 0, 2*(i-start)+16)
	for i < len(s.text) {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return string(append(buf, s.text[start:i]...)), true
		case c < ' ':
			return "", false
		case c != '\\':
			i++
			continue
		}
		buf = append(buf, s.text[start:i]...)
		r, n := unescape(s.text[i:])
		if n == 0 {
			return "", false
		}
		buf = utf8.AppendRune(buf, r)
		i += n
		start = i
	}
	return "", false
}

// unescape returns the character of the escape at the start of text and the
// escape's length, 0 if it is invalid. An unpaired surrogate is invalid: UTF-8
// cannot represent it.
func unescape(text string) (rune, int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	high, ok := unit(text)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(high):
		return high, 6
	}
	// DecodeRune returns U+FFFD, which no pair encodes, if low is not the other half.
	low, _ := unit(text[6:])
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return r, 12
	}
	return 0, 0
}

// unit reads \uXXXX.
func unit(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// numberLen returns the length of the JSON number at the start of text, or 0.
func numberLen(text string) int {
	i := 0
	if strings.HasPrefix(text, "-") {
		i++
	}
	switch n := digitsLen(text[i:]); {
	case n == 0:
		return 0
	case n > 1 && text[i] == '0':
		return 0
	default:
		i += n
	}
	if i < len(text) && text[i] == '.' {
		n := digitsLen(text[i+1:])
		if n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		n := digitsLen(text[i:])
		if n == 0 {
			return 0
		}
		i += n
	}
	return i
}

func digitsLen(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
