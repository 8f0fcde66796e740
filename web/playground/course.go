package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	courses "sandtable/web/course"
	"sandtable/web/lesson"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// lessonArg is the argument of a route that names a lesson.
const lessonArg = "lesson"

// readTab shows what the last run of a lesson has read.
const readTab = "read"

// The checks, and what is said about the run as a whole.
const (
	checksID = "lesson-checks"
	noteID   = "lesson-note"
)

// The panes of a lesson, of which narrow screens show one at a time.
const (
	textPane   = "text"
	codePane   = "code"
	outputPane = "output"
)

// course is the lesson that the page shows, if on.
type course struct {
	lesson.Lesson // without steps until it is fetched
	on            bool
	from          string // the address of another site's course
	all           remote.Value[[]lesson.Lesson]
	at, step      int
	done          courses.Done
	results       []lesson.Result // of the last run
	void          string          // why the last run could not be checked or was stopped, "" otherwise
	ran           bool            // the results are of this step's code
	checked       int             // counts the runs that were checked
	hints         int             // further hints that are shown
	pane          string
	seen          observed // by the last run, for the picture
	stored        string   // what this tab knows of the code that the browser keeps for the step
}

func (c *course) key() string { return courses.Key(c.from, c.Name) }

func (c *course) current() lesson.Step { return c.Steps[c.step] }

func (c *course) ready() bool { return len(c.Steps) > 0 }

// openLesson shows the lesson that the address names. It reports whether there is one.
func (p *Page) openLesson() bool {
	c := &p.course
	c.on, c.from, c.pane = p.Route.Arg(lessonArg) != "", p.Route.Arg(courses.FromArg), textPane
	if c.on {
		p.tab = readTab
		if all := courses.Known(p.Session.Base(), c.from); all != nil {
			p.opened(all, nil)
		}
	}
	return c.on
}

// fetchLesson fetches the course if it is not here yet.
func (p *Page) fetchLesson() {
	c := &p.course
	if !c.on || c.ready() {
		return
	}
	c.all = c.all.Asked()
	base, from := p.Session.Base(), c.from
	page.Background(p.ctx, func(ctx context.Context) func() {
		all, err := courses.Fetch(ctx, base, from)
		return func() { p.opened(all, err) }
	})
}

func (p *Page) opened(all []lesson.Lesson, err error) {
	c := &p.course
	l, at, ok := lesson.Of(all, p.Route.Arg(lessonArg))
	if err == nil && !ok {
		err = fmt.Errorf("the course has no lesson called %s", p.Route.Arg(lessonArg))
	}
	if c.all = c.all.Answered(all, err); err != nil {
		return
	}
	c.Lesson, c.at = l, at
	c.done = courses.Read().Of(c.key(), len(c.Steps))
	p.goToStep(c.done.Next(len(l.Steps)))
}

// goToStep shows a step with the code that was written for it.
func (p *Page) goToStep(step int) {
	p.flush()
	c := &p.course
	c.step, c.results, c.void, c.hints, c.ran = step, nil, "", 0, false
	c.seen = observed{}
	c.stored = c.written(courses.Read())
	p.show(c.stored)
}

// written returns the code that the browser keeps for the step, or the code that the step starts with.
func (c *course) written(progress courses.Progress) string {
	code := progress.Code[courses.CodeKey(c.key(), c.step)]
	if code == "" || len(code) > maxCode {
		return c.current().Start
	}
	return code
}

// keep stores the code that was written for a step.
func (c *course) keep(step int, code string) {
	all := courses.Read()
	key := courses.CodeKey(c.key(), step)
	if all.Code[key] = code; code == c.Steps[step].Start {
		delete(all.Code, key)
	}
	all.Save()
	if step == c.step {
		c.stored = c.written(all)
	}
}

var errOtherTab = errors.New("another tab has saved other code for this step: what you type here replaces it")

// onStorage follows what other tabs save: the code where nothing was typed here.
func (p *Page) onStorage() {
	c := &p.course
	if !c.on || !c.ready() {
		return
	}
	progress := courses.Read()
	c.done = progress.Of(c.key(), len(c.Steps))
	code := c.written(progress)
	if code == c.stored {
		return
	}
	switch c.stored = code; {
	case code == p.code:
		p.problem = nil
	case p.code == p.initial:
		p.show(code)
	default:
		p.problem = errOtherTab
	}
}

// maxTransaction is how many operations a transaction has at most.
const maxTransaction = 100

// fill writes the lesson's data into a new account.
func (c *course) fill(ctx context.Context, tables *client.Client) error {
	for _, t := range c.Tables {
		if err := tables.CreateTable(ctx, t.Name); err != nil {
			return err
		}
		var next []client.Operation
		send := func() error {
			if len(next) == 0 {
				return nil
			}
			_, err := tables.Transact(ctx, t.Name, next)
			next = nil
			return err
		}
		for _, e := range t.Entities {
			if len(next) == maxTransaction || len(next) > 0 && next[0].Entity.PartitionKey != e.PartitionKey {
				if err := send(); err != nil {
					return err
				}
			}
			next = append(next, client.Operation{Write: client.Insert, Entity: e})
		}
		if err := send(); err != nil {
			return err
		}
	}
	return nil
}

// sign prepares an account of a lesson about signatures: it refuses what is not
// signed. It returns the line that programs find its name and key in, which adds
// no line to the code.
func (c *course) sign(ctx context.Context, api *control.Client, account string) (line string, err error) {
	if !c.Signed {
		return "", nil
	}
	keys, err := api.Keys(ctx, account)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]string{"name": account, "key": keys.Primary, "endpoint": signedOrigin(account)})
	if err != nil {
		return "", err
	}
	return "const account = " + string(text) + "; " + signature + " ", api.SetAccess(ctx, account, "strict")
}

// signedOrigin is the service's address of an account, whose name is part of
// what signatures cover.
func signedOrigin(account string) string { return "https://" + account + ".table.core.windows.net" }

// arm makes the account's requests fail as the step says, from the program's first one.
func (c *course) arm(ctx context.Context, api *control.Client, account string) error {
	if !c.ready() || c.current().Faults == nil {
		return nil
	}
	f := control.Faults{On: true, Seed: c.current().Faults.Seed}
	for _, r := range c.current().Faults.Rules {
		f.Rules = append(f.Rules, r.Rule())
	}
	_, err := api.SetFaults(ctx, account, f, false)
	return err
}

// open lets the page read the account again: without signatures and without faults.
func (c *course) open(ctx context.Context, api *control.Client, account string) error {
	if c.ready() && c.current().Faults != nil {
		if _, err := api.SwitchFaults(ctx, account, false); err != nil {
			return err
		}
	}
	if !c.Signed {
		return nil
	}
	return api.SetAccess(ctx, account, "open")
}

// replace puts other code into the editor; what was there can be brought back.
func (p *Page) replace(code, message string) {
	before, step := p.code, p.course.step
	p.show(code)
	p.save()
	p.Session.Offer(message, "Undo", func() {
		p := p.shown()
		if p.course.step != step { // of a lesson
			p.course.keep(step, before)
			return
		}
		p.show(before)
		p.save()
	})
}

func (p *Page) onResetCode(app.Context, app.Event) {
	p.replace(p.course.current().Start, "The code is what the step started with.")
}

func (p *Page) onAnswer(app.Context, app.Event) {
	p.replace(p.course.current().Solution, "The answer replaced your code.")
}

// onResetLesson brings back the lesson's data without a run.
func (p *Page) onResetLesson(app.Context, app.Event) {
	p.onStop(p.ctx, app.Event{})
	p.course.results, p.course.ran = nil, false
	p.prepare(func(string) { p.readResults() })
}

func (p *Page) onMoreHints(app.Context, app.Event) { p.course.hints++ }

func (p *Page) onPane(_ app.Context, event app.Event) { p.course.pane = ui.Data(event, "choice") }

// goTo opens the lesson at a place.
func (p *Page) goTo(at int) {
	all, _ := p.course.all.Data()
	if at >= 0 && at < len(all) {
		p.Session.Navigate(lessonRoute(p.course.from, all[at].Name))
	}
}

func (p *Page) onPreviousLesson(app.Context, app.Event) { p.goTo(p.course.at - 1) }

func (p *Page) onNextLesson(app.Context, app.Event) { p.goTo(p.course.at + 1) }

func (p *Page) onNextStep(app.Context, app.Event) {
	if c := &p.course; c.step+1 < len(c.Steps) {
		p.goToStep(c.step + 1)
	}
}

// onStep opens any step: their order is a recommendation.
func (p *Page) onStep(_ app.Context, event app.Event) {
	if step, err := strconv.Atoi(ui.Data(event, "step")); err == nil && step >= 0 && step < len(p.course.Steps) {
		p.goToStep(step)
	}
}

// lessonRoute returns the route of a lesson.
func lessonRoute(from, name string) page.Route {
	return page.Route{Page: "playground"}.With(lessonArg, name).With(courses.FromArg, from)
}

// lessonsRoute returns the route of the list of lessons.
func (p *Page) lessonsRoute() page.Route {
	return page.Route{Page: "lessons"}.With(courses.FromArg, p.course.from)
}

// CompoID makes go-app mount a new component for another lesson.
func (p *Page) CompoID() string {
	return p.Props.CompoID() + "/" + p.Route.Arg(lessonArg) + "/" + p.Route.Arg(courses.FromArg)
}
