package playground

import (
	"context"
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/control"
	courses "sandtable/web/course"
	"sandtable/web/humanize"
	"sandtable/web/lesson"
)

// maxRead is how many entities of a table checks look at, and maxDetails how many
// requests with their headers and bodies: the endpoint keeps no more.
const (
	maxRead    = 20_000 // a lesson brings 5,000 at most
	maxDetails = 200
)

// observed is what checks need and the tabs do not show.
type observed struct {
	tables   []lesson.Table
	requests []control.RecordedDetail
	problem  string // why they cannot be checked, "" for nothing
}

// observe reads whole tables, and the details of requests if checks look at them.
func (c *course) observe(ctx context.Context, api *control.Client, tables *client.Client, list []contents, own []control.Recorded, whole bool) (o observed, err error) {
	if !c.on || !c.ready() {
		return o, nil
	}
	for _, t := range list {
		table := lesson.Table{Name: t.Name}
		if t.Entities > maxRead {
			o.problem = fmt.Sprintf("The table %s is too large to check: it has %s entities, and checks read %s.", t.Name, humanize.Number(t.Entities), humanize.Number(maxRead))
		} else {
			err = bulk.Each(ctx, tables, t.Name, client.Query{}, func(page []client.Entity) error {
				for _, e := range page {
					table.Entities = append(table.Entities, e.Entity)
				}
				return nil
			})
		}
		if err != nil {
			return o, err
		}
		o.tables = append(o.tables, table)
	}
	detailed := c.current().Detailed()
	switch {
	case !whole && c.current().Counting():
		o.problem = "There were too many requests to check: some of your program's are missing here. Run it again, with fewer requests, or without another tab that sends many."
	case detailed && len(own) > maxDetails:
		o.problem = fmt.Sprintf("Your program sent too many requests to check: %s. This step looks at headers or bodies, which are kept of the last %d.", humanize.Number(len(own)), maxDetails)
	}
	for _, r := range own {
		d := control.RecordedDetail{Recorded: r}
		if detailed && o.problem == "" {
			if d, err = api.Recorded(ctx, r.ID); isGone(err) {
				d, err, o.problem = control.RecordedDetail{Recorded: r}, nil, "There were too many requests to check: other tabs sent some, too. Run the program again."
			}
			if err != nil {
				return o, err
			}
		}
		o.requests = append(o.requests, d)
	}
	return o, nil
}

// check compares what a run has done with what the step wants.
func (p *Page) check(o observed) {
	c := &p.course
	if !c.on || !c.ready() || p.console.end == nil || !c.ran {
		return
	}
	r := lesson.Run{Requests: o.requests, Tables: o.tables}
	for _, line := range p.console.lines {
		r.Output = append(r.Output, line.printed())
	}
	p.tab = readTab
	if f := p.console.end.Failure; f != nil {
		p.tab = consoleTab
		r.Failure = f.title() + " " + f.Message
	}
	var passed bool
	c.hints, c.checked, c.results, c.void = 0, c.checked+1, nil, o.problem
	if c.void == "" {
		c.results, passed = c.current().Check(r)
	}
	switch outcome := p.console.end.Outcome; {
	case c.void == "" && outcome != "finished" && outcome != "failed":
		c.void = p.console.end.Message
		if passed {
			passed, c.void = false, c.void+" A program that passes ends by itself."
		}
	case p.console.end.failedByItself() && !c.current().Explains(r.Failure): // the error says more than the hints
		for i := range c.results {
			c.results[i].Hints = nil
		}
	}
	if passed {
		all := courses.Read()
		all.SetDone(c.key(), c.step, len(c.Steps))
		c.done = all.Done[c.key()]
		all.Save()
		p.Session.Wrote() // the sidebar has the figure
	}
	c.pane = textPane
	p.showEnd()
	p.ctx.Defer(func(app.Context) { // a hint below the edge would not be seen
		verdict := app.Window().Get("document").Call("querySelector", "#"+noteID+", #"+checksID+" .failed, #"+checksID+" + .row:not([hidden])")
		if verdict.Truthy() {
			verdict.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// summary says how many checks have passed.
func (c *course) summary() string {
	if len(c.results) == 0 {
		return ""
	}
	passed := 0
	for _, r := range c.results {
		if r.Passed {
			passed++
		}
	}
	return fmt.Sprintf(" · %d of %s passed", passed, humanize.Count(len(c.current().Checks), "check", "checks"))
}

// passed reports whether the last run has passed this step.
func (c *course) passed() bool {
	return c.void == "" && len(c.results) > 0 && len(c.results) == len(c.current().Checks) && c.results[len(c.results)-1].Passed
}
