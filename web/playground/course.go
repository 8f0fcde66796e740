package playground

import (
	"context"
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/lesson"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// progressName is where progress is in localStorage.
const progressName = "sandtable lessons"

// progress is what a learner has done, by lesson.
type progress struct {
	Done map[string]bool
	Code map[string]string
}

func readProgress() progress {
	kept, _ := browser.Load(progressName, func(progress) bool { return true })
	if kept.Done == nil {
		kept.Done = map[string]bool{}
	}
	if kept.Code == nil {
		kept.Code = map[string]string{}
	}
	return kept
}

// course is the lesson that the page shows, if on.
type course struct {
	lesson.Lesson
	on      bool
	at      int
	done    map[string]bool
	results []lesson.Result // of the last run
}

// nextLesson returns the name of the first lesson that is not done.
func nextLesson() string {
	done := readProgress().Done
	for _, l := range lesson.All {
		if !done[l.Name] {
			return l.Name
		}
	}
	return lesson.All[0].Name
}

// openLesson shows the lesson that the address names.
func (p *Page) openLesson() {
	l, at, ok := lesson.Of(p.Route.Arg("lesson"))
	if !ok {
		return
	}
	kept := readProgress()
	p.course = course{Lesson: l, on: true, at: at, done: kept.Done}
	p.code = l.Code
	if code := kept.Code[l.Name]; code != "" && len(code) <= maxCode {
		p.code = code
	}
	p.initial = p.code
}

func (p *Page) kept() *run {
	if kept[p.course.Name] == nil {
		kept[p.course.Name] = &run{}
	}
	return kept[p.course.Name]
}

// keep stores the code that was written.
func (c *course) keep(code string) {
	all := readProgress()
	all.Code[c.Name] = code
	browser.Save(progressName, all)
}

// fill writes the lesson's data into a new account.
func (c *course) fill(ctx context.Context, tables *client.Client) error {
	if c.Table == "" {
		return nil
	}
	if err := tables.CreateTable(ctx, c.Table); err != nil {
		return err
	}
	for _, e := range c.Data {
		if _, err := tables.Insert(ctx, c.Table, e); err != nil {
			return err
		}
	}
	return nil
}

// check compares what a run has done with what the lesson wants.
func (p *Page) check(requests []client.Recorded, tables []contents) {
	c := &p.course
	if !c.on {
		return
	}
	r := lesson.Run{Requests: requests}
	for _, t := range tables {
		table := lesson.Table{Name: t.Name}
		for _, e := range t.first {
			table.Entities = append(table.Entities, e.Entity)
		}
		r.Tables = append(r.Tables, table)
	}
	var passed bool
	if c.results, passed = c.Check(r); passed {
		all := readProgress()
		all.Done[c.Name] = true
		c.done = all.Done
		browser.Save(progressName, all)
	}
}

// summary says how many checks have passed.
func (c *course) summary() string {
	if len(c.results) == 0 {
		return ""
	}
	passed := 0
	for _, r := range c.results {
		if r.Problem == nil {
			passed++
		}
	}
	return fmt.Sprintf(" · %d of %s passed", passed, ui.Count(len(c.Checks), "check", "checks"))
}

// replace puts other code into the editor; what was there can be brought back.
func (p *Page) replace(code, message string) {
	before := p.code
	p.show(code)
	p.save()
	p.Session.Offer(message, "Undo", func() {
		p.show(before)
		p.save()
	})
}

func (p *Page) onResetCode(app.Context, app.Event) {
	p.replace(p.course.Code, "The code is what the lesson started with.")
}

func (p *Page) onAnswer(app.Context, app.Event) {
	p.replace(p.course.Answer, "The answer replaced your code.")
}

func (p *Page) goTo(at int) app.EventHandler {
	return func(app.Context, app.Event) {
		p.Session.Navigate(page.Route{Page: "playground"}.With("lesson", lesson.All[at].Name))
	}
}

// CompoID tells go-app to mount a new component for another lesson.
func (p *Page) CompoID() string { return p.Props.CompoID() + "/" + p.Route.Arg("lesson") }
