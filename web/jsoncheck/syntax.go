package jsoncheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Problem says what is wrong with a text, and where. In the zero Problem nothing is.
type Problem struct {
	Line     int    // of the text, from 1
	Property string // "" if it is not about one
	Text     string // in words
}

// String returns the problem with its place.
func (p Problem) String() string {
	if p.Property != "" {
		return fmt.Sprintf("line %d, %s: %s", p.Line, p.Property, p.Text)
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Syntax returns what is wrong with the first JSON value of a text.
func Syntax(text string) Problem {
	var value json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return Problem{}
	case !errors.As(err, &syntax):
		end := len(strings.TrimRight(text, " \t\r\n"))
		return Problem{Line: lineOf(text, end), Text: "the text ends before a quote, a bracket or a brace is closed"}
	}
	at := max(0, int(syntax.Offset)-1)
	words := syntaxWords(syntax.Error(), text[at:])
	if text[at] == '}' || text[at] == ']' { // what is wrong comes before it
		at = len(strings.TrimRight(text[:at], " \t\r\n"))
	}
	return Problem{Line: lineOf(text, at), Text: words}
}

// reasons are the decoder's words for where it found what it did not expect, and ours.
// %s is what it found.
var reasons = []struct{ context, words string }{
	{"object key string", "a name in double quotes is missing before %s"},
	{"after object key:value pair", "a comma or a closing brace is missing before %s"},
	{"after object key", "a colon is missing before %s"},
	{"after array element", "a comma or a closing bracket is missing before %s"},
	{"looking for beginning of value", "%s does not begin a value: a text needs double quotes"},
	{"in string literal", `a text is not closed in its line: a line end in a text is written \n`},
	{"in string escape code", `a \ in a text is written \\`},
	{"hexadecimal character escape", `\u needs four hexadecimal digits`},
	{"numeric literal", "a number is not complete before %s"},
	{"in literal", "a word without quotes is true, false or null"},
}

func syntaxWords(message, from string) string {
	if after := strings.Contains(message, "looking for"); after && (from[0] == '}' || from[0] == ']') {
		return fmt.Sprintf("a value or a name is missing before %s, or there is a comma too many", found(from))
	}
	for _, r := range reasons {
		if strings.Contains(message, r.context) {
			return strings.ReplaceAll(r.words, "%s", found(from))
		}
	}
	return "malformed before " + found(from)
}

// found quotes the word or the character with which a text begins.
func found(text string) string {
	text = text[:min(len(text), 100)] // of which 20 characters are shown
	end := strings.IndexAny(text, " \t\r\n,:{}[]")
	switch {
	case end < 0:
		end = len(text)
	case end == 0:
		_, end = utf8.DecodeRuneInString(text)
	}
	word := []rune(text[:end])
	if len(word) > 20 {
		word = append(word[:20], '…')
	}
	return "“" + string(word) + "”"
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }
