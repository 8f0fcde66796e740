package shell

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
)

// eventsLimit is how long the page waits for the start of its events before it reads
// without them: a hidden page gets none, and a proxy may hold them back.
const eventsLimit = 3 * time.Second

// watchEvents keeps the page live: it notices what other tabs and SDKs write. It calls
// read once the events have started, so that no later change is missed, or after
// eventsLimit.
func (s *Shell) watchEvents(read func()) {
	if s.stopEvents != nil {
		s.stopEvents()
	}
	ctx, reading := s.ctx, false
	readOnce := func() {
		if !reading {
			reading = true
			read()
		}
	}
	limit := time.AfterFunc(eventsLimit, func() { ctx.Dispatch(func(app.Context) { readOnce() }) })
	s.stopEvents = s.Control().WatchChanges(func(events []control.Event) {
		limit.Stop()
		ctx.Dispatch(func(app.Context) {
			changes := control.ChangesOf(events)
			if reading && control.Stale(events) { // what was read may lack something
				changes = append(changes, control.Change{Kind: "lost"})
			}
			readOnce()
			if len(changes) > 0 {
				s.changed(changes)
			}
		})
	})
	s.release = append(s.release, s.stopEvents)
}

// changed passes changes to the pages, and reads the counts again.
func (s *Shell) changed(changes []control.Change) {
	for _, w := range s.hooks.watchers {
		w.f(changes)
	}
	if isReset(changes) {
		s.health.problems = 0
		if account := s.place().Account; account != "" && !isRemote(account) && !s.unsaved() {
			s.visit++ // its page is about what is gone
		}
	}
	s.refreshSoon()
}

// isReset reports whether the store was reset: an account is deleted and created at once.
func isReset(changes []control.Change) bool {
	deleted := map[string]bool{}
	for _, c := range changes {
		switch {
		case c.Kind == "accountDeleted":
			deleted[c.Account] = true
		case c.Kind == "accountCreated" && deleted[c.Account]:
			return true
		}
	}
	return false
}

// refreshPause is from one reading of the counts to the next while changes keep
// coming: during an import they compete with it.
const refreshPause = time.Second

// refreshSoon reads status and catalog again, at once or when the pause is over.
func (s *Shell) refreshSoon() {
	if s.pausing {
		s.outdated = true
		return
	}
	s.pausing, s.outdated = true, false
	s.refreshStatus()
	s.refreshCatalog()
	s.ctx.After(s.pause, func(app.Context) {
		s.pausing = false
		if s.outdated {
			s.refreshSoon()
		}
	})
}
