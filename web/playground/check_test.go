package playground

import (
	"testing"

	"sandtable/web/lesson"
)

func TestCheck(t *testing.T) {
	finished := end{Outcome: "finished"}
	tests := []struct {
		name   string
		end    end
		seen   observed
		prints string
		passed bool
		shows  string
	}{
		{"right", finished, observed{}, "right", true, "The step is done."},
		{"wrong", finished, observed{}, "wrong", false, "Print it."},
		{"cannot be checked", finished, observed{problem: "Too many requests."}, "right", false, "Too many requests."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t)
			p := d.Page
			p.ctx = d.Context()
			d.Do(func() {
				checks := []lesson.Check{{Want: "It prints", Rule: lesson.Rule{Prints: "right"}, Hints: []lesson.Hint{{Say: "Print it."}}}}
				p.course = course{on: true, ran: true, Lesson: lesson.Lesson{Name: "x", Steps: []lesson.Step{{Checks: checks}, {}}}}
				p.console = console{end: &test.end, lines: []output{{Text: test.prints}}}
				p.check(test.seen)
			})
			d.Shows(test.shows)
			if got := p.course.passed(); got != test.passed {
				t.Errorf("passed: %v", got)
			}
			if done := p.course.done.Count() > 0; done != test.passed {
				t.Errorf("done: %v", done)
			}
		})
	}
}
