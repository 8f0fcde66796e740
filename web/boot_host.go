package web

import (
	"net/url"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
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
	return false, "This browser has no service workers, or they are switched off, as in some private windows. The tables live in one."
}

func (h browserHost) Controlled() bool {
	return h.container().Truthy() && h.container().Get("controller").Truthy()
}

// claimLimit is how long an active worker has for taking the page. It does so
// in its activation, so if it has not by then, it never will.
const claimLimit = 1500 * time.Millisecond

func (h browserHost) AwaitControl(limit time.Duration) bool {
	taken := make(chan struct{}, 1)
	onChange := app.FuncOf(func(app.Value, []app.Value) any {
		notify(taken)
		return nil
	})
	defer onChange.Release()
	h.container().Call("addEventListener", "controllerchange", onChange)
	defer h.container().Call("removeEventListener", "controllerchange", onChange)

	active := make(chan struct{}, 1)
	h.container().Get("ready").Then(func(app.Value) { notify(active) })
	if h.Controlled() {
		return true
	}
	over := time.After(limit)
	for {
		select {
		case <-taken:
			return true
		case <-active:
			over = time.After(claimLimit)
		case <-over:
			return h.Controlled()
		}
	}
}

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const reloadMark = "sandtable.reloaded"

// reloadPause is how long ago the last reload for the worker's sake must be
// for another one: a page must not reload for ever.
const reloadPause = 20 * time.Second

func (h browserHost) ReloadOnce() bool {
	storage := app.Window().Get("sessionStorage")
	now := app.Window().Get("Date").Call("now").Float()
	last := app.Window().Call("Number", storage.Call("getItem", reloadMark)).Float()
	if now-last < float64(reloadPause.Milliseconds()) {
		return false
	}
	storage.Call("setItem", reloadMark, now)
	app.Window().Get("location").Call("reload")
	return true
}

// endpointBase returns the folder of the page with a slash at its end: the
// worker's scope, below which its addresses are.
func endpointBase(page *url.URL) string {
	folder := page.ResolveReference(&url.URL{Path: "."})
	folder.RawQuery, folder.Fragment = "", ""
	return folder.String()
}
