package lessons

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/course"
	"sandtable/web/humanize"
	"sandtable/web/lesson"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Render draws the page.
func (p *Page) Render() app.UI {
	all, ok := p.lessons.Data()
	var body app.UI
	switch {
	case p.lessons.State() == remote.Failed:
		body = ui.Div("lessons-body", ui.Retry(p.lessons.Err(), p.onFetch))
	case !ok:
		body = ui.Div("lessons-body", ui.Bones(8))
	default:
		body = p.drawCourse(all)
	}
	return ui.Div("page lessons", p.drawHead(all), course.Unkept(), p.drawSource(), body,
		app.Footer().Class("status").Body(
			app.Span().Text("The numbers are the recommended order. Each lesson has its own account, so nothing touches your tables."),
			app.Span().Class("grow"),
			ui.Span("optional", "Progress is kept in this browser")))
}

func (p *Page) drawHead(all []lesson.Lesson) app.UI {
	done, minutes, left := 0, 0, 0
	for _, l := range all {
		if d := p.done(l); d.All() {
			done++
			minutes += l.Minutes
		} else {
			left += minutesLeft(l, d)
		}
	}
	return ui.Div("head",
		app.B().DataSet("testid", "lessons-done").Hidden(all == nil).Text(fmt.Sprintf("%d of %s", done, humanize.Count(len(all), "lesson", "lessons"))),
		p.drawProgress(all),
		app.Span().Class("wide").Hidden(all == nil).Text(fmt.Sprintf("%s done, about %s left", duration(minutes), duration((left+9)/10*10))),
		app.Span().Class("grow"),
		ui.Button(ui.Quiet, "Export progress", p.onExport).DataSet("testid", "progress-export"),
		&ui.Keyed{Key: strconv.Itoa(p.files), Draw: func() app.UI {
			return app.Label().Class("btn quiet file").Body(app.Text("Import progress"),
				app.Input().Type("file").Class("sr-only").Accept(".json,application/json").OnChange(p.onImport).DataSet("testid", "progress-import"))
		}},
		ui.Button(ui.Quiet, "Reset progress…", p.onReset).Disabled(len(p.progress.Done)+len(p.progress.Code) == 0).DataSet("testid", "progress-reset"))
}

// drawSource says whose lessons these are, and offers those of another site that
// were opened before: the sidebar leads to ours.
func (p *Page) drawSource() app.UI {
	base := p.Session.Base()
	if p.from() != "" || p.last == "" {
		return course.Source(base, p.from())
	}
	return app.Div().Class("lessons-source").DataSet("testid", "lessons-last").Body(
		app.Span().Body(app.Text("You have also opened lessons from "), app.B().Text(course.Site(base, p.last)), app.Text(".")),
		app.A().Class("btn").Href(page.Route{Page: "lessons"}.With(course.FromArg, p.last).Href()).DataSet("testid", "lessons-last-open").Text("Open them again"),
		ui.Button(ui.Quiet, "Forget them", p.onForget).Title("Removes this line. Your progress in them stays.").DataSet("testid", "lessons-last-forget"))
}

// minutesLeft is about how long the other steps of a lesson take.
func minutesLeft(l lesson.Lesson, d course.Done) int {
	return (l.Minutes*(len(l.Steps)-d.Count()) + len(l.Steps) - 1) / len(l.Steps)
}

// drawProgress draws a dash for each lesson, filled where it is done.
func (p *Page) drawProgress(all []lesson.Lesson) app.UI {
	var dashes []app.UI
	for _, l := range all {
		dash := app.Span()
		switch d := p.done(l); {
		case d.All():
			dash = dash.Class("done")
		case d.Count() > 0:
			dash = dash.Class("begun")
		}
		dashes = append(dashes, dash)
	}
	return app.Span().Class("dashes wide").Aria("hidden", true).Body(dashes...)
}

// duration writes minutes as people do.
func duration(minutes int) string {
	if minutes < 60 {
		return strconv.Itoa(minutes) + " min"
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

func (p *Page) drawCourse(all []lesson.Lesson) app.UI {
	problem := app.UI(app.Div().Hidden(true))
	if p.problem != nil {
		problem = ui.Error("", ui.Sentence(p.problem.Error()))
	}
	next := p.next(all)
	var names []string
	groups := map[string][]int{}
	for i, l := range all {
		if groups[l.Group] == nil {
			names = append(names, l.Group)
		}
		groups[l.Group] = append(groups[l.Group], i)
	}
	var cards []app.UI
	for _, name := range names {
		cards = append(cards, p.drawGroup(name, groups[name], all, next))
	}
	return ui.Div("lessons-body", problem, p.drawNext(all, next), ui.Div("lessons-groups", cards...))
}

// drawNext frames the lesson to do next.
func (p *Page) drawNext(all []lesson.Lesson, next int) app.UI {
	if next < 0 {
		return app.Div().Class("lessons-next").DataSet("testid", "lessons-next").Body(app.Div().Body(
			app.H1().Text("All lessons are done"), app.P().Text("Any of them can be opened again, and the playground is there for whatever you want to try.")))
	}
	l := all[next]
	d := p.done(l)
	button, place := "Start", ""
	if d.Count() > 0 {
		button = "Continue"
		place = fmt.Sprintf(" You are at step %d of %d: %s.", d.Next(len(l.Steps))+1, len(l.Steps), l.Steps[d.Next(len(l.Steps))].Title)
	}
	return app.Div().Class("lessons-next").DataSet("testid", "lessons-next").Body(
		app.Div().Body(
			app.Small().Text(fmt.Sprintf("Next · lesson %d of %d", next+1, len(all))),
			app.H1().Lang(l.Language).Text(l.Title), app.P().Body(app.Span().Lang(l.Language).Text(l.Teaches), app.Text(place))),
		ui.Div("act",
			app.A().Class("btn primary").Href(p.route(l).Href()).DataSet("testid", "continue").Body(app.Text(button), ui.Icon(ui.IconNext)),
			app.Small().Text(fmt.Sprintf("%d of %s done · about %d min left", d.Count(), humanize.Count(len(l.Steps), "step", "steps"), minutesLeft(l, d)))))
}

func (p *Page) drawGroup(name string, places []int, all []lesson.Lesson, next int) app.UI {
	var rows []app.UI
	done := 0
	for _, at := range places {
		l := all[at]
		d := p.done(l)
		class, mark, words := "lesson", strconv.Itoa(at+1), fmt.Sprintf("%d of %d steps done", d.Count(), len(l.Steps))
		if d.All() {
			class, mark, words = "lesson done", "✓", "done"
			done++
		} else if at == next {
			class = "lesson next"
		}
		rows = append(rows, app.Li().Body(app.A().Class(class).ID(rowID(at)).Href(p.route(l).Href()).DataSet("at", at).DataSet("testid", "lesson").Title(l.Teaches).Body(
			app.Span().Class("mark").Aria("hidden", true).Text(mark),
			app.Span().Class("grow").Body(app.Span().Lang(l.Language).Text(l.Title), ui.Span("sr-only", ", "+words)),
			course.Dashes(d, len(l.Steps)),
			ui.Span("minutes", strconv.Itoa(l.Minutes)+" min"))))
	}
	name = cmp.Or(name, "Lessons")
	first := all[places[0]]
	return app.Section().Class("lessons-group").Aria("label", name).Body(
		app.H2().Lang(first.Language).Body(app.Text(name), ui.Span("about", first.About), app.Span().Class("grow"), app.Small().Text(fmt.Sprintf("%d / %d", done, len(places)))),
		app.Ol().Body(rows...))
}
