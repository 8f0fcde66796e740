package inspect

import (
	"strings"
	"unicode/utf8"
)

// Line is a line of a string to sign. Marked is where it differs from the other
// string, between Before and After; it is in the first line that differs.
type Line struct {
	Before, Marked, After string
	Differs               bool
}

// Compare sets the two strings side by side, line by line, and marks their first
// difference.
func Compare(signed, expected string) (left, right []Line) {
	a, b := strings.Split(signed, "\n"), strings.Split(expected, "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	at := func(lines []string, other []string) []Line {
		all := make([]Line, len(lines))
		for i, text := range lines {
			all[i].Before = text
			if i == first {
				all[i] = mark(text, append(other[:len(other):len(other)], "")[min(first, len(other))])
			}
		}
		return all
	}
	return at(a, b), at(b, a)
}

// mark finds what of a line differs from another: what is left without the
// beginning and the end that they share.
func mark(text, other string) Line {
	start, limit := 0, min(len(text), len(other))
	for start < limit && text[start] == other[start] {
		start++
	}
	end := 0
	for end < limit-start && text[len(text)-1-end] == other[len(other)-1-end] {
		end++
	}
	for start > 0 && !utf8.RuneStart(safe(text, start)) {
		start--
	}
	for end > 0 && !utf8.RuneStart(safe(text, len(text)-end)) {
		end--
	}
	// Names that differ in case are marked whole.
	if i := strings.LastIndexByte(text[:start], '/'); i >= 0 && strings.EqualFold(text, other) {
		start = i + 1
		end = len(text) - start - len(strings.SplitN(text[start:], "/", 2)[0])
	}
	return Line{Before: text[:start], Marked: text[start : len(text)-end], After: text[len(text)-end:], Differs: true}
}

func safe(text string, i int) byte {
	if i >= len(text) {
		return 0
	}
	return text[i]
}
