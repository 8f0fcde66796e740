package lesson

import (
	"strings"

	"sandtable/odata"
)

// Lesson is one lesson of a course, in one language.
type Lesson struct {
	Name    string // in links and in progress: the folder without its number
	Title   string
	Group   string // of lessons in the overview
	About   string // what the group is about, in a few words; the first lesson of a group says it
	Teaches string // one sentence
	Minutes int    // about how long it takes
	// Language is the tag of the language that the texts are in, for lang attributes.
	Language string
	// Signed means that the account refuses requests without credentials, and
	// that programs find its name and key in the constant account.
	Signed bool
	Intro  []Block
	Steps  []Step
	Tables []Table // at the start of each run
}

// Step is one task.
type Step struct {
	Title    string
	Text     []Block
	Start    string  // the code to begin with; it does not pass
	Solution string  // code that passes
	Needs    *Needs  // the picture frames it; nil for nothing
	Faults   *Faults // requests that fail on purpose; nil for none
	Checks   []Check
}

// Needs is what a step has to read.
type Needs struct {
	Table      string   `json:"table"`
	Partitions []string `json:"partitions"`
	Say        string   `json:"say"`
}

// Faults are the requests of a step that fail on purpose, the same ones in each run.
type Faults struct {
	Seed  uint64      `json:"seed"`
	Rules []FaultRule `json:"rules"`
}

// Check is one thing that a run has to show.
type Check struct {
	Want string `json:"want"`
	Rule
	Hints []Hint `json:"hints"`
}

// Hint helps with a check that fails. If chooses it for one mistake; hints
// without it lead nearer to the answer, one after another.
type Hint struct {
	If  *Rule  `json:"if"`
	Say string `json:"say"`
}

// Table is a table before or after a run.
type Table struct {
	Name     string
	Entities []*odata.Entity
}

// Result is a check's result.
type Result struct {
	Want   string
	Passed bool
	Found  string   // what happened instead, in a few words
	Hints  []string // the one about this mistake first
}

// Check returns the results of a step's checks and whether all have passed. Later
// checks may build on earlier ones, so none after the first that fails is tried.
func (s Step) Check(run Run) (results []Result, passed bool) {
	for _, c := range s.Checks {
		found, ok := c.try(run)
		result := Result{Want: c.Want, Passed: ok}
		if !ok {
			result.Found, result.Hints = found, c.hints(run)
		}
		results = append(results, result)
		if !ok {
			return results, false
		}
	}
	return results, true
}

// hints returns the first hint that is about this mistake, and those about any.
func (c Check) hints(run Run) (all []string) {
	for _, h := range c.Hints {
		if h.If == nil {
			all = append(all, h.Say)
		} else if _, ok := h.If.try(run); ok && len(all) == 0 {
			all = append(all, h.Say)
		}
	}
	return all
}

// Detailed reports whether a check looks at headers or bodies of requests.
func (s Step) Detailed() bool {
	return s.has(func(r *Rule) bool { return r.Requests != nil && r.Requests.detailed() })
}

// Counting reports whether a check looks at requests.
func (s Step) Counting() bool { return s.has(func(r *Rule) bool { return r.Requests != nil }) }

// Explains reports whether a check or a hint is about the error that ended a program.
func (s Step) Explains(failure string) bool {
	return s.has(func(r *Rule) bool { return r.Fails != "" && strings.Contains(failure, r.Fails) })
}

// has reports whether one of the rules of checks and hints is as f says.
func (s Step) has(f func(*Rule) bool) bool {
	for _, c := range s.Checks {
		if c.has(f) {
			return true
		}
		for _, h := range c.Hints {
			if h.If != nil && h.If.has(f) {
				return true
			}
		}
	}
	return false
}

// Of returns a lesson by its name, and its place.
func Of(all []Lesson, name string) (l Lesson, at int, ok bool) {
	for i, l := range all {
		if l.Name == name {
			return l, i, true
		}
	}
	return Lesson{}, 0, false
}
