package lesson

import (
	"strings"
)

// The characters of names. With package regexp the page's download would be 3 %
// larger.
const (
	digits       = "0123456789"
	smallLetters = "abcdefghijklmnopqrstuvwxyz"
	letters      = smallLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nameLetters  = smallLetters + digits + "-"
)

// consistsOf reports whether a text has only these characters, from least to most
// of them.
func consistsOf(s, characters string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, characters) == ""
}

// belongs reports whether a lesson may have a file of this name.
func belongs(name string) bool {
	switch name {
	case "lesson.md", "checks.json", "data.jsonl":
		return true
	}
	_, code := codeOf(name)
	_, translation := languageOf(name)
	return code || translation
}

// lessonName returns the name of the lesson in a folder: without the number in
// front that sorts it.
func lessonName(folder string) (name string, ok bool) {
	isName := func(s string) bool { return consistsOf(s, nameLetters, 1, 60) && s[0] != '-' }
	number, rest, found := strings.Cut(folder, "-")
	if found && consistsOf(number, digits, 1, len(number)) && isName(rest) {
		return rest, true
	}
	return folder, isName(folder)
}

// codeName is the name of a file with a program: start-1.js, solution-1.js,
// wrong-1-why.js or right-1-why.js.
type codeName struct {
	kind string // start, solution, wrong or right
	step string // digits
	why  string // "" for none
}

// tests reports whether the program is there to test the checks, so that pages do
// not need it.
func (c codeName) tests() bool { return c.kind == "wrong" || c.kind == "right" }

func codeOf(file string) (c codeName, ok bool) {
	name, ok := strings.CutSuffix(file, ".js")
	if !ok {
		return codeName{}, false
	}
	var hasWhy bool
	c.kind, name, _ = strings.Cut(name, "-")
	c.step, c.why, hasWhy = strings.Cut(name, "-")
	switch c.kind {
	case "start", "solution", "wrong", "right":
		ok = consistsOf(c.step, digits, 1, len(c.step)) && hasWhy == (c.why != "") && consistsOf(c.why, nameLetters, 0, len(c.why))
		return c, ok
	}
	return codeName{}, false
}

// languageOf returns the language tag of a translation: pt-BR of lesson.pt-BR.md.
func languageOf(file string) (tag string, ok bool) {
	tag, ok = strings.CutPrefix(file, "lesson.")
	tag, isText := strings.CutSuffix(tag, ".md")
	parts := strings.Split(tag, "-")
	if !ok || !isText || len(parts) > 4 || !consistsOf(parts[0], letters, 2, 3) {
		return "", false
	}
	for _, part := range parts[1:] {
		if !consistsOf(part, letters+digits, 2, 8) {
			return "", false
		}
	}
	return tag, true
}
