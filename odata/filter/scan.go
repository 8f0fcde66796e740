package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sandtable/odata"
)

// kind is the lexical kind of a token.
type kind uint8

const (
	end kind = iota
	name
	stringLiteral
	integerLiteral
	int64Literal
	doubleLiteral
	dateTimeLiteral
	guidLiteral
	binaryLiteral
	leftParen
	rightParen
	comma
	minus
	otherSign // of OData, but not of the Table service
)

// token is a token with its position and end in UTF-16 code units.
type token struct {
	kind     kind
	position int
	end      int
	text     string
}

// is reports whether the token is this word.
func (t token) is(word string) bool { return t.kind == name && t.text == word }

// infinity is the literal in filters; JSON has another name.
const infinity = "INF"

// literalPrefixes are the names, in lower case, that start a constant if a quote
// follows immediately. Otherwise they are ordinary names.
var literalPrefixes = map[string]kind{
	"datetime": dateTimeLiteral,
	"guid":     guidLiteral,
	"x":        binaryLiteral,
	"binary":   binaryLiteral,
}

// scanner splits a filter into tokens in one pass.
type scanner struct {
	text   string
	offset int // in bytes
	units  int // the same place in UTF-16 code units
}

// advance moves on by n bytes.
func (s *scanner) advance(n int) {
	s.units += odata.UTF16Len(s.text[s.offset : s.offset+n])
	s.offset += n
}

// rest returns the text that is left.
func (s *scanner) rest() string { return s.text[s.offset:] }

// scan returns the next token, and end at the end of the text.
func (s *scanner) scan() (token, *SyntaxError) {
	s.advance(len(s.rest()) - len(strings.TrimLeftFunc(s.rest(), unicode.IsSpace)))
	t := token{position: s.units}
	start := s.offset
	k, problem := s.cut()
	if problem != "" {
		return token{}, syntaxError(problem, s.units, s.text)
	}
	t.kind, t.end, t.text = k, s.units, s.text[start:s.offset]
	return t, nil
}

// cut skips one token. On an error the scanner is at the position of the error.
func (s *scanner) cut() (k kind, problem string) {
	if s.rest() == "" {
		return end, ""
	}
	switch c := s.rest()[0]; c {
	case '(':
		return s.sign(leftParen)
	case ')':
		return s.sign(rightParen)
	case ',':
		return s.sign(comma)
	case '=', '/', '?', '.', '*', ':':
		return s.sign(otherSign)
	case '\'':
		return s.quoted()
	case '-':
		return s.negative()
	default:
		if isDigit(c) {
			return s.number()
		}
		return s.word()
	}
}

func (s *scanner) sign(k kind) (kind, string) {
	s.advance(1)
	return k, ""
}

// quoted skips a string. A doubled quote does not end it.
func (s *scanner) quoted() (kind, string) {
	for strings.HasPrefix(s.rest(), "'") {
		length := strings.IndexByte(s.rest()[1:], '\'')
		if length < 0 {
			s.advance(len(s.rest()))
			return end, unterminatedString
		}
		s.advance(length + 2)
	}
	return stringLiteral, ""
}

// negative skips a number with a sign, or the sign alone.
func (s *scanner) negative() (kind, string) {
	s.advance(1)
	switch {
	case s.rest() != "" && isDigit(s.rest()[0]):
		return s.number()
	case s.rest()[:nameLength(s.rest())] == infinity:
		s.advance(len(infinity))
		return doubleLiteral, ""
	}
	return minus, ""
}

// number skips an unsigned number and its suffix.
func (s *scanner) number() (kind, string) {
	k := integerLiteral
	s.digits()
	if s.skip(".") {
		k = doubleLiteral
		if !s.digits() {
			return end, digitExpected
		}
	}
	if s.skip("Ee") {
		k = doubleLiteral
		s.skip("+-")
		if !s.digits() {
			return end, digitExpected
		}
	}
	switch {
	case s.skip("Ll"):
		k = int64Literal
	case s.skip("Dd"):
		k = doubleLiteral
	}
	return k, ""
}

// digits skips digits and reports whether there were any.
func (s *scanner) digits() bool {
	n := 0
	for n < len(s.rest()) && isDigit(s.rest()[n]) {
		n++
	}
	s.advance(n)
	return n > 0
}

// skip skips one of the given characters, if one is next.
func (s *scanner) skip(characters string) bool {
	if s.rest() == "" || strings.IndexByte(characters, s.rest()[0]) < 0 {
		return false
	}
	s.advance(1)
	return true
}

// word skips a name, or a constant that starts with one.
func (s *scanner) word() (kind, string) {
	n := nameLength(s.rest())
	if n == 0 {
		_, size := utf8.DecodeRuneInString(s.rest())
		return end, invalidCharacter(s.rest()[:size])
	}
	word := s.rest()[:n]
	s.advance(n)
	if !strings.HasPrefix(s.rest(), "'") {
		return name, ""
	}
	k, ok := literalPrefixes[strings.ToLower(word)]
	if !ok {
		return name, ""
	}
	length := strings.IndexByte(s.rest()[1:], '\'')
	if length < 0 {
		s.advance(len(s.rest()))
		return end, unterminated
	}
	s.advance(length + 2)
	return k, ""
}

// nameLength returns the length of the name at the start of s, or 0. Names are C#
// identifiers, as in [odata.CheckPropertyName].
func nameLength(s string) int {
	for i, r := range s {
		if r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
			continue
		}
		if i == 0 || !unicode.In(r, unicode.Nd, unicode.Pc, unicode.Mn, unicode.Mc, unicode.Cf) {
			return i
		}
	}
	return len(s)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
