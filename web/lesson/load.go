package lesson

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of what is read.
const (
	maxFile     = 256 << 10 // bytes
	maxFiles    = 100       // of a lesson
	maxPieces   = 2000      // of the text in a file: paragraphs, items, cells, and what is marked in them
	maxText     = 4000      // bytes of a check's or hint's text
	maxSteps    = 10
	maxChecks   = 20 // of a step
	maxHints    = 10 // of a check
	maxTables   = 10
	maxRules    = 10 // of faults, in a step
	maxEntities = 5000
)

// Problem is something that is wrong with a lesson.
type Problem struct {
	File string
	Line int // 0 for the file as a whole
	Text string
}

// String returns the problem as compilers write one.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// in returns the problem with its file as a path from the folder's parent.
func (p Problem) in(folder string) Problem {
	p.File = path.Join(folder, p.File)
	return p
}

// wrongAnswer is a wrong answer that comes with a lesson.
type wrongAnswer struct {
	File string
	Step int    // from 0
	Hint string // it has to get a hint with this text
}

// loader reads a lesson and collects what is wrong.
type loader struct {
	files    map[string]string
	problems []Problem
}

func (l *loader) fail(file string, line int, format string, values ...any) {
	l.problems = append(l.problems, Problem{file, line, fmt.Sprintf(format, values...)})
}

// load reads a lesson from the files of its folder, in the first of the languages
// that it has; it is in English if it has none of them. The lesson is incomplete
// if there are problems.
func load(folder string, files map[string]string, languages []string) (Lesson, []Problem) {
	l := loader{files: files}
	lesson := Lesson{Language: "en"}
	if name, ok := lessonName(folder); ok {
		lesson.Name = name
	} else {
		l.fail("", 0, "a folder's name has small letters, digits and hyphens")
	}
	if l.checkFiles(); len(l.problems) > 0 {
		return lesson, l.problems
	}
	l.text(&lesson)
	l.checks(&lesson)
	l.code(&lesson)
	lesson.Tables = l.tables()
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if _, ok := languageOf(file); ok {
			l.translation(file, lesson) // finds problems
		}
	}
	if len(l.problems) == 0 {
		if file := chosen(files, languages); file != "" {
			lesson = l.translation(file, lesson)
			lesson.Language, _ = languageOf(file)
		}
	}
	return lesson, l.problems
}

func (l *loader) checkFiles() {
	if len(l.files) > maxFiles {
		l.fail("", 0, "a lesson has at most %d files", maxFiles)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		switch {
		case len(l.files[name]) > maxFile:
			l.fail(name, 0, "the file has more than %d bytes", maxFile)
		case !utf8.ValidString(l.files[name]):
			l.fail(name, 0, "the file is not UTF-8")
		case !belongs(name):
			l.fail(name, 0, "no such file belongs to a lesson")
		}
	}
	for _, name := range []string{"lesson.md", "checks.json"} {
		if _, ok := l.files[name]; !ok {
			l.fail(name, 0, "the file is missing")
		}
	}
}

// chosen returns the translation for the first language that there is one for, ""
// for the original. A language without a region stands for all of its regions.
func chosen(files map[string]string, languages []string) string {
	for _, wanted := range languages {
		if primary, _, _ := strings.Cut(wanted, "-"); strings.EqualFold(primary, "en") {
			return ""
		}
		for _, wanted := range widened(wanted) {
			for _, file := range slices.Sorted(maps.Keys(files)) {
				if language, ok := languageOf(file); ok && strings.EqualFold(language, wanted) {
					return file
				}
			}
		}
	}
	return ""
}

// chinese are the scripts of the regions that browsers name without one.
var chinese = map[string]string{"zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant", "zh-cn": "zh-Hans", "zh-sg": "zh-Hans"}

// widened returns a language and those that it is a part of, the nearest first.
func widened(language string) (all []string) {
	for tag := language; tag != ""; {
		all = append(all, tag)
		if script := chinese[strings.ToLower(tag)]; script != "" {
			all = append(all, script)
		}
		tag = tag[:max(strings.LastIndexByte(tag, '-'), 0)]
	}
	return all
}

// code reads the programs of each step. A step without a start begins with the
// solution of the one before it.
func (l *loader) code(lesson *Lesson) {
	for i := range lesson.Steps {
		s := &lesson.Steps[i]
		start, solution := fmt.Sprintf("start-%d.js", i+1), fmt.Sprintf("solution-%d.js", i+1)
		s.Start, s.Solution = l.files[start], l.files[solution]
		if s.Start == "" && i > 0 {
			s.Start = lesson.Steps[i-1].Solution
		}
		if s.Start == "" {
			l.fail(start, 0, "the file is missing")
		}
		if s.Solution == "" {
			l.fail(solution, 0, "the file is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		code, ok := codeOf(name)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(code.step); err != nil || n < 1 || n > len(lesson.Steps) {
			l.fail(name, 0, "there is no step %s", code.step)
		}
		if code.tests() != (code.why != "") {
			l.fail(name, 0, "names are start-1.js, solution-1.js, wrong-1-why.js and right-1-why.js")
		}
	}
}

// Validate returns what is wrong with a lesson, its wrong answers included.
func Validate(folder string, files map[string]string) []Problem {
	lesson, problems := load(folder, files, nil)
	if len(problems) > 0 {
		return problems
	}
	wrong, problems := wrongAnswers(files)
	if len(wrong)+len(problems) == 0 {
		problems = append(problems, Problem{File: "lesson.md", Text: "the lesson has no wrong answer: wrong-1-why.js"})
	}
	for _, w := range wrong {
		if w.Step < len(lesson.Steps) && !says(lesson.Steps[w.Step], w.Hint) {
			problems = append(problems, Problem{w.File, 1, fmt.Sprintf("no check of the step has a hint with %q", w.Hint)})
		}
	}
	return problems
}

func says(s Step, text string) bool {
	return slices.ContainsFunc(s.Checks, func(c Check) bool {
		return slices.ContainsFunc(c.Hints, func(h Hint) bool { return strings.Contains(h.Say, text) })
	})
}

const hintLine = "// Hint: "

// wrongAnswers returns the wrong answers among a lesson's files.
func wrongAnswers(files map[string]string) (all []wrongAnswer, problems []Problem) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		code, ok := codeOf(name)
		if !ok || code.kind != "wrong" {
			continue
		}
		first, _, _ := strings.Cut(files[name], "\n")
		hint, ok := strings.CutPrefix(strings.TrimRight(first, "\r"), hintLine)
		if !ok || hint == "" {
			problems = append(problems, Problem{name, 1, "the first line is not " + hintLine + "and a part of the hint that it must get"})
			continue
		}
		n, err := strconv.Atoi(code.step)
		if err != nil {
			n = 0 // of too many digits
		}
		all = append(all, wrongAnswer{name, max(n-1, 0), hint})
	}
	return all, problems
}
