package page

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"sandtable/web/browser"
	"sandtable/web/humanize"
)

// Job is something that is written or deleted in the background, with its progress.
type Job struct {
	Kind      string // for the page that starts it
	One, Many string // what is counted: "table", "tables"
	Verb      string // what happens to it: "deleted"
	Rest      string // what follows the words of a job that ended early: ", and kept."
	All       int    // how many there are; not positive if that is not known

	done    atomic.Int64
	began   time.Time
	stop    context.CancelFunc
	stopped atomic.Bool
	ended   bool
	err     error // why it ended early
}

// Note says how many are done by now.
func (j *Job) Note(done int) { j.done.Store(int64(done)) }

// Add says that more are done. It returns how many that makes.
func (j *Job) Add(more int) int { return int(j.done.Add(int64(more))) }

// Done returns how many are done.
func (j *Job) Done() int { return int(j.done.Load()) }

// Stop has the job end soon. Like Note and Add it may be called on any goroutine.
func (j *Job) Stop() {
	j.stopped.Store(true)
	j.stop()
}

// quiet is how long a job runs before it is drawn: most are over by then, and the page
// does not move for them.
const quiet = 400 * time.Millisecond

func (j *Job) drawn() bool { return j.ended || time.Since(j.began) > quiet }

// Words say how far the job is.
func (j *Job) Words() string {
	if j.All <= 0 {
		return humanize.Count(j.Done(), j.One, j.Many) + " " + j.Verb
	}
	return humanize.Number(j.Done()) + " of " + humanize.Count(j.All, j.One, j.Many) + " " + j.Verb
}

// Jobs are the jobs of an account or a table that are running, and those that ended
// early until the user closes their message. They do not end with their page: the
// next page there draws them.
type Jobs map[Route][]*Job

// of returns the jobs of a route's account or table, whatever the page.
func (all Jobs) of(r Route) []*Job { return all[r.Place()] }

// Running reports whether a job of a kind is running at a route; "" is any.
func (all Jobs) Running(r Route, kind string) bool {
	return slices.ContainsFunc(all.of(r), func(j *Job) bool { return !j.ended && (kind == "" || j.Kind == kind) })
}

// Long reports whether a job has been running there for so long that it is drawn.
func (all Jobs) Long(r Route) bool {
	return slices.ContainsFunc(all.of(r), func(j *Job) bool { return !j.ended && j.drawn() })
}

// Start runs work in the background, and calls ended with its error. It replaces the
// message of a job that ended early. The browser asks
// before the user leaves the app meanwhile. Once the context is done work ends soon,
// and what it has done by then stays.
func (all Jobs) Start(s Session, r Route, j *Job, work func(context.Context) error, ended func(error)) {
	c, stop := context.WithCancel(context.Background())
	j.stop, j.began = stop, time.Now()
	all[r.Place()] = append(slices.DeleteFunc(slices.Clone(all.of(r)), func(j *Job) bool { return j.ended }), j)
	stay := browser.AskToStay()
	s.Background(func(context.Context) func() {
		err := work(c)
		if err != nil && c.Err() != nil {
			err = c.Err() // whatever the cancelled request says
		}
		return func() {
			stop()
			stay()
			j.ended, j.err = true, err
			if err == nil {
				all.remove(r, j)
			}
			s.WroteTo(r.Account)
			ended(err)
		}
	})
}

func (all Jobs) remove(r Route, gone *Job) {
	all[r.Place()] = slices.DeleteFunc(slices.Clone(all.of(r)), func(j *Job) bool { return j == gone })
}
