package playground

import (
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/lesson"
	"sandtable/web/page"
	"sandtable/web/ui"
)

func (p *Page) splitClass() []string {
	if p.course.on {
		return []string{"playground-split", "with-lesson"}
	}
	return []string{"playground-split"}
}

func (p *Page) drawLessonHead(busy bool) app.UI {
	at := p.course.at
	return app.Div().Class("head").Body(
		app.A().Class("btn quiet").Href(page.Route{Page: "playground"}.Href()).Body(app.Text("Playground")),
		app.Span().DataSet("testid", "lesson-place").Body(app.Text(fmt.Sprintf("Lesson %d of %d · %d done", at+1, len(lesson.All), len(p.course.done)))),
		app.Span().Class("grow"),
		ui.Button(ui.Quiet, "Reset code", p.onResetCode).DataSet("testid", "reset-code"),
		ui.Button(ui.Plain, "Previous", p.goTo(max(at-1, 0))).Disabled(at == 0).DataSet("testid", "lesson-previous"),
		ui.Button(ui.Plain, "Next", p.goTo(min(at+1, len(lesson.All)-1))).Disabled(at == len(lesson.All)-1).DataSet("testid", "lesson-next"),
		ui.Button(ui.Plain, "Stop", p.onStop).Disabled(p.stop == nil).DataSet("testid", "stop"),
		ui.Button(ui.Primary, "Run and check", p.onRun).Disabled(busy).Title("Run the program and check it (Ctrl+Enter)").DataSet("testid", "run"))
}

// drawLesson draws the lesson's text and its checks.
func (p *Page) drawLesson() app.UI {
	c := &p.course
	if !c.on {
		return app.Div().Hidden(true)
	}
	body := []app.UI{app.H1().Body(app.Text(c.Title))}
	for _, text := range c.Text {
		body = append(body, app.P().Body(app.Text(text)))
	}
	var checks []app.UI
	for i, check := range c.Checks {
		state, content := "open", []app.UI{app.Text(check.Want)}
		if i < len(c.results) {
			state = "passed"
			if problem := c.results[i].Problem; problem != nil {
				state = "failed"
				content = append(content, app.Text(": "), app.B().Body(app.Text(problem.Found)), app.P().Class("note notice").DataSet("testid", "hint").Body(app.Text(problem.Hint)))
			}
		}
		words := map[string]string{"open": "Not checked", "passed": "Passed", "failed": "Not yet"}
		checks = append(checks, app.Li().Class(state).Body(append([]app.UI{app.Small().Body(app.Text(words[state]))}, content...)...))
	}
	body = append(body, app.Ol().Class("lesson-checks").Aria("live", "polite").Aria("label", "Checks").DataSet("testid", "checks").Body(checks...),
		app.P().Hidden(!c.done[c.Name]).Class("note good").DataSet("testid", "lesson-done").Body(app.Text("This lesson is done.")),
		ui.Button(ui.Quiet, "Show the answer", p.onAnswer).Disabled(len(c.results) == 0).DataSet("testid", "answer"),
		app.Small().Class("hint").Body(app.Text("Each run starts with the lesson's data. Progress is kept in this browser.")))
	return app.Section().Class("lesson-text").Aria("label", "Lesson").TabIndex(0).Body(body...)
}
