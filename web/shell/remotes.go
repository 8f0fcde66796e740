package shell

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// remotes are the accounts of other endpoints to which the user has connected.
// Their keys are in memory, and in localStorage only if the user said so.
type remotes struct {
	all        []client.Remote
	remembered map[string]bool // by ID

	mutex    sync.Mutex
	failures map[string]error // by ID, of those whose last request got no answer
}

func (r *remotes) find(id string) (client.Remote, bool) {
	for _, one := range r.all {
		if one.ID() == id {
			return one, true
		}
	}
	return client.Remote{}, false
}

// add adds an account, or replaces the one with its ID.
func (r *remotes) add(one client.Remote, remember bool) {
	r.remove(one.ID())
	r.all = append(r.all, one)
	r.remembered[one.ID()] = remember
}

func (r *remotes) remove(id string) {
	r.all = slices.DeleteFunc(slices.Clone(r.all), func(one client.Remote) bool { return one.ID() == id })
	delete(r.remembered, id)
	r.heard(id, nil)
}

// silent returns why the last request to an account got no answer, nil if it got one.
func (r *remotes) silent(id string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.failures[id]
}

// heard records how a request ended, and reports whether that changes what silent returns.
func (r *remotes) heard(id string, err error) (changed bool) {
	if !errors.Is(err, client.ErrNoAnswer) {
		err = nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	changed = (r.failures[id] == nil) != (err == nil)
	delete(r.failures, id)
	if err != nil {
		r.failures[id] = err
	}
	return changed
}

// listener is a transport that reports how each request ended that was not cancelled.
type listener struct {
	client.Transport
	ended func(error)
}

// Do implements [client.Transport].
func (l listener) Do(ctx context.Context, r client.Request) (client.Response, error) {
	response, err := l.Transport.Do(ctx, r)
	if ctx.Err() == nil {
		l.ended(err)
	}
	return response, err
}

// remoteClient returns a client of a connected account. Its requests decide what the
// pill says; the first answer after a failure reads the list of tables again.
func (s *Shell) remoteClient(r client.Remote) *client.Client {
	c := r.Client(s.transport)
	c.Transport = listener{c.Transport, func(err error) {
		if !s.remotes.heard(r.ID(), err) {
			return
		}
		s.ctx.Dispatch(func(app.Context) {
			if s.remotes.silent(r.ID()) == nil && s.catalog.Tables[r.ID()].State() == remote.Failed {
				s.loadTables(r.ID())
			}
		})
	}}
	return c
}

// stored returns the accounts to store for the next page, given those that are stored
// now, after a change of one. The others may be those of other tabs.
func (r *remotes) stored(now []client.Remote, id string) []client.Remote {
	now = slices.DeleteFunc(now, func(one client.Remote) bool { return one.ID() == id })
	if one, ok := r.find(id); ok && r.remembered[id] {
		now = append(now, one)
	}
	return now[max(0, len(now)-maxRemembered):]
}

// remotesName is where the remembered accounts are in localStorage.
func remotesName(base string) string { return "sandtable.endpoints " + base }

// maxRemembered limits what is stored and read back.
const maxRemembered = 50

func validRemotes(all []client.Remote) bool {
	return len(all) <= maxRemembered && !slices.ContainsFunc(all, func(r client.Remote) bool { return !r.Valid() })
}

// recallRemotes reads the remembered accounts.
func (s *Shell) recallRemotes() {
	s.remotes.remembered, s.remotes.failures = map[string]bool{}, map[string]error{}
	kept, _ := browser.Load(remotesName(s.base), validRemotes)
	for _, one := range kept {
		s.remotes.add(one, true)
	}
}

// saveRemote stores what has changed of one account; without any account, nothing.
func (s *Shell) saveRemote(id string) {
	now, _ := browser.Load(remotesName(s.base), validRemotes)
	if now = s.remotes.stored(now, id); len(now) > 0 {
		browser.Save(remotesName(s.base), now)
		return
	}
	browser.Forget(remotesName(s.base))
}

// Connect implements [page.Session].
func (s *Shell) Connect(r client.Remote, remember bool) {
	s.remotes.add(r, remember)
	s.saveRemote(r.ID())
	s.loadTables(r.ID())
	s.Navigate(page.Route{Account: r.ID(), Table: r.Table})
}

// disconnect forgets an account, after a question.
func (s *Shell) disconnect(id string) {
	text := "Its tables stay where they are. This page forgets how to reach them."
	if s.remotes.remembered[id] {
		text = "Its tables stay where they are. This page forgets how to reach them, and deletes what this browser has remembered."
	}
	forget := func() {
		s.remotes.remove(id)
		s.saveRemote(id)
		s.dropTables(id)
		if s.route.Account == id {
			s.hooks.guards = nil
			s.Navigate(page.Route{})
		}
	}
	s.Ask(ui.Question{Title: "Disconnect from " + id + "?", Text: text, Confirm: "Disconnect"}, func() {
		if s.route.Account == id {
			s.Leave(forget) // without the account there is no page with the changes
			return
		}
		forget()
	})
}

// refreshRemote reads the tables of a connected account again: there are no events of
// what others change there.
func (s *Shell) refreshRemote(account string) {
	if _, connected := s.remotes.find(account); connected && s.ready() {
		s.loadTables(account)
	}
}

// isRemote reports whether a name can only be that of an account elsewhere.
func isRemote(account string) bool { return strings.Contains(account, "@") }
