package query

import "strings"

// Kind says what a word of a filter is.
type Kind uint8

// The kinds of words.
const (
	Space   Kind = iota
	Name         // of a property
	Keyword      // and, or, not
	Compare      // eq, ne, gt, ge, lt, le
	String
	Number
	Other // true, false, null, datetime'…', guid'…', X'…'
	Punctuation
)

// Word is a part of a filter. The words of a text follow each other without a
// gap, so that their texts make the whole.
type Word struct {
	Kind Kind
	Text string
	At   int // bytes before it
}

// End returns how many bytes are before what follows the word.
func (w Word) End() int { return w.At + len(w.Text) }

var operators = map[string]bool{"eq": true, "ne": true, "gt": true, "ge": true, "lt": true, "le": true}

var keywords = map[string]bool{"and": true, "or": true, "not": true}

// Words splits a filter into words. It accepts every text.
func Words(text string) []Word {
	var all []Word
	for at := 0; at < len(text); {
		w := wordAt(text, at)
		all = append(all, w)
		at = w.End()
	}
	return all
}

func wordAt(text string, at int) Word {
	rest := text[at:]
	c := rest[0]
	switch {
	case isSpace(c):
		return Word{Space, rest[:count(rest, isSpace)], at}
	case c == '\'':
		return Word{String, rest[:stringEnd(rest)], at}
	case isDigit(c), c == '-' && len(rest) > 1 && isDigit(rest[1]):
		return Word{Number, rest[:1+count(rest[1:], isNumberPart)], at}
	case !isNamePart(c):
		return Word{Punctuation, rest[:1], at}
	}
	n := count(rest, isNamePart)
	name := rest[:n]
	if n < len(rest) && rest[n] == '\'' {
		switch strings.ToLower(name) {
		case "datetime", "guid", "binary", "x":
			return Word{Other, rest[:n+stringEnd(rest[n:])], at}
		}
	}
	switch {
	case operators[name]:
		return Word{Compare, name, at}
	case keywords[name]:
		return Word{Keyword, name, at}
	case name == "true", name == "false", name == "null":
		return Word{Other, name, at}
	}
	return Word{Name, name, at}
}

// stringEnd returns the length of the quoted text at the beginning.
func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

func count(text string, part func(byte) bool) int {
	n := 0
	for n < len(text) && part(text[n]) {
		n++
	}
	return n
}

func isSpace(c byte) bool      { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isNumberPart(c byte) bool { return isDigit(c) || strings.IndexByte(".eE+LlDd", c) >= 0 }
func isNamePart(c byte) bool {
	return isDigit(c) || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// Quote returns a text as a string of a filter.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
