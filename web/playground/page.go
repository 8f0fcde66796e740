package playground

import (
	"context"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "playground", Title: "Playground", Icon: ui.IconCode, Scopes: page.Store, Exhibits: exhibits,
		New: func(p page.Props) app.Composer { return &Page{Props: p} },
		Under: func(r page.Route) string {
			if r.Arg(lessonArg) != "" {
				return "lessons"
			}
			return ""
		},
	}
}

// OnInit prepares the editor.
func (p *Page) OnInit() {
	p.tab, p.code = consoleTab, samples[0].Code
	p.initial = p.code
	p.openLesson()
}

// OnMount reads the code from the address.
func (p *Page) OnMount(ctx app.Context) {
	p.ctx, p.kept().page = ctx, p
	p.release = append(p.release, p.Session.Control().Watch(func(events []control.Event) { p.kept().arrivals.hear(events) }),
		p.Session.Keys(p.onKey), p.Session.Commands(p.commands),
		browser.Listen(app.Window(), "hashchange", func(app.Value) { ctx.Dispatch(func(app.Context) { p.readAddress() }) }),
		browser.Listen(app.Window(), "pagehide", func(app.Value) { p.handTyped() }), // at once: nothing runs later
		browser.Listen(app.Window(), "storage", func(app.Value) { ctx.Dispatch(func(app.Context) { p.onStorage() }) }))
	if !p.course.on {
		p.takeTyped()
		if p.kept().code != "" {
			p.http = p.kept().http
			p.show(p.kept().code)
		}
		p.readAddress()
	}
	if !p.course.on || p.course.ready() { // otherwise it is not known whose results they are
		if p.account = p.kept().account; p.account != "" {
			p.console = p.kept().console
			p.readResults()
		}
	}
	p.fetchLesson()
	page.Background(ctx, func(c context.Context) func() {
		p.sweep(c)
		return func() {}
	})
}

// OnDismount ends the program. Its account stays until the browser's tab is closed.
func (p *Page) OnDismount() {
	page.Release(p.release)
	p.flush()
	p.onStop(p.ctx, app.Event{})
	for _, k := range kept { // of one run at most: it may have printed megabytes
		k.page, k.console = nil, console{}
	}
	p.kept().console = p.console.left()
}

// onKey runs the program with Ctrl+Enter, wherever the focus is.
func (p *Page) onKey(key page.Key) func() {
	if key.Ctrl && key.Name == "Enter" {
		return p.runOrSend
	}
	return nil
}

func (p *Page) commands() []page.Command {
	all := []page.Command{
		{Icon: ui.IconCode, Title: "Run the program", Hint: "Ctrl Enter", Run: p.runOrSend},
		{Icon: ui.IconShare, Title: "Copy a link to this program", Run: func() { p.onShare(p.ctx, app.Event{}) }},
		{Icon: ui.IconFile, Title: "Save this program as a file", Run: func() { p.onSaveFile(p.ctx, app.Event{}) }},
		{Icon: ui.IconTab, Title: "Open this program in a new tab", Run: func() { p.onOpenTab(p.ctx, app.Event{}) }},
	}
	if !p.http {
		all = append(all, page.Command{Icon: ui.IconFile, Title: "Save this program as a Node project", Run: func() { p.onSaveProject(p.ctx, app.Event{}) }})
	}
	return all
}
