package web

import (
	"context"
	"errors"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// life is what the page knows of the worker behind it, beside what the status
// says.
type life struct {
	update    update
	mixed     bool   // page and worker are of different versions, and reloading did not help
	outside   error  // why requests do not reach the worker any more
	full      bool   // the browser has no room for writes
	store     string // which store the worker has
	emptied   bool   // the store that was here is gone
	persisted remote.Value[persistence]
	kept      bool // the browser was asked to keep the store
}

// update is how far a new version is.
type update uint8

const (
	noUpdate    update = iota
	readyUpdate        // it is installed and waits
	takingOver         // it was told to take over
	tookOver           // it did, and the page has yet to be loaded anew
)

// persistence is what the browser says about keeping the store.
type persistence struct {
	Persisted bool
	Usage     int // bytes of this site
	Quota     int // bytes that it may have; 0 where the browser does not say
}

// workerEvent is something that happened to the worker behind the page.
type workerEvent struct {
	kind  workerEventKind
	state tableclient.Worker // of workerState
}

type workerEventKind uint8

const (
	workerWaits   workerEventKind = iota // a new version is installed
	workerChanged                        // another worker controls the page
	workerState                          // the worker says how it is
)

// onWorker follows the worker.
func (e *explorer) onWorker(event workerEvent) {
	switch event.kind {
	case workerWaits:
		if e.life.update == noUpdate {
			e.life.update = readyUpdate
		}
	case workerChanged:
		e.followUpdate()
	case workerState:
		e.learn(event.state)
	}
}

// followUpdate loads the page of the new version, once a page that had a worker
// has another one. What somebody entered and has not saved is theirs to lose.
func (e *explorer) followUpdate() {
	switch {
	case !e.settled:
		e.settled = true // the first worker of all
	case !e.host.Controlled():
		e.lost(errUnregistered)
	case e.panel.changed() || e.panel.busy:
		e.life.update = tookOver
	default:
		e.host.Reload()
	}
}

func (e *explorer) onTakeOver(app.Context, app.Event) {
	e.life.update = takingOver
	e.host.TakeOver()
}

func (e *explorer) onReloadPage(app.Context, app.Event) { e.host.Reload() }

// checkHealth asks the worker how it is, when somebody comes back to the page.
// It is not the engine that is asked: nothing is started, and nothing is slow.
func (e *explorer) checkHealth() {
	if !e.settled || !e.ready() {
		return // an endpoint without a worker, or the page is still starting
	}
	if !e.host.Controlled() {
		e.lost(errUnregistered)
		return
	}
	e.background(func(c context.Context) func() {
		worker, err := e.control().Worker(c)
		return func() {
			if err != nil {
				e.life.outside = errBypassed
				return
			}
			e.life.outside = nil
			e.learn(worker)
		}
	})
}

// errUnregistered is a page whose worker was taken from it.
var errUnregistered = errors.New("The service worker was removed, as happens when a site's data are cleared. Reloading the page brings it back.")

// lost mends a page that has no worker any more, unless something would be lost.
func (e *explorer) lost(why error) {
	if e.panel.changed() || !e.host.ReloadOnce() {
		e.life.outside = why
	}
}

// learn takes in what the worker says of itself.
func (e *explorer) learn(worker tableclient.Worker) {
	e.life.full = worker.Full
	if build := e.host.Build(); build != "" && worker.Build != "" && worker.Build != build {
		e.life.mixed = e.panel.changed() || !e.host.ReloadOnce()
	}
	if worker.Store == "" || worker.Store == e.life.store {
		return
	}
	before := e.life.store
	if before == "" {
		before = e.host.LastStore()
	}
	e.life.store = worker.Store
	e.host.KeepLastStore(worker.Store)
	if before != "" && before != worker.Store {
		e.life.emptied = true
		e.reloadAll()
	}
}

// reloadAll asks again for all that is shown.
func (e *explorer) reloadAll() {
	e.tables = map[string]remote.Value[[]string]{}
	e.refreshStatus()
	e.loadAccounts()
	e.goTo(e.place)
}

func (e *explorer) onEmptiedRead(app.Context, app.Event) { e.life.emptied = false }

// keep asks the browser to keep the store, once, when somebody puts something
// into it: some browsers ask the user then, who knows by now what it is about.
func (e *explorer) keep() {
	if e.life.kept || !e.settled {
		return
	}
	e.life.kept = true
	e.askPersistence(e.host.Persist)
}

func (e *explorer) onKeep(app.Context, app.Event) { e.askPersistence(e.host.Persist) }

// askPersistence gets to know whether the browser keeps the store.
func (e *explorer) askPersistence(ask func() (persistence, error)) {
	e.life.persisted = e.life.persisted.Asked()
	e.background(func(context.Context) func() {
		p, err := ask()
		return func() { e.life.persisted = e.life.persisted.Answered(p, err) }
	})
}

// banners are what people have to know of the page as a whole, most urgent first.
func (e *explorer) banners() []app.UI {
	var all []app.UI
	if e.life.outside != nil {
		all = append(all, ui.Banner(ui.Bad, "The tables are out of reach.", e.life.outside.Error(), ui.Button(ui.Plain, "Reload", e.onReloadPage)))
	}
	if e.life.full {
		all = append(all, ui.Banner(ui.Bad, "This browser has no room left.",
			"Changes are refused, and nothing that was saved is lost. Delete what you do not need, here or among the data of other sites; the next change tries again."))
	}
	if e.life.emptied {
		all = append(all, ui.Banner(ui.Wait, "The tables that were here are gone.",
			"The browser's data for this site were cleared, by somebody or by the browser itself. What you see is a new, empty store.",
			ui.Button(ui.Plain, "Dismiss", e.onEmptiedRead)))
	}
	if e.life.mixed {
		all = append(all, ui.Banner(ui.Wait, "This page and its engine are of different versions.",
			"Close all other tabs of this site and reload; if it says so again, the site is still being updated.", ui.Button(ui.Plain, "Reload", e.onReloadPage)))
	}
	return append(all, e.updateBanner()...)
}

func (e *explorer) updateBanner() []app.UI {
	switch e.life.update {
	case readyUpdate:
		return []app.UI{ui.Banner(ui.Good, "A new version is ready.", "It takes over in all tabs of this site at once.",
			ui.Button(ui.Primary, "Update", e.onTakeOver).DataSet("testid", "update"))}
	case takingOver:
		return []app.UI{ui.Banner(ui.Good, "Updating…", "The new version takes over as soon as no tab is in the middle of a request.")}
	case tookOver:
		return []app.UI{ui.Banner(ui.Wait, "A new version has taken over.", "Save what you have entered, or discard it; then reload this page.",
			ui.Button(ui.Plain, "Reload", e.onReloadPage))}
	}
	return nil
}

// troubles are the titles of what keeps an engine from starting, by the reason
// that the worker gives.
var troubles = map[string]string{
	"format":   "A newer version's tables",
	"database": "The browser's storage does not open",
	"program":  "The engine could not be loaded",
	"memory":   "Not enough memory",
	"room":     "No room to open the tables",
	"held":     "Somebody else holds the tables",
	"crashed":  "The engine crashes when it starts",
}

// refusedStart is what every refusal of a worker without an engine begins with.
const refusedStart = "The server is currently unable to receive requests. Please retry your request. "

// drawBootError draws why there is no engine, and the ways out.
func (e *explorer) drawBootError(err error) app.UI {
	actions := []app.UI{ui.Button(ui.Plain, "Try again", e.onRestart)}
	var refusal *tableclient.ServiceError
	if !errors.As(err, &refusal) || refusal.Reason == "" {
		return errorNote(err, actions...)
	}
	if refusal.Reason == "format" || refusal.Reason == "database" {
		actions = append(actions, ui.Button(ui.Danger, "Start empty…", e.onStartEmpty).DataSet("testid", "start-empty"))
	}
	return ui.Problems(troubles[refusal.Reason], strings.TrimPrefix(refusal.Message, refusedStart), actions...)
}

func (e *explorer) onStartEmpty(app.Context, app.Event) {
	e.ask(ui.Question{
		Title:   "Delete what is stored here?",
		Text:    "All accounts, tables and entities of this browser are deleted, unread. This cannot be undone.",
		Confirm: "Delete and start empty",
	}, func() {
		e.status = e.status.Asked()
		e.background(func(c context.Context) func() {
			err := e.control().Reset(c)
			return func() {
				if err != nil {
					e.status = e.status.Answered(tableclient.Status{}, err)
					return
				}
				e.host.KeepLastStore("")
				e.start(e.ctx, e.base)
			}
		})
	})
}
