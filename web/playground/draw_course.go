package playground

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	courses "sandtable/web/course"
	"sandtable/web/humanize"
	"sandtable/web/lesson"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

func line(text string) []app.UI { return courses.Line(lesson.Spans(text)) }

func (p *Page) splitClass() []string {
	if p.course.on {
		return []string{"playground-split", "with-lesson", "pane-" + p.course.pane}
	}
	return []string{"playground-split"}
}

// drawPanes draws the choice of what a narrow screen shows.
func (p *Page) drawPanes() app.UI {
	if !p.course.on {
		return app.Div().Hidden(true)
	}
	output := ui.Choice{Value: outputPane, Label: "Output"}
	if pic, ok := p.course.picture(); ok && pic.examined > 0 {
		output.After = []app.UI{app.Small().Text(fmt.Sprintf(" %d of %d", pic.partitions, len(pic.parts)))}
	}
	return app.Div().Body(courses.Unkept(), ui.Div("lesson-panes", ui.Segments("Part of the lesson", p.course.pane,
		[]ui.Choice{{Value: textPane, Label: "Lesson"}, {Value: codePane, Label: "Code"}, output}, p.onPane)))
}

// drawNoLesson draws the page while the lesson is fetched, or why it is not here.
func (p *Page) drawNoLesson() app.UI {
	body := ui.Bones(6)
	if p.course.all.State() == remote.Failed {
		body = ui.Retry(p.course.all.Err(), p.onFetchLesson)
	}
	return ui.Div("page playground",
		ui.Div("head", app.A().Class("btn quiet").Href(p.lessonsRoute().Href()).Text("All lessons")),
		ui.Div("lesson-missing", body))
}

func (p *Page) onFetchLesson(app.Context, app.Event) { p.fetchLesson() }

func (p *Page) drawLessonHead(busy bool) app.UI {
	c := &p.course
	all, _ := c.all.Data()
	next := ui.Button(ui.Plain, "Next", p.onNextLesson).Class("wide").Disabled(c.at+1 >= len(all) || !c.done.All()).Title("The next lesson, after the last step of this one").DataSet("testid", "lesson-next")
	if c.done.All() {
		next = next.Class("suggested")
	}
	return ui.Div("head",
		app.A().Class("btn quiet").Href(p.lessonsRoute().Href()).DataSet("testid", "all-lessons").Body(ui.Icon(ui.IconMenu), app.Text("All lessons")),
		app.Span().DataSet("testid", "lesson-place").Text(fmt.Sprintf("%d of %d", c.at+1, len(all))),
		courses.Dashes(c.done, len(c.Steps)),
		app.Span().Class("wide").DataSet("testid", "steps-done").Text(fmt.Sprintf("%d of %s done", c.done.Count(), humanize.Count(len(c.Steps), "step", "steps"))),
		app.Span().Class("grow"),
		ui.Button(ui.Quiet, "Reset data", p.onResetLesson).Disabled(busy).Title("Brings back the lesson's tables. The code stays.").Class("reset").DataSet("testid", "reset-data"),
		ui.Button(ui.Quiet, "Reset code", p.onResetCode).Class("reset").Title("Brings back the code that the step started with. The data stays.").DataSet("testid", "reset-code"),
		ui.IconButton(ui.Square, ui.IconTab, "Open this code in the playground, in a new tab", p.onOpenTab).Class("wide").DataSet("testid", "open-tab"),
		ui.Button(ui.Plain, "Previous", p.onPreviousLesson).Class("wide").Disabled(c.at == 0).Title("The previous lesson").DataSet("testid", "lesson-previous"),
		next,
		ui.Div("playground-run", p.drawStop(),
			ui.Button(ui.Primary, "Run and check", p.onRun).Disabled(busy).Title("Run the program and check it (Ctrl+Enter)").DataSet("testid", "run")))
}

// english is the language of what the page itself says inside a lesson's text, which
// may be in another.
const english = "en"

// drawLesson draws the lesson's text, its steps, and the checks of the present one.
func (p *Page) drawLesson() app.UI {
	c := &p.course
	if !c.on {
		return app.Div().Hidden(true)
	}
	body := append([]app.UI{courses.Source(p.Session.Base(), c.from), app.H1().Text(c.Title)}, courses.Text(c.Intro)...)
	var steps []app.UI
	for i, s := range c.Steps {
		if i == c.step {
			steps = append(steps, p.drawStep(s))
			continue
		}
		mark, class := strconv.Itoa(i+1), "other"
		if i < len(c.done.Steps) && c.done.Steps[i] {
			mark, class = "✓", "other done"
		}
		steps = append(steps, app.Li().Class(class).Body(
			app.Button().Type("button").DataSet("step", i).DataSet("testid", "step").OnClick(p.onStep).Body(
				app.Span().Class("mark").Aria("hidden", true).Text(mark), app.Text(s.Title))))
	}
	return app.Section().Class("lesson-text").Lang(c.Language).Aria("label", "Lesson").TabIndex(0).Body(
		&ui.Keyed{Key: strconv.Itoa(c.step), Draw: func() app.UI {
			return ui.Div("inside", append(body, app.Ol().Class("lesson-steps").Body(steps...))...)
		}})
}

// drawStep draws the present step.
func (p *Page) drawStep(s lesson.Step) app.UI {
	c := &p.course
	body := []app.UI{app.H2().Body(app.Span().Class("mark").Aria("hidden", true).Text(strconv.Itoa(c.step+1)), app.Text(s.Title))}
	body = append(body, courses.Text(s.Text)...)
	var checks []app.UI
	for i, check := range s.Checks {
		checks = append(checks, p.drawCheck(i, check))
	}
	passed := c.passed()
	last := c.step+1 == len(c.Steps)
	all, _ := c.all.Data()
	words := "The step is done."
	if last && c.done.All() {
		words = "The lesson is done."
	}
	return app.Li().Class("current").Aria("current", "step").Body(append(body,
		p.drawNote(),
		app.Ol().ID(checksID).Class("lesson-checks").Aria("live", "polite").Aria("label", "Checks").DataSet("testid", "checks").DataSet("checked", c.checked).Body(checks...),
		app.Div().Class("row").Lang(english).Hidden(!passed).Body(
			app.Span().Class("note good").DataSet("testid", "step-done").Text(words),
			ui.Button(ui.Primary, "Next step", p.onNextStep).Hidden(last).DataSet("testid", "next-step"),
			ui.Button(ui.Primary, "Next lesson", p.onNextLesson).Hidden(!last || c.at+1 >= len(all)).DataSet("testid", "next-lesson"),
			app.A().Class("btn", "primary").Hidden(!last || c.at+1 < len(all)).Href(p.lessonsRoute().Href()).Text("All lessons")),
		ui.Button(ui.Quiet, "Show the answer", p.onAnswer).Lang(english).Hidden(passed || len(c.results) == 0).DataSet("testid", "answer"))...)
}

// drawNote draws what there is to say about the run as a whole.
func (p *Page) drawNote() app.UI {
	c := &p.course
	switch {
	case c.void != "":
		return app.Div().ID(noteID).Class("note notice").Role("status").DataSet("testid", "unchecked").Text(c.void)
	case c.ran && !c.passed() && p.console.end != nil && p.console.end.Failure != nil:
		f := p.console.end.Failure
		text := "Your program ended with " + f.title()
		if f.Line > 0 {
			text += ", line " + strconv.Itoa(f.Line)
		}
		return app.Div().ID(noteID).Class("note error").Role("status").DataSet("testid", "run-failure").Body(
			app.B().Text(text+"."), app.Text(" "+f.Message))
	}
	return app.Div().Hidden(true)
}

func (p *Page) drawCheck(i int, check lesson.Check) app.UI {
	c := &p.course
	state, content := "open", line(check.Want)
	if i < len(c.results) {
		state = "passed"
		if r := c.results[i]; !r.Passed {
			state = "failed"
			content = append(content, app.Text(": "), app.B().Lang(english).Text(r.Found), p.drawHints(r.Hints))
		}
	}
	words := map[string]string{"open": "Not checked", "passed": "Passed", "failed": "Not yet"}
	return app.Li().Class(state).Body(append([]app.UI{app.Small().Lang(english).Text(words[state])}, content...)...)
}

// drawHints draws the first hints, and a button for the next one.
func (p *Page) drawHints(hints []string) app.UI {
	if len(hints) == 0 {
		return app.Div().Hidden(true)
	}
	shown := min(1+p.course.hints, len(hints))
	var all []app.UI
	for _, hint := range hints[:shown] {
		all = append(all, app.P().DataSet("testid", "hint").Body(line(hint)...))
	}
	return ui.Div("note notice", append(all,
		ui.Button(ui.Quiet, "Another hint", p.onMoreHints).Lang(english).Hidden(shown == len(hints)).DataSet("testid", "more-hints"))...)
}
