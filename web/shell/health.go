package shell

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/ui"
)

// health is what the shell knows of the worker behind it, apart from the status.
type health struct {
	update      update
	mixed       bool   // page and worker are of different versions, and reloading did not help
	unreachable error  // why requests do not reach the worker any more
	checks      int    // of the worker that were begun
	full        bool   // the browser has no space for writes
	store       string // identity of the worker's store
	emptied     bool   // the store that was here is gone
	kept        bool   // the browser was asked to keep the data
	problems    int    // that the last check of the store found
	evictable   bool   // the browser may delete the data when it runs out of space
}

// update is how far a new version has come.
type update uint8

const (
	noUpdate    update = iota
	readyUpdate        // installed and waiting
	activating         // the user accepted it
	activated          // it is active, and the page has to be reloaded
)

// workerEvent is something that happened to the worker behind the page.
type workerEvent struct {
	kind  workerEventKind
	state control.Worker // of workerState
}

type workerEventKind uint8

const (
	workerWaits   workerEventKind = iota // a new version is installed
	workerChanged                        // another worker controls the page
	workerState                          // the worker reports its state
)

// onWorker follows the worker.
func (s *Shell) onWorker(event workerEvent) {
	switch event.kind {
	case workerWaits:
		if s.health.update == noUpdate {
			s.health.update = readyUpdate
		}
	case workerChanged:
		s.followUpdate()
	case workerState:
		s.learn(event.state)
	}
}

// followUpdate reloads the page once another worker controls it, unless the
// user would lose changes.
func (s *Shell) followUpdate() {
	switch {
	case !s.settled:
		s.settled = true // the first worker of all
	case !s.host.Controlled():
		s.lost(errUnregistered)
	case s.unsaved():
		s.health.update = activated
	default:
		s.host.Reload()
	}
}

func (s *Shell) onActivate(app.Context, app.Event) {
	s.health.update = activating
	s.host.Activate()
}

func (s *Shell) onReloadPage(app.Context, app.Event) { s.host.Reload() }

// checkHealth asks the worker for its state when the user comes back to the
// tab. The worker answers by itself, without starting the engine.
func (s *Shell) checkHealth() {
	if !s.settled || !s.ready() {
		return // an endpoint without a worker, or the page is still starting
	}
	if !s.host.Controlled() {
		s.lost(errUnregistered)
		return
	}
	s.health.checks++
	check := s.health.checks
	page.Background(s.ctx, func(c context.Context) func() {
		worker, err := s.Control().Worker(c)
		return func() { s.checked(check, worker, err) }
	})
}

// checked takes in the result of a check, unless a later one was begun since.
func (s *Shell) checked(check int, worker control.Worker, err error) {
	switch {
	case check != s.health.checks:
	case err != nil:
		s.health.unreachable = s.host.OutOfReach()
	default:
		s.health.unreachable = nil
		s.learn(worker)
	}
}

// errUnregistered means that the page has lost its worker.
var errUnregistered = error(notice("The service worker was removed, as happens when a site's data is cleared. Reloading the page brings it back."))

// lost reloads a page that has lost its worker, or says so where reloading
// would lose changes or did not help.
func (s *Shell) lost(why error) {
	if s.unsaved() || !s.host.ReloadOnce() {
		s.health.unreachable = why
	}
}

// learn takes in the state that the worker reports.
func (s *Shell) learn(worker control.Worker) {
	s.health.full = worker.Full
	if build := s.host.Build(); build != "" && worker.Build != "" && worker.Build != build {
		s.health.mixed = s.unsaved() || !s.host.ReloadOnce()
	}
	if worker.Store == "" || worker.Store == s.health.store {
		return
	}
	before := cmp.Or(s.health.store, s.host.LastStore())
	s.health.store = worker.Store
	s.host.KeepLastStore(worker.Store)
	if before != "" && before != worker.Store {
		s.health.emptied, s.health.problems = true, 0
		s.reload()
	}
}

func (s *Shell) onEmptiedRead(app.Context, app.Event) { s.health.emptied = false }

// keep asks the browser to keep the data, once, when the user first writes
// something: some browsers then ask the user, who knows by now what it is about.
func (s *Shell) keep() {
	if s.health.kept || !s.settled {
		return
	}
	s.health.kept = true
	s.readPersistence(s.host.Persist)
}

// readPersistence asks the browser whether it keeps the data. A browser that does not
// say changes nothing.
func (s *Shell) readPersistence(ask func() (browser.Persistence, error)) {
	page.Background(s.ctx, func(context.Context) func() {
		answer, err := ask()
		return func() {
			if err == nil {
				s.health.evictable = !answer.Persisted
			}
		}
	})
}

// banners are what concerns the page as a whole, most urgent first.
func (s *Shell) banners() []app.UI {
	var all []app.UI
	h := &s.health
	if h.unreachable != nil {
		all = append(all, ui.Banner(ui.Bad, "The tables are out of reach.", h.unreachable.Error(), ui.Button(ui.Plain, "Reload", s.onReloadPage)))
	}
	if h.full {
		all = append(all, ui.Banner(ui.Bad, "This browser has no space left.",
			"Changes are refused. Nothing that was saved is lost. Delete what you do not need, here or in the data of other sites; the next change tries again."))
	}
	if h.emptied {
		all = append(all, ui.Banner(ui.Wait, "The tables that were here are gone.",
			"The browser's data for this site was cleared, by you or by the browser itself. What you see is a new, empty store.",
			ui.Button(ui.Plain, "Dismiss", s.onEmptiedRead)))
	}
	if h.mixed {
		all = append(all, ui.Banner(ui.Wait, "This page and its engine are different versions.",
			"Close all other tabs of this site and reload. If this message comes back, the site is still being updated.", ui.Button(ui.Plain, "Reload", s.onReloadPage)))
	}
	return slices.Concat(all, s.missingBanner(), s.faultBanner(), s.updateBanner())
}

// faultBanner stands on each page of an account whose requests fail on purpose,
// but for the page of the faults, which says more.
func (s *Shell) faultBanner() []app.UI {
	place := s.place()
	if place.Page == faultsPage || !s.catalog.Account(place.Account).Faults {
		return nil
	}
	return []app.UI{ui.Banner(ui.Wait, "Faults are on in "+place.Account+".", "Requests to this account are failing on purpose, also those of this page.",
		app.A().Class("btn").Href(page.Route{Account: place.Account, Page: faultsPage}.Href()).DataSet("testid", "show-faults").Text("Faults"))}
}

func (s *Shell) updateBanner() []app.UI {
	switch s.health.update {
	case readyUpdate:
		return []app.UI{ui.Banner(ui.Good, "A new version is ready.", "It takes over in all tabs of this site at once.",
			ui.Button(ui.Primary, "Update", s.onActivate).DataSet("testid", "update"))}
	case activating:
		return []app.UI{ui.Banner(ui.Good, "Updating…", "The new version takes over as soon as no tab is in the middle of a request.")}
	case activated:
		return []app.UI{ui.Banner(ui.Wait, "A new version has taken over.", "Save or discard what you entered, then reload this page.",
			ui.Button(ui.Plain, "Reload", s.onReloadPage))}
	}
	return nil
}

// startProblems are the titles of what keeps an engine from starting, by the
// reason that the worker gives.
var startProblems = map[string]string{
	"format":   "The tables were written by a newer version",
	"database": "The browser's storage does not open",
	"program":  "The engine could not be loaded",
	"memory":   "Not enough memory",
	"quota":    "No space to open the tables",
	"held":     "Another tab or program holds the tables",
	"crashed":  "The engine crashes when it starts",
}

// refusedStart is how every refusal of a worker without an engine begins.
const refusedStart = "The server is currently unable to receive requests. Please retry your request. "

// drawBootError draws why there is no engine, and the ways out.
func (s *Shell) drawBootError(err error) app.UI {
	actions := []app.UI{ui.Button(ui.Plain, "Try again", s.onRestart)}
	var refusal *client.ServiceError
	if !errors.As(err, &refusal) || refusal.Reason == "" {
		return ui.Failure(err, actions...)
	}
	if refusal.Reason == "format" || refusal.Reason == "database" {
		actions = append(actions, ui.Button(ui.Danger, "Start empty…", s.onStartEmpty).DataSet("testid", "start-empty"))
	}
	return ui.Problems(startProblems[refusal.Reason], strings.TrimPrefix(refusal.Message, refusedStart), actions...)
}

func (s *Shell) onStartEmpty(app.Context, app.Event) {
	s.Ask(ui.Question{
		Title:   "Delete what is stored here?",
		Text:    "All accounts, tables and entities of this browser are deleted without being read, unless the store opens by then. This cannot be undone.",
		Confirm: "Delete and start empty",
	}, func() {
		s.status = s.status.Asked()
		s.health.store = "" // the worker may report the new store before it answers
		s.host.KeepLastStore("")
		page.Background(s.ctx, func(c context.Context) func() {
			err := s.Control().ResetUnopened(c)
			return func() {
				if err != nil {
					s.status = s.status.Answered(control.Status{}, err)
					return
				}
				s.start(s.ctx, s.base)
			}
		})
	})
}
