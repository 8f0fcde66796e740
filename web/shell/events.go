package shell

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
)

// watchEvents keeps the page live: it notices what other tabs and SDKs write.
func (s *Shell) watchEvents() {
	if s.stopEvents != nil {
		s.stopEvents()
	}
	ctx := s.ctx
	s.stopEvents = s.Control().WatchChanges(func(changes []control.Change) {
		ctx.Dispatch(func(app.Context) { s.changed(changes) })
	})
	s.release = append(s.release, s.stopEvents)
}

// changed passes changes to the pages, and reads the counts again.
func (s *Shell) changed(changes []control.Change) {
	for _, w := range s.hooks.watchers {
		w.f(changes)
	}
	s.refreshSoon()
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
