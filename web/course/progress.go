package course

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"sandtable/web/browser"
	"sandtable/web/lesson"
)

// progressName is where progress is in localStorage.
const progressName = "sandtable lessons"

// The limits of what is kept of one lesson, and of all.
const (
	MaxCode   = 256 << 10 // bytes of code that was written
	maxKept   = 1000      // lessons, or programs
	maxImport = 4 << 20
)

// Progress is what a learner has done. Lessons of other courses than ours have
// the course's address in their key.
type Progress struct {
	Format int             `json:"sandtableProgress"`
	Done   map[string]Done `json:"done"`
	// Code is what was written, by lesson and step.
	Code map[string]string `json:"code"`
	// Lessons is how many our own course has, 0 before it was read.
	Lessons int `json:"lessons,omitempty"`
}

// Done is which steps of a lesson are done, of how many.
type Done struct {
	Steps []bool `json:"steps"`
	Total int    `json:"total"`
}

// All reports whether the whole lesson is done.
func (d Done) All() bool { return d.Total > 0 && d.Count() >= d.Total }

// Count returns how many steps are done.
func (d Done) Count() (n int) {
	for _, done := range d.Steps {
		if done {
			n++
		}
	}
	return n
}

// Next returns the first step that is not done, the last one if all are.
func (d Done) Next(total int) int {
	for i := range total {
		if i >= len(d.Steps) || !d.Steps[i] {
			return i
		}
	}
	return total - 1
}

// Key returns the key of a lesson in progress.
func Key(from, name string) string {
	if from == "" {
		return name
	}
	return from + "#" + name
}

// CodeKey returns the key of a step's code.
func CodeKey(key string, step int) string { return key + "/" + strconv.Itoa(step+1) }

func (p Progress) valid() bool {
	if p.Format != 1 || len(p.Done) > maxKept || len(p.Code) > maxKept || p.Lessons < 0 || p.Lessons > maxKept {
		return false
	}
	for _, d := range p.Done {
		if len(d.Steps) > d.Total || d.Total > 100 {
			return false
		}
	}
	for _, code := range p.Code {
		if len(code) > MaxCode {
			return false
		}
	}
	return true
}

// unkept is progress that could not be saved. It lives as long as the page.
var unkept *Progress

// Read returns the progress that this browser keeps, or that it could not keep.
func Read() Progress {
	if unkept != nil {
		return *unkept
	}
	p, _ := browser.Load(progressName, Progress.valid)
	return p.whole()
}

func (p Progress) whole() Progress {
	p.Format = 1
	if p.Done == nil {
		p.Done = map[string]Done{}
	}
	if p.Code == nil {
		p.Code = map[string]string{}
	}
	return p
}

// Save keeps progress in this browser. [Unkept] says so where it cannot.
func (p Progress) Save() {
	unkept = nil
	if !p.valid() || !browser.Save(progressName, p) {
		unkept = &p
	}
	figure = new(p.figure())
}

// figure is what Figure returns: it is asked for often.
var figure *string

// Figure says how many lessons of our own course are done, such as "6 / 18"; ""
// as long as the course was not read in this browser.
func Figure() string {
	if figure == nil {
		figure = new(Read().figure())
	}
	return *figure
}

func (p Progress) figure() string {
	if p.Lessons == 0 {
		return ""
	}
	done := 0
	for key, d := range p.Done {
		if !strings.Contains(key, "#") && d.All() {
			done++
		}
	}
	return strconv.Itoa(min(done, p.Lessons)) + " / " + strconv.Itoa(p.Lessons)
}

// count notes how many lessons our own course has.
func count(lessons int) {
	if p := Read(); p.Lessons != lessons {
		p.Lessons = lessons
		p.Save()
	}
}

// Of returns what is done of a lesson with this many steps, which may have had another
// number when that was saved.
func (p Progress) Of(key string, steps int) Done {
	d := Done{make([]bool, steps), steps}
	copy(d.Steps, p.Done[key].Steps)
	return d
}

// SetDone notes that a step is done.
func (p Progress) SetDone(key string, step, total int) {
	d := p.Of(key, total)
	d.Steps[step] = true
	p.Done[key] = d
}

// Reset forgets what is done of some lessons, and on request the code as well.
func (p Progress) Reset(from string, all []lesson.Lesson, code bool) {
	for _, l := range all {
		key := Key(from, l.Name)
		delete(p.Done, key)
		if code {
			maps.DeleteFunc(p.Code, func(name, _ string) bool { return strings.HasPrefix(name, key+"/") })
		}
	}
}

// Text returns progress as a file that Merge reads.
func (p Progress) Text() []byte {
	text, _ := json.MarshalIndent(p.whole(), "", "  ") // it has strings, numbers and booleans
	return text
}

var (
	errProgress = errors.New("this is no file of progress that was exported here")
	errTooMuch  = fmt.Errorf("with this file there would be progress in more than %d lessons, or more than %d programs", maxKept, maxKept)
)

// Merge returns the progress together with that in a file: what is done in one of
// both is done. Code that is here stays, and omitted counts the programs in the file
// that differ from it: nobody knows which is newer.
func (p Progress) Merge(text []byte) (next Progress, omitted int, err error) {
	var other Progress
	if len(text) > maxImport || json.Unmarshal(text, &other) != nil || !other.valid() {
		return p, 0, errProgress
	}
	next = Progress{p.Format, maps.Clone(p.Done), maps.Clone(p.Code), p.Lessons}
	for key, d := range other.Done {
		for i, done := range d.Steps {
			if done {
				next.SetDone(key, i, max(d.Total, next.Done[key].Total))
			}
		}
	}
	for key, code := range other.Code {
		if here := p.Code[key]; here == "" {
			next.Code[key] = code
		} else if here != code {
			omitted++
		}
	}
	if !next.valid() {
		return p, 0, errTooMuch
	}
	return next, omitted, nil
}

// Unmerge forgets what a file has added to the progress before, and keeps what was done
// or written since.
func (p Progress) Unmerge(before Progress, text []byte) {
	merged, _, _ := before.Merge(text) // as it was merged then
	for key, d := range merged.Done {
		steps := max(d.Total, p.Done[key].Total)
		now, was := p.Of(key, steps), before.Of(key, steps)
		for i, done := range d.Steps {
			now.Steps[i] = now.Steps[i] && (was.Steps[i] || !done)
		}
		if p.Done[key] = now; now.Count() == 0 {
			delete(p.Done, key)
		}
	}
	for key, code := range merged.Code {
		if before.Code[key] == "" && p.Code[key] == code {
			delete(p.Code, key)
		}
	}
}
