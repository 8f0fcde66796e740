package shell

import (
	"errors"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
)

// browserHost is the [host] that a page runs in. Natively, where pages are
// only drawn beforehand, all its values are empty.
type browserHost struct{}

func (browserHost) container() app.Value { return app.Window().Get("navigator").Get("serviceWorker") }

func (h browserHost) Workers() (ok bool, why string) {
	switch {
	case h.container().Truthy():
		return true, ""
	case !app.Window().Get("isSecureContext").Truthy():
		return false, "Browsers run service workers only on https pages and on localhost. Open this page at one of these."
	}
	return false, "This browser has no service workers, or they are switched off, as in some private windows. The tables live in one: open this page in an ordinary window, or in a current version of Chrome, Edge, Firefox or Safari."
}

func (h browserHost) Controlled() bool {
	return h.container().Truthy() && h.container().Get("controller").Truthy()
}

// claimLimit is how long an active worker has for taking the page. It does so
// in its activation, so if it has not by then, it never will.
const claimLimit = 1500 * time.Millisecond

func (h browserHost) AwaitControl(limit time.Duration) error {
	taken := make(chan struct{}, 1)
	onChange := app.FuncOf(func(app.Value, []app.Value) any {
		notify(taken)
		return nil
	})
	defer onChange.Release()
	h.container().Call("addEventListener", "controllerchange", onChange)
	defer h.container().Call("removeEventListener", "controllerchange", onChange)

	failed := make(chan struct{}, 1)
	defer browser.Listen(app.Window(), "sandtable-unregistered", func(app.Value) { notify(failed) })()
	active := make(chan struct{}, 1)
	h.container().Get("ready").Then(func(app.Value) { notify(active) })
	if h.Controlled() {
		return nil
	}
	if err := h.unregistered(); err != nil {
		return err
	}
	over, installs := time.After(limit), true
	for {
		select {
		case <-taken:
			return nil
		case <-failed:
			return h.unregistered()
		case <-active:
			over, installs = time.After(claimLimit), false
		case <-over:
			switch {
			case h.Controlled():
				return nil
			case installs && h.installing():
				over = time.After(limit) // a slow line; if it fails, the worker says so
			default:
				return errNoControl
			}
		}
	}
}

// installing reports whether the browser installs a worker.
func (h browserHost) installing() bool {
	registration, err := browser.Await(h.container().Call("getRegistration"))
	return err == nil && registration.Truthy() && registration.Get("installing").Truthy()
}

// unregistered returns why no worker could be installed, as app.js knows it;
// it may have happened before this program ran.
func (h browserHost) unregistered() error {
	if why := app.Window().Get("sandtableUnregistered"); why.Truthy() {
		return errors.New("The service worker, in which the tables live, could not be installed. " + why.String())
	}
	return nil
}

func (h browserHost) Watch(f func(workerEvent)) (release func()) {
	if !h.container().Truthy() {
		return func() {}
	}
	releases := []func(){
		browser.Listen(h.container(), "controllerchange", func(app.Value) { f(workerEvent{kind: workerChanged}) }),
		browser.Listen(h.container(), "message", func(event app.Value) {
			if data := event.Get("data"); data.Get("sandtable").Truthy() && data.Get("type").String() == "state" {
				f(workerEvent{kind: workerState, state: workerOf(data)})
			}
		}),
	}
	h.container().Get("ready").Then(func(registration app.Value) {
		releases = append(releases, browser.Listen(registration, "updatefound", func(app.Value) {
			h.watchInstall(registration.Get("installing"), f)
		}))
		if registration.Get("waiting").Truthy() {
			f(workerEvent{kind: workerWaits})
		} else if installing := registration.Get("installing"); installing.Truthy() {
			h.watchInstall(installing, f)
		}
	})
	return func() {
		for _, release := range releases {
			release()
		}
	}
}

// watchInstall waits for a new version to be installed. It lives as long as the
// page: there is one for each version.
func (h browserHost) watchInstall(worker app.Value, f func(workerEvent)) {
	browser.Listen(worker, "statechange", func(app.Value) {
		if worker.Get("state").String() == "installed" && h.Controlled() {
			f(workerEvent{kind: workerWaits})
		}
	})
}

// activateAgain is how often the waiting worker is asked to become active: a message to a
// worker that the browser is stopping is lost.
const activateAgain = time.Second

func (h browserHost) Activate() {
	h.container().Get("ready").Then(func(registration app.Value) {
		go func() {
			for {
				waiting := registration.Get("waiting") // a newer version may have replaced the accepted one
				if !waiting.Truthy() {
					return
				}
				waiting.Call("postMessage", map[string]any{"sandtable": 1, "type": "activate"})
				time.Sleep(activateAgain)
			}
		}()
	})
}

func (h browserHost) Reload() { app.Window().Get("location").Call("reload") }

func (h browserHost) OutOfReach() error { return errBypassed }

func (h browserHost) Build() string { return app.Getenv("GOAPP_VERSION") }

const storeMark = "sandtable.store"

func (h browserHost) LastStore() string {
	identity, _ := browser.Load(h.storeMark(), func(string) bool { return true })
	return identity
}

func (h browserHost) KeepLastStore(identity string) { browser.Save(h.storeMark(), identity) }

// storeMark is one for each folder of a site that has the app.
func (h browserHost) storeMark() string { return storeMark + " " + thisBase() }

func (browserHost) Persist() (browser.Persistence, error) { return browser.RequestPersistence() }

func (browserHost) Persistence() (browser.Persistence, error) { return browser.ReadPersistence() }

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const reloadMark = "sandtable.reloaded"

// reloadPause is how long ago the last reload for the worker's sake must be
// for another one: a page must not reload forever, nor where the browser cannot
// remember it.
const reloadPause = 20 * time.Second

func (h browserHost) ReloadOnce() bool {
	last, _ := browser.Recall(reloadMark, func(time.Time) bool { return true })
	now := time.Now()
	if now.Sub(last) < reloadPause || !browser.Hand(reloadMark, now) {
		return false
	}
	app.Window().Get("location").Call("reload")
	return true
}
