package query

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sandtable/odata/filter"
)

// Problem is what is wrong with a filter, and what was probably meant.
type Problem struct {
	From, To int    // the word that is wrong, in bytes
	Column   int    // of its first character, from 1
	Text     string // in words, "" where only the service's message says it
	Meant    string // what could take its place, "" for nothing
	Service  string // the service's own message
}

// Diagnose returns what is wrong with a filter, or nil.
func Diagnose(text string) *Problem {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	_, err := filter.Parse(text)
	if err == nil {
		return nil
	}
	p := &Problem{Service: firstLine(err.Error())}
	var syntax *filter.SyntaxError
	var mistyped *filter.TypeError
	at := len(text)
	switch {
	case errors.As(err, &syntax):
		at = BytesBefore(text, syntax.Position)
	case errors.As(err, &mistyped):
		at = BytesBefore(text, mistyped.Position)
	}
	p.place(text, at)
	p.explain(text)
	p.Column = 1 + utf8.RuneCountInString(text[:p.From])
	return p
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// BytesBefore turns a position in UTF-16 code units, as browsers count, into one in bytes.
func BytesBefore(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= utf16.RuneLen(r)
	}
	return len(text)
}

// place finds the word that a position is about. The service names the end of
// a word that cannot stand where it is.
func (p *Problem) place(text string, at int) {
	p.From, p.To = at, at
	for _, w := range Words(text) {
		if w.Kind != Space && w.At < max(at, 1) && w.End() >= at || w.At == at && w.Kind != Space {
			p.From, p.To = w.At, w.End()
			if w.End() == at || w.At == at {
				break
			}
		}
	}
}

// misspelt are words that people write for operators.
var misspelt = map[string]string{
	"=": "eq", "==": "eq", "equals": "eq", "is": "eq", "!=": "ne", "<>": "ne", ">": "gt", ">=": "ge", "gte": "ge", "<": "lt", "<=": "le", "lte": "le",
	"AND": "and", "And": "and", "&&": "and", "OR": "or", "Or": "or", "||": "or", "NOT": "not", "Not": "not", "EQ": "eq", "NE": "ne", "GT": "gt", "GE": "ge", "LT": "lt", "LE": "le",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
}

func (p *Problem) explain(text string) {
	words := significant(text)
	for i, w := range words {
		meant, known := misspelt[w.Text]
		if symbol, end, ok := symbolAt(text, w.At); ok {
			meant, known = symbol, true
			w = Word{Punctuation, text[w.At:end], w.At}
		}
		if known && (w.Kind == Punctuation || i > 0 || meant == "not") {
			p.From, p.To, p.Meant = w.At, w.End(), meant
			p.Text = w.Text + " is not an operator."
			if meant == "true" || meant == "false" {
				p.Text = w.Text + " is not a value."
			}
			return
		}
		if w.Kind == Name && i > 0 && words[i-1].Kind == Name {
			p.operator(w)
			return
		}
		if w.Kind == Name && i+1 < len(words) && words[i+1].Text == "(" {
			p.function(words, i)
			return
		}
	}
	if p.integer(words) {
		return
	}
	if strings.Count(text, "'")%2 == 1 {
		p.Text = "A quote is not closed. A quote inside a string is written twice: ''."
		return
	}
	if strings.Count(text, "\"") > 0 {
		p.Text = "Strings are written in single quotes."
		return
	}
	if len(words) > 0 {
		switch last := words[len(words)-1]; {
		case last.Kind == Compare:
			p.Text = "A value is missing after " + last.Text + "."
		case last.Kind == Keyword:
			p.Text = "A condition is missing after " + last.Text + "."
		case last.Kind == Name && p.To >= last.At:
			p.Text = "A comparison is missing, such as " + last.Text + " eq 'value'."
		}
	}
}

// operator explains a word where an operator belongs.
func (p *Problem) operator(w Word) {
	p.From, p.To = w.At, w.End()
	p.Text = w.Text + " is not an operator."
	for _, o := range []string{"eq", "ne", "ge", "gt", "le", "lt", "and", "or"} {
		word := strings.ToLower(w.Text)
		if len(word) == len(o) && word[0] == o[1] && word[1] == o[0] && len(o) == 2 || distance(word, o) == 1 {
			p.Meant = o
			return
		}
	}
}

// integer explains an integer that is too large for its type, and reports whether
// there is one where the problem is.
func (p *Problem) integer(words []Word) bool {
	for _, w := range words {
		if w.Kind != Number || w.At != p.From || strings.Trim(w.Text, "-0123456789") != "" {
			continue
		}
		if _, err := strconv.ParseInt(w.Text, 10, 32); err == nil {
			return false // the problem is another one
		}
		if _, err := strconv.ParseInt(w.Text, 10, 64); err != nil {
			p.Text = w.Text + " is too large, also for an Int64."
			return true
		}
		p.Meant = w.Text + "L"
		p.Text = "An integer of more than 32 bits ends with L."
		return true
	}
	return false
}

// significant returns the words of a text without spaces.
func significant(text string) (words []Word) {
	for _, w := range Words(text) {
		if w.Kind != Space {
			words = append(words, w)
		}
	}
	return words
}

// symbolAt reads an operator that is written in symbols.
func symbolAt(text string, at int) (meant string, end int, ok bool) {
	for _, n := range []int{2, 1} {
		if at+n <= len(text) {
			if meant, ok := misspelt[text[at:at+n]]; ok && !isNamePart(text[at]) {
				return meant, at + n, true
			}
		}
	}
	return "", 0, false
}

// function explains a call: the service has none, but some can be written as a
// range.
func (p *Problem) function(words []Word, i int) {
	p.From, p.To = words[i].At, words[i].End()
	name := words[i].Text
	p.Text = "The Table service has no functions, so no " + name + "."
	rest := words[i:]
	if len(rest) >= 6 && name == "startswith" && rest[2].Kind == Name && rest[3].Text == "," && rest[4].Kind == String && rest[5].Text == ")" {
		p.To = rest[5].End()
		text := rest[4].Text
		p.Meant = beginsWith(rest[2].Text, strings.ReplaceAll(text[1:len(text)-1], "''", "'"))
		if i > 0 && words[i-1].Text == "not" {
			p.Meant = "(" + p.Meant + ")"
		}
		p.Text = "The Table service has no startswith. A range does the same."
	}
}

// Condition returns the condition of the text that is wrong: what is before the wrong
// word, the word, and what follows it.
func (p *Problem) Condition(text string) (before, wrong, after string) {
	from, to := 0, len(text)
	for _, w := range Words(text) {
		switch {
		case w.Text != "and" && w.Text != "or":
		case w.End() <= p.From:
			from = w.End()
		case w.At >= p.To:
			to = min(to, w.At)
		}
	}
	return strings.TrimLeft(text[from:p.From], " "), text[p.From:p.To], strings.TrimRight(text[p.To:to], " ")
}

// Correct returns the text with what was meant in its place, as a word of its own.
func (p *Problem) Correct(text string) string {
	before, after := text[:p.From], text[p.To:]
	if strings.TrimRight(before, " \t\r\n(") == before {
		before += " "
	}
	if strings.TrimLeft(after, " \t\r\n)") == after {
		after = " " + after
	}
	return strings.TrimSpace(before + p.Meant + after)
}
