package lesson

import (
	"sandtable/odata"
	"sandtable/web/client"
)

// Lesson is one step of the course.
type Lesson struct {
	Name   string // in links and in progress: it never changes
	Title  string
	Text   []string // paragraphs
	Table  string   // created before a run with the entities of Data; "" for none
	Data   []*odata.Entity
	Code   string // to start from; it does not pass
	Answer string // code that passes
	Checks []Check
}

// Check is one thing that a run has to show.
type Check struct {
	Want string
	// Try returns nil if the run shows it.
	Try func(Run) *Problem
}

// Problem is how a run differs from what a check wants.
type Problem struct {
	Found string // what happened instead
	Hint  string // about this very mistake
}

// Run is what a program did.
type Run struct {
	Requests []client.Recorded // in their order
	Tables   []Table           // at the end
}

// Table is a table after a run.
type Table struct {
	Name     string
	Entities []*odata.Entity
}

// Result is a check's result.
type Result struct {
	Want    string
	Problem *Problem // nil if the check passed
}

// Check returns the results of all checks and whether all have passed. Later
// checks may build on earlier ones, so none after the first that fails is tried.
func (l Lesson) Check(run Run) (results []Result, passed bool) {
	for _, c := range l.Checks {
		problem := c.Try(run)
		results = append(results, Result{c.Want, problem})
		if problem != nil {
			return results, false
		}
	}
	return results, true
}

// Of returns a lesson by its name, and its place in [All].
func Of(name string) (l Lesson, at int, ok bool) {
	for i, l := range All {
		if l.Name == name {
			return l, i, true
		}
	}
	return Lesson{}, 0, false
}

// table returns a table by its name, nil if there is none.
func (r Run) table(name string) *Table {
	for i := range r.Tables {
		if r.Tables[i].Name == name {
			return &r.Tables[i]
		}
	}
	return nil
}

// entity returns an entity by its table and keys, nil if there is none.
func (r Run) entity(table, partition, row string) *odata.Entity {
	t := r.table(table)
	if t == nil {
		return nil
	}
	for _, e := range t.Entities {
		if e.PartitionKey == partition && e.RowKey == row {
			return e
		}
	}
	return nil
}
