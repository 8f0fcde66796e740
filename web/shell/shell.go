package shell

import (
	"context"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// New returns a shell with these pages. Of each scope the first is the default.
func New(pages []page.Definition) *Shell { return &Shell{pages: pages, pause: refreshPause} }

// OnInit connects the shell to the browser; a test has set its own host.
func (s *Shell) OnInit() {
	if s.transport == nil {
		s.transport = client.DefaultTransport()
	}
	if s.host == nil {
		s.host = thisHost()
	}
	if s.navigate == nil {
		s.navigate = func(r page.Route) { s.ctx.NavigateTo(r.On(s.ctx.Page().URL())) }
	}
	s.catalog.Tables = map[string]remote.Value[[]client.Table]{}
	s.notices.init()
	s.theme = currentTheme()
}

// OnMount starts the shell.
func (s *Shell) OnMount(ctx app.Context) {
	s.ctx = ctx
	s.listen()
	s.listenForDrops()
	s.settled = s.host.Controlled()
	s.release = append(s.release, s.host.Watch(func(event workerEvent) {
		ctx.Dispatch(func(app.Context) { s.onWorker(event) })
	}))
	s.start(ctx, thisBase())
}

// OnDismount removes the shell's listeners.
func (s *Shell) OnDismount() { page.Release(s.release) }

// OnNav follows the address: a link, back, forward, or a step of the page.
func (s *Shell) OnNav(ctx app.Context) { s.follow(page.RouteOf(ctx.Page().URL())) }

// start waits for the engine and then reads what the shell shows.
func (s *Shell) start(ctx app.Context, base string) {
	s.ctx, s.base = ctx, base
	if s.remotes.remembered == nil { // not when it starts again after a failure
		s.recallRemotes()
	}
	s.status = s.status.Asked()
	page.Background(ctx, func(c context.Context) func() {
		status, err := boot(c, s.host, s.Control())
		return func() {
			if errors.Is(err, errReloading) {
				return
			}
			if err != nil {
				s.status = s.status.Answered(status, err)
				return
			}
			s.settled = s.host.Controlled()
			s.readPersistence(s.host.Persistence)
			s.watchEvents(func() {
				s.status = s.status.Answered(status, nil)
				s.checkHealth() // also whether this is the store of the last visit
				s.loadCatalog()
			})
		}
	})
}

// follow makes r the route. With changes that would be lost it stays where it
// is and asks first.
func (s *Shell) follow(r page.Route) {
	s.sidebar.open = false
	if !r.SamePage(s.route) {
		s.notices.question = nil // it was about the page before
		if s.unsaved() {
			here := s.route
			s.ask(discardQuestion, func() { s.hooks.guards = nil; s.goTo(r) }, func() { s.navigate(here) })
			return
		}
	} else if q := s.notices.question; q != nil && q.cancelled != nil {
		s.notices.question = nil // it was about leaving the page, and the user is back
	}
	s.goTo(r)
}

func (s *Shell) goTo(r page.Route) {
	s.arrive(r)
	if !r.SamePage(s.route) {
		s.before = s.route
	}
	if r.Page != exportPage {
		s.rows = page.Selection{} // that a link to it had handed over
	}
	if !r.SameTable(s.route) && !s.listed(r) { // it may be newer than the list
		s.unlisted = true
		s.refreshCatalog()
	}
	if r.Account != s.route.Account {
		s.refreshRemote(r.Account)
	}
	s.route = r
	if s.ctx.Context != nil {
		s.ctx.Page().SetTitle(s.title())
		s.showCurrent()
	}
}

// listen handles the keys that work everywhere, checks the engine when the user
// comes back to the tab, and asks before the tab is closed with unsaved changes.
func (s *Shell) listen() {
	window := app.Window()
	s.release = append(s.release,
		browser.Listen(window, "keydown", s.onKey),
		browser.Listen(window, "focus", func(app.Value) {
			s.ctx.Dispatch(func(app.Context) {
				s.refreshStatus()
				s.checkHealth()
				s.refreshRemote(s.route.Account)
			})
		}),
		browser.Listen(window, "beforeunload", func(event app.Value) {
			if s.unsaved() {
				event.Call("preventDefault")
			}
		}))
}

func (s *Shell) onRestart(app.Context, app.Event) { s.start(s.ctx, s.base) }

// onDrawer opens the list of tables over the page, with the focus in it, or closes it.
func (s *Shell) onDrawer(ctx app.Context, _ app.Event) {
	if s.sidebar.open = !s.sidebar.open; s.sidebar.open {
		browser.Focus(ctx, sideID)
	}
}
