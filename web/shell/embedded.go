package shell

import (
	"errors"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/control"
)

// embedded returns what wasm/js/client/explorer.js offers: the page's connection
// to the engine of the page that embeds Sandtable. It reports false elsewhere.
func embedded() (explorer app.Value, ok bool) {
	if !app.IsClient {
		return nil, false
	}
	explorer = app.Window().Get("sandtableExplorer")
	return explorer, explorer.Truthy()
}

// EmbeddedStore returns the store that the address of an embedding site's explorer
// names; "" elsewhere.
func EmbeddedStore() string {
	if explorer, ok := embedded(); ok {
		return explorer.Get("store").String()
	}
	return ""
}

func thisHost() host {
	if explorer, ok := embedded(); ok {
		return embeddedHost{explorer: explorer}
	}
	return browserHost{}
}

// thisBase returns the endpoint's address with a slash at its end.
func thisBase() string {
	if explorer, ok := embedded(); ok {
		return explorer.Get("scope").String()
	}
	return endpointBase(app.Window().URL())
}

// embeddedHost is the [host] of an embedding site's explorer. Its requests go to
// the engine as messages, whether a service worker has that or a plain worker.
type embeddedHost struct {
	browserHost
	explorer app.Value
}

func (embeddedHost) Workers() (ok bool, why string) { return true, "" }

func (h embeddedHost) Controlled() bool { return h.explorer.Get("connected").Bool() }

// AwaitControl waits for the connection, which limits its time itself.
func (h embeddedHost) AwaitControl(time.Duration) error {
	why, err := browser.Await(h.explorer.Call("connect"))
	if err == nil && why.String() != "" {
		err = errors.New(why.String())
	}
	return err
}

// Watch reports the worker's state. The embedding page sees to new versions.
func (h embeddedHost) Watch(f func(workerEvent)) (release func()) {
	listener := app.FuncOf(func(_ app.Value, args []app.Value) any {
		f(workerEvent{kind: workerState, state: workerOf(args[0])})
		return nil
	})
	h.explorer.Call("watchState", listener)
	return func() {
		h.explorer.Call("watchState", nil)
		listener.Release()
	}
}

func (embeddedHost) Activate() {}

// errSilent means that the connection no longer leads to an engine.
var errSilent = error(notice("The engine of this site does not answer: its worker was removed, or its tab is suspended. Reload this page, or open it again from the page that has the tables."))

func (embeddedHost) OutOfReach() error { return errSilent }

// workerOf reads a worker's message about its state.
func workerOf(data app.Value) control.Worker {
	return control.Worker{Build: browser.Text(data, "build"), Store: browser.Text(data, "store"), Full: data.Get("full").Truthy()}
}
