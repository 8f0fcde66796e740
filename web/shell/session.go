package shell

import (
	"context"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// hooks are what pages have registered.
type hooks struct {
	last     int
	guards   []registered[func() bool]
	keys     []registered[func(page.Key) func()]
	commands []registered[func() []page.Command]
	watchers []registered[func([]control.Change)]
}

// registered is one registration, in the order in which they were made.
type registered[F any] struct {
	id int
	f  F
}

func register[F any](h *hooks, all *[]registered[F], f F) (release func()) {
	h.last++
	id := h.last
	*all = append(*all, registered[F]{id, f})
	return func() {
		for i, r := range *all {
			if r.id == id {
				*all = append((*all)[:i:i], (*all)[i+1:]...)
				return
			}
		}
	}
}

// Base implements [page.Session].
func (s *Shell) Base() string { return s.base }

// Client implements [page.Session].
func (s *Shell) Client(account string) *client.Client {
	if r, ok := s.remotes.find(account); ok {
		return s.remoteClient(r)
	}
	return &client.Client{Base: s.base + "table/" + account, Transport: s.transport}
}

// Connected implements [page.Session].
func (s *Shell) Connected(account string) (client.Remote, bool) { return s.remotes.find(account) }

// Connections implements [page.Session].
func (s *Shell) Connections() []client.Remote { return s.remotes.all }

// Status implements [page.Session].
func (s *Shell) Status() remote.Value[control.Status] { return s.status }

// Catalog implements [page.Session].
func (s *Shell) Catalog() page.Catalog { return s.catalog }

// Navigate implements [page.Session].
func (s *Shell) Navigate(r page.Route) {
	if r != s.route {
		s.navigate(r)
	}
}

// Replace implements [page.Session].
func (s *Shell) Replace(r page.Route) {
	s.route = r
	if app.IsClient {
		s.ctx.Page().ReplaceURL(r.On(s.ctx.Page().URL()))
		// go-app ignores navigation to the address that it visited last: have it
		// notice that the address has changed.
		app.Window().Call("dispatchEvent", app.Window().Get("PopStateEvent").New("popstate"))
	}
}

// Wrote implements [page.Session].
func (s *Shell) Wrote() { s.WroteTo(s.place().Account) }

// WroteTo implements [page.Session].
func (s *Shell) WroteTo(account string) {
	if isRemote(account) {
		s.loadTables(account)
		return
	}
	if tables := s.catalog.Tables[account]; tables.State() == remote.Failed {
		s.setTables(account, tables.Asked()) // somebody waits for them
	}
	s.keep()
	s.readPersistence(s.host.Persistence)
	s.refreshStatus()
	s.refreshCatalog()
}

// Checked implements [page.Session].
func (s *Shell) Checked(problems int) {
	s.health.problems = problems
	s.refreshStatus()
}

// Watch implements [page.Session].
func (s *Shell) Watch(f func([]control.Change)) (release func()) {
	return register(&s.hooks, &s.hooks.watchers, f)
}

// Background implements [page.Session].
func (s *Shell) Background(work func(context.Context) func()) {
	page.Background(s.ctx, func(c context.Context) func() {
		apply := work(c)
		return func() { s.runForPage(apply) }
	})
}

// Guard implements [page.Session].
func (s *Shell) Guard(unsaved func() bool) (release func()) {
	return register(&s.hooks, &s.hooks.guards, unsaved)
}

// unsaved reports whether leaving the page loses something.
func (s *Shell) unsaved() bool {
	return slices.ContainsFunc(s.hooks.guards, func(r registered[func() bool]) bool { return r.f() })
}

// Leave implements [page.Session].
func (s *Shell) Leave(then func()) {
	if !s.unsaved() {
		then()
		return
	}
	s.Ask(discardQuestion, then)
}

// Keys implements [page.Session].
func (s *Shell) Keys(f func(page.Key) (act func())) (release func()) {
	return register(&s.hooks, &s.hooks.keys, f)
}

// Commands implements [page.Session].
func (s *Shell) Commands(f func() []page.Command) (release func()) {
	return register(&s.hooks, &s.hooks.commands, f)
}

// Notify implements [page.Session].
func (s *Shell) Notify(text string) { s.toast(text, "", nil) }

// Offer implements [page.Session].
func (s *Shell) Offer(text, button string, act func()) (withdraw func()) {
	id := s.toast(text, button, act)
	return func() { s.notices.drop(id) }
}

// Ask implements [page.Session].
func (s *Shell) Ask(q ui.Question, confirmed func()) { s.ask(q, confirmed, nil) }
