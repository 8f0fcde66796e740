package playground

import (
	"strings"
	"testing"

	"sandtable/web/lesson"
)

func TestCheck(t *testing.T) {
	finished := end{Outcome: "finished"}
	tests := []struct {
		name   string
		end    end
		seen   observed
		prints output
		passed bool
		shows  string
	}{
		{"right", finished, observed{}, output{Text: "right"}, true, "The step is done."},
		{"right in a table", finished, observed{}, output{Level: "table", Columns: []string{"(index)", "text"}, Rows: [][]string{{"0", "is right"}}}, true, "The step is done."},
		{"wrong", finished, observed{}, output{Text: "wrong"}, false, "Print it."},
		{"right, but stopped", end{Outcome: "stopped", Message: "You stopped the program."}, observed{}, output{Text: "right"}, false, "ends by itself"},
		{"right, but endless", end{Outcome: "time", Message: "The program was stopped after 10 seconds."}, observed{}, output{Text: "right"}, false, "after 10 seconds"},
		{"wrong, and endless", end{Outcome: "time", Message: "The program was stopped after 10 seconds."}, observed{}, output{Text: "wrong"}, false, "The program was stopped after 10 seconds."},
		{"right, then an error", end{Outcome: "failed", Failure: &failure{Name: "Error"}}, observed{}, output{Text: "right"}, true, "The step is done."},
		{"wrong by an error", end{Outcome: "failed", Failure: &failure{Name: "SyntaxError", Line: 3}}, observed{}, output{}, false, "Your program ended with SyntaxError, line 3."},
		{"cannot be checked", finished, observed{problem: "Too many requests."}, output{Text: "right"}, false, "Too many requests."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t)
			p := d.Page
			p.ctx = d.Context()
			d.Do(func() {
				checks := []lesson.Check{{Want: "It prints", Rule: lesson.Rule{Prints: "right"}, Hints: []lesson.Hint{{Say: "Print it."}}}}
				p.course = course{on: true, ran: true, Lesson: lesson.Lesson{Name: "x", Steps: []lesson.Step{{Checks: checks}, {}}}}
				p.console = console{end: &test.end, lines: []output{test.prints}}
				p.check(test.seen)
			})
			d.Shows(test.shows)
			if test.end.Failure != nil {
				d.Hides("Print it.") // the error is what has to be repaired
			}
			if got := p.course.passed(); got != test.passed {
				t.Errorf("passed: %v", got)
			}
			if done := p.course.done.Count() > 0; done != test.passed {
				t.Errorf("done: %v", done)
			}
		})
	}
}

// TestEmptiedEditor: code that was deleted is no code of another tab.
func TestEmptiedEditor(t *testing.T) {
	p := &Page{course: course{on: true, Lesson: lesson.Lesson{Name: "emptied", Steps: []lesson.Step{{Start: "start"}}}}}
	p.code, p.initial, p.course.stored = "", "start", "start"
	p.course.keep(0, p.code)
	if p.onStorage(); p.problem != nil || p.code != "" {
		t.Errorf("%v, the code is %q", p.problem, p.code)
	}
}

func TestFailureHint(t *testing.T) {
	for message, want := range map[string]string{
		"The entity's partitionKey cannot be undefined or null.":                         "partitionKey and rowKey",
		"t.replace is not a function":                                                    "Keys are strings",
		"t.listEntities is not a function or its return value is not iterable":           "for await",
		"99:The batch request operation exceeds the maximum 100 changes per change set.": "at most 100",
	} {
		if got := (failure{Name: "TypeError", Code: "InvalidInput", Message: message}).hint(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", message, got)
		}
	}
}
