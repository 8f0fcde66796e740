package lessons

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/course"
	"sandtable/web/humanize"
	"sandtable/web/lesson"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "lessons", Title: "Lessons", Icon: ui.IconBook, Scopes: page.Store, Figure: course.Figure, Exhibits: exhibits,
		New: func(p page.Props) app.Composer { return &Page{Props: p} },
	}
}

// Page is the list of lessons.
type Page struct {
	app.Compo
	page.Props

	ctx      app.Context
	lessons  remote.Value[[]lesson.Lesson]
	progress course.Progress
	last     string // the address of another site's course, opened before; "" for none
	problem  error  // of a file that was imported
	files    int    // counts imports: a new input takes the same file again
	release  []func()
}

// OnMount fetches the course.
func (p *Page) OnMount(ctx app.Context) {
	p.ctx = ctx
	p.progress, p.last = course.Read(), course.Last()
	p.release = append(p.release, p.Session.Keys(p.onKey))
	p.fetch()
}

// OnDismount releases what the page listens to.
func (p *Page) OnDismount() { page.Release(p.release) }

// CompoID makes go-app mount a new component for another course.
func (p *Page) CompoID() string { return p.Props.CompoID() + "/" + p.from() }

// from is the address of another site's course, "" for ours.
func (p *Page) from() string { return p.Route.Arg(course.FromArg) }

func (p *Page) fetch() {
	base, from := p.Session.Base(), p.from()
	if all := course.Known(base, from); all != nil {
		p.lessons = p.lessons.Answered(all, nil)
		return
	}
	page.Load(p.ctx, &p.lessons, func(c context.Context) ([]lesson.Lesson, error) {
		return course.Fetch(c, base, from)
	}, p.Session.Wrote) // the sidebar has the figure
}

func (p *Page) onForget(app.Context, app.Event) {
	course.Forget(p.Session.Base())
	p.last = ""
}

func (p *Page) onFetch(app.Context, app.Event) { p.fetch() }

func (p *Page) done(l lesson.Lesson) course.Done {
	return p.progress.Of(course.Key(p.from(), l.Name), len(l.Steps))
}

// next returns the place of the first lesson that is not done, -1 if all are.
func (p *Page) next(all []lesson.Lesson) int {
	for i, l := range all {
		if !p.done(l).All() {
			return i
		}
	}
	return -1
}

func (p *Page) route(l lesson.Lesson) page.Route {
	return page.Route{Page: "playground"}.With("lesson", l.Name).With(course.FromArg, p.from())
}

// onKey moves through the list with the arrow keys, and opens the next lesson
// with Enter.
func (p *Page) onKey(key page.Key) func() {
	all, ok := p.lessons.Data()
	if !ok || key.Ctrl || key.Alt || key.Within("dialog") {
		return nil
	}
	inside := key.Within(".lessons a.lesson")
	// The sidebar's link has the focus when it has led here.
	free := key.Within(`.item[aria-current="page"]`) || !key.Within("a, button, input, select, textarea")
	switch {
	case (key.Name == "ArrowDown" || key.Name == "ArrowUp") && (inside || free):
		return func() { p.move(p.ctx, key.Name == "ArrowDown", len(all)) }
	case key.Name == "Enter" && free:
		if at := p.next(all); at >= 0 {
			return func() { p.Session.Navigate(p.route(all[at])) }
		}
	}
	return nil
}

func rowID(at int) string { return "lesson-" + strconv.Itoa(at) }

// move sets the focus to the next lesson or the one before.
func (p *Page) move(ctx app.Context, down bool, n int) {
	at, err := strconv.Atoi(browser.Text(app.Window().Get("document").Get("activeElement").Get("dataset"), "at"))
	switch {
	case err != nil:
		all, _ := p.lessons.Data()
		at = max(p.next(all), 0)
	case down:
		at = min(at+1, n-1)
	default:
		at = max(at-1, 0)
	}
	browser.Focus(ctx, rowID(at))
}

// onReset asks before it forgets what is done, and whether to remove the code as well.
func (p *Page) onReset(app.Context, app.Event) {
	all, _ := p.lessons.Data()
	removed := false
	p.Session.Ask(ui.Question{
		Title: "Reset progress?", Confirm: "Reset progress",
		Text:   humanize.Count(len(all), "lesson", "lessons") + " will be shown as not done. Your code stays, so whoever uses this browser next finds your answers, unless you remove it as well. Removed code cannot be brought back.",
		Choice: &removed, Label: "Remove my code as well",
	}, func() {
		p.progress = course.Read()
		p.progress.Reset(p.from(), all, removed)
		p.progress.Save()
		p.Session.Wrote()
	})
}

func (p *Page) onExport(app.Context, app.Event) {
	browser.SaveFile("sandtable-progress.json", "application/json", course.Read().Text())
}

// onImport adds the progress in a file to what is here.
func (p *Page) onImport(_ app.Context, event app.Event) {
	file, ok := browser.FileIn(event.Get("target"))
	p.files++
	if !ok {
		return
	}
	page.Background(p.ctx, func(context.Context) func() {
		text, err := file.Read()
		return func() {
			before := course.Read()
			next, omitted := before, 0
			if err == nil {
				next, omitted, err = before.Merge(text)
			}
			p.progress, p.problem = next, err
			if err != nil {
				return
			}
			p.save(next)
			message := "The progress in the file was added to yours."
			if omitted > 0 {
				message += " Your own code stays where the file has other code: in " + humanize.Count(omitted, "step", "steps") + "."
			}
			p.Session.Offer(message, "Undo", func() {
				now := course.Read()
				now.Unmerge(before, text)
				p.save(now)
			})
		}
	})
}

func (p *Page) save(progress course.Progress) {
	p.progress = progress
	progress.Save()
	p.Session.Wrote()
}
