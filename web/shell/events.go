package shell

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
)

// watchEvents keeps the page live: it notices what other tabs and SDKs write.
func (s *Shell) watchEvents() {
	if s.stopEvents != nil {
		s.stopEvents()
	}
	ctx := s.ctx
	s.stopEvents = s.Control().Watch(func(events []client.Event) {
		if changes := client.ChangesOf(events); len(changes) > 0 {
			ctx.Dispatch(func(app.Context) { s.changed(changes) })
		}
	})
	s.release = append(s.release, s.stopEvents)
}

// changed tells the pages of changes, and reads the counts again.
func (s *Shell) changed(changes []client.Change) {
	for _, w := range s.hooks.watchers {
		w.f(changes)
	}
	s.refreshStatus()
	s.refreshCatalog()
}
