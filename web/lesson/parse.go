package lesson

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/humanize"
)

// document is a lesson.md or one of its translations.
type document struct {
	front map[string]string
	intro []Block
	steps []section
}

// section is a step's text.
type section struct {
	title  string
	line   int
	text   []Block
	checks []string // of a translation: what the step's checks say, in their order
}

const checksHeading = "### Checks"

// read reads a document.
func (l *loader) read(file string) (d document) {
	lines := strings.Split(strings.ReplaceAll(l.files[file], "\r\n", "\n"), "\n")
	at, ok := 0, false
	if d.front, at, ok = l.front(file, lines); !ok {
		return d
	}
	from, fence := at, 0 // the line that began a code block, 0 outside of one
	drawn := 0
	parse := func(lines []string) []Block {
		blocks := markdown(lines)
		drawn += pieces(blocks)
		return blocks
	}
	end := func(to int) {
		if to = min(to, len(lines)); from > to {
			return
		}
		if len(d.steps) == 0 {
			d.intro = parse(lines[from:to])
			return
		}
		s := &d.steps[len(d.steps)-1]
		for i := from; i < to; i++ {
			if strings.TrimSpace(lines[i]) == checksHeading {
				for _, b := range parse(lines[i+1 : to]) {
					for _, text := range b.Items {
						s.checks = append(s.checks, marked(text))
					}
				}
				to = i
			}
		}
		s.text = parse(lines[from:to])
	}
	unclosed := func() {
		if fence > 0 {
			l.fail(file, fence, "the code block is not closed by a line with ``` alone, so it swallows what follows")
		}
	}
	for i := at; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if fence > 0 && line == "```" {
			fence = 0
		} else if strings.HasPrefix(line, "```") {
			unclosed()
			fence = i + 1
		}
		if title, ok := strings.CutPrefix(lines[i], "## "); ok && fence == 0 {
			end(i)
			d.steps = append(d.steps, section{title: strings.TrimSpace(title), line: i + 1})
			from = i + 1
		}
	}
	unclosed()
	end(len(lines))
	if drawn > maxPieces {
		l.fail(file, 0, "the text has more than %d paragraphs, list items, cells and marked words", maxPieces)
	}
	return d
}

// front reads the names and values that a document begins with, and returns where its text
// begins.
func (l *loader) front(file string, lines []string) (front map[string]string, at int, ok bool) {
	front = map[string]string{}
	if lines[0] != "---" {
		l.fail(file, 1, "the file does not begin with --- and its title")
		return front, 0, false
	}
	if !slices.Contains(lines[1:], "---") {
		l.fail(file, 1, "the lines from --- on are not closed by a second ---")
		return front, 0, false
	}
	for at = 1; lines[at] != "---"; at++ {
		name, value, ok := strings.Cut(lines[at], ":")
		if _, twice := front[name]; !ok || twice {
			l.fail(file, at+1, "the line is not a name, a colon and a value, or the name is there twice")
		}
		front[name] = strings.TrimSpace(value)
	}
	return front, at + 1, true
}

// marked returns spans as they were written.
func marked(all []Span) string {
	var b strings.Builder
	for _, s := range all {
		mark := map[SpanKind]string{Code: "`", Strong: "**", Emphasis: "*"}[s.Kind]
		if s.Kind == Link {
			b.WriteString("[" + s.Text + "](" + s.Href + ")")
			continue
		}
		b.WriteString(mark + s.Text + mark)
	}
	return b.String()
}

// text reads lesson.md.
func (l *loader) text(lesson *Lesson) {
	const file = "lesson.md"
	d := l.read(file)
	for _, name := range slices.Sorted(maps.Keys(d.front)) {
		value := d.front[name]
		switch name {
		case "title":
			lesson.Title = value
		case "group":
			lesson.Group = value
		case "about":
			lesson.About = value
		case "teaches":
			lesson.Teaches = value
		case "minutes":
			lesson.Minutes, _ = strconv.Atoi(value)
			if lesson.Minutes < 1 || lesson.Minutes > 120 {
				l.fail(file, 1, "minutes is not a number from 1 to 120")
			}
		case "account":
			if lesson.Signed = value == "signed"; !lesson.Signed {
				l.fail(file, 1, "account can only be signed")
			}
		default:
			l.fail(file, 1, "unknown field %q", name)
		}
	}
	for _, name := range []string{"title", "teaches", "minutes"} {
		if d.front[name] == "" {
			l.fail(file, 1, "there is no %s", name)
		}
	}
	if len(d.steps) == 0 || len(d.steps) > maxSteps {
		l.fail(file, 0, "a lesson has 1 to %d steps, each below a line that begins with ##", maxSteps)
		return
	}
	lesson.Intro = d.intro
	for _, s := range d.steps {
		if s.title == "" {
			l.fail(file, s.line, "the step has no title")
		}
		if s.checks != nil {
			l.fail(file, s.line, "checks belong in checks.json; only a translation has them in its text")
		}
		lesson.Steps = append(lesson.Steps, Step{Title: s.title, Text: s.text})
	}
}

// translation returns a lesson with the texts of a translation.
func (l *loader) translation(file string, lesson Lesson) Lesson {
	d := l.read(file)
	for _, name := range slices.Sorted(maps.Keys(d.front)) {
		if name != "title" && name != "teaches" && name != "group" && name != "about" {
			l.fail(file, 1, "%q is not translated", name)
		}
	}
	if len(d.steps) != len(lesson.Steps) {
		l.fail(file, 0, "it has %s, the lesson %d", humanize.Count(len(d.steps), "step", "steps"), len(lesson.Steps))
		return lesson
	}
	lesson.Title, lesson.Teaches, lesson.Intro = d.front["title"], d.front["teaches"], d.intro
	if lesson.Title == "" || lesson.Teaches == "" {
		l.fail(file, 1, "there is no title, or no teaches")
	}
	if d.front["group"] != "" {
		lesson.Group, lesson.About = d.front["group"], d.front["about"]
	}
	steps := make([]Step, len(lesson.Steps))
	for i, s := range lesson.Steps {
		s.Title, s.Text = d.steps[i].title, d.steps[i].text
		texts := d.steps[i].checks
		if want := s.texts(); texts != nil && len(texts) != want {
			l.fail(file, d.steps[i].line, "the step's checks and hints have %d texts, the translation has %d", want, len(texts))
		} else if texts != nil {
			s.Checks = translated(s.Checks, texts)
		}
		steps[i] = s
	}
	lesson.Steps = steps
	return lesson
}

// texts returns how many texts the checks have: what each wants, and its hints.
func (s Step) texts() (n int) {
	for _, c := range s.Checks {
		n += 1 + len(c.Hints)
	}
	return n
}

func translated(checks []Check, texts []string) (all []Check) {
	next := func() string {
		text := texts[0]
		texts = texts[1:]
		return text
	}
	for _, c := range checks {
		c.Want = next()
		var hints []Hint
		for _, h := range c.Hints {
			hints = append(hints, Hint{h.If, next()})
		}
		c.Hints = hints
		all = append(all, c)
	}
	return all
}

// checks reads checks.json.
func (l *loader) checks(lesson *Lesson) {
	const file = "checks.json"
	var content struct {
		Steps []struct {
			Needs  *Needs  `json:"needs"`
			Faults *Faults `json:"faults"`
			Checks []Check `json:"checks"`
		} `json:"steps"`
	}
	text := l.files[file]
	if at, err := decode([]byte(text), &content); err != nil {
		line := 0
		if at > 0 {
			line = 1 + strings.Count(text[:min(at, len(text))], "\n")
		}
		l.fail(file, line, "%s", jsonProblem(err))
		return
	}
	at := 0 // where the last check was found: two of different steps may want the same
	if len(content.Steps) != len(lesson.Steps) {
		l.fail(file, 0, "it has %s, lesson.md %d", humanize.Count(len(content.Steps), "step", "steps"), len(lesson.Steps))
		return
	}
	for i, s := range content.Steps {
		lesson.Steps[i].Needs, lesson.Steps[i].Faults, lesson.Steps[i].Checks = s.Needs, s.Faults, s.Checks
		if len(s.Checks) == 0 || len(s.Checks) > maxChecks {
			l.fail(file, 0, "step %d: a step has 1 to %d checks", i+1, maxChecks)
			continue // finding the lines of thousands would take minutes
		}
		if s.Faults != nil {
			if len(s.Faults.Rules) > maxRules {
				l.fail(file, 0, "step %d: there are at most %d rules of faults", i+1, maxRules)
				continue
			}
			for _, problem := range s.Faults.problems() {
				l.fail(file, 0, "step %d: %s", i+1, problem)
			}
		}
		for _, c := range s.Checks {
			if next := strings.Index(text[at:], strconv.Quote(c.Want)); next >= 0 {
				at += next + 1
			}
			if problem := c.problem(); problem != "" {
				l.fail(file, 1+strings.Count(text[:at], "\n"), "%s", problem)
			}
		}
	}
}

var tooLong = "the text of a check or hint has more than " + strconv.Itoa(maxText) + " bytes"

func (c *Check) problem() string {
	if c.Want == "" {
		return "a check has no want"
	}
	if len(c.Want) > maxText {
		return tooLong
	}
	if len(c.Hints) == 0 || len(c.Hints) > maxHints {
		return "a check has 1 to " + strconv.Itoa(maxHints) + " hints"
	}
	if c.Hints[len(c.Hints)-1].If != nil {
		return "the last hint has an if, so no hint is left for other mistakes"
	}
	for _, h := range c.Hints {
		if h.Say == "" {
			return "a hint has no say"
		}
		if len(h.Say) > maxText {
			return tooLong
		}
		if h.If != nil {
			if problem := h.If.problem(0); problem != "" {
				return problem
			}
		}
	}
	return c.Rule.problem(0)
}

// maxDepth is how deep rules may be nested.
const maxDepth = 8

func (r *Rule) problem(depth int) string {
	if depth > maxDepth {
		return "rules are nested more than " + strconv.Itoa(maxDepth) + " deep"
	}
	if n := r.kinds(); n != 1 {
		return "a rule has one of table, entity, requests, prints, fails, not, all, any; this one has " + strconv.Itoa(n)
	}
	switch {
	case r.Table != nil && r.Table.Name == "":
		return "a table has no name"
	case r.Table != nil:
		return cmp.Or(wantsProblem(r.Table.Where), r.Table.Entities.problem(), r.Table.Partitions.problem(), r.Table.Largest.problem())
	case r.Entity != nil && r.Entity.Table == "":
		return "an entity has no table"
	case r.Entity != nil:
		return wantsProblem(r.Entity.Properties)
	case r.Requests != nil:
		return r.Requests.problem()
	}
	for _, part := range r.parts() {
		if problem := part.problem(depth + 1); problem != "" {
			return problem
		}
	}
	return ""
}

// wantsProblem says which of the wants no property can meet, "" for none.
func wantsProblem(wants map[string]Want) string {
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		w := wants[name]
		if w.Type == "" {
			continue
		}
		t, ok := odata.ParseType(w.Type)
		if !ok {
			return name + ": there is no type " + strconv.Quote(w.Type)
		}
		if w.Value != nil {
			if _, err := rowfile.Parse(t, jsonText(*w.Value)); err != nil {
				return name + ": " + err.Error()
			}
		}
	}
	return ""
}
