package query

import (
	"slices"
	"strings"

	"sandtable/odata"
)

// Property is a property that a filter can name.
type Property struct {
	Name string
	Type odata.Type  // 0 where values differ
	Min  odata.Value // of numbers and dates
	Max  odata.Value
}

// Suggestion is an entry of the completion.
type Suggestion struct {
	Group  string // "Properties", "Operators", "Values"
	Label  string
	Detail string
	Insert string // what takes the place of the text from From to To
	From   int    // in bytes
	To     int
	Type   odata.Type // of a property
}

// Complete returns what can follow at the caret, which is in bytes.
func Complete(text string, caret int, properties []Property) []Suggestion {
	before, typed := context(text, caret)
	from := caret - len(typed)
	to := caret + count(text[caret:], isNamePart)
	switch expects(before) {
	case wantName:
		return append(completeNames(properties, typed, from, to), completeWords([]Suggestion{
			{Label: "not ( … )", Detail: "the opposite", Insert: "not ("}}, typed, from, to)...)
	case wantOperator:
		return completeOperators(typed, from, to)
	case wantValue:
		return completeValues(before, properties, typed, from, to)
	case wantJoin:
		return completeWords([]Suggestion{{Label: "and", Detail: "both hold", Insert: "and "}, {Label: "or", Detail: "one of them holds", Insert: "or "}}, typed, from, to)
	}
	return nil
}

// context returns the words before the caret, without spaces, and the part of a
// word that ends there.
func context(text string, caret int) (before []Word, typed string) {
	before = significant(text[:caret])
	if n := len(before); n > 0 && before[n-1].End() == caret && before[n-1].Kind != Punctuation {
		return before[:n-1], before[n-1].Text
	}
	return before, ""
}

type expectation uint8

const (
	wantName expectation = iota
	wantOperator
	wantValue
	wantJoin
)

func expects(before []Word) expectation {
	if len(before) == 0 {
		return wantName
	}
	last := before[len(before)-1]
	switch last.Kind {
	case Name:
		return wantOperator
	case Compare:
		return wantValue
	case Keyword:
		return wantName
	case Punctuation:
		if last.Text == "(" {
			return wantName
		}
	}
	return wantJoin
}

func completeNames(properties []Property, typed string, from, to int) []Suggestion {
	var all []Suggestion
	for _, p := range properties {
		if matches(p.Name, typed) {
			all = append(all, Suggestion{Group: "Properties", Label: p.Name, Insert: p.Name + " ", From: from, To: to, Type: p.Type})
		}
	}
	return all
}

// matches reports whether a name contains what was typed, in whatever case.
func matches(name, typed string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(typed))
}

func completeWords(all []Suggestion, typed string, from, to int) []Suggestion {
	return slices.DeleteFunc(fill(all, from, to), func(s Suggestion) bool { return !strings.HasPrefix(s.Insert, typed) })
}

func fill(all []Suggestion, from, to int) []Suggestion {
	for i := range all {
		if all[i].Group == "" {
			all[i].Group = "Operators"
		}
		all[i].From, all[i].To = from, to
	}
	return all
}

func completeOperators(typed string, from, to int) []Suggestion {
	all := fill([]Suggestion{
		{Label: "eq", Detail: "equals", Insert: "eq "}, {Label: "ne", Detail: "not equal to", Insert: "ne "},
		{Label: "ge", Detail: "at least", Insert: "ge "}, {Label: "gt", Detail: "more than", Insert: "gt "},
		{Label: "le", Detail: "at most", Insert: "le "}, {Label: "lt", Detail: "less than", Insert: "lt "},
	}, from, to)
	return slices.DeleteFunc(all, func(s Suggestion) bool {
		return !strings.HasPrefix(s.Label, typed) && !matches(s.Detail, typed)
	})
}

// completeValues offers literals of the property's type.
func completeValues(before []Word, properties []Property, typed string, from, to int) []Suggestion {
	if len(before) < 2 {
		return nil
	}
	name := before[len(before)-2].Text
	i := slices.IndexFunc(properties, func(p Property) bool { return p.Name == name })
	if i < 0 || typed != "" {
		return nil
	}
	p := properties[i]
	var all []Suggestion
	add := func(label, insert, detail string) {
		all = append(all, Suggestion{Group: "Values", Label: label, Insert: insert, Detail: detail, From: from, To: to, Type: p.Type})
	}
	switch p.Type {
	case odata.EdmString:
		add("'…'", "''", "a String in quotes")
	case odata.EdmBoolean:
		add("true", "true ", "")
		add("false", "false ", "")
	case odata.EdmDateTime:
		add("datetime'2026-11-20T00:00:00Z'", "datetime'2026-11-20T00:00:00Z' ", "a DateTime in UTC")
	case odata.EdmGuid:
		add("guid'…'", "guid''", "a Guid")
	case odata.EdmBinary:
		add("X'…'", "X''", "hexadecimal digits")
	}
	if !p.Min.IsZero() {
		add(LiteralOf(p.Min), LiteralOf(p.Min)+" ", "least of the loaded rows")
		add(LiteralOf(p.Max), LiteralOf(p.Max)+" ", "greatest of the loaded rows")
	}
	return all
}
