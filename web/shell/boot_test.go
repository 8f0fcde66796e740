package shell

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/pagetest"
)

// fakeHost is a browser in a chosen state.
type fakeHost struct {
	evictable  bool // the browser may delete the data
	controlled bool
	why        string // no service workers
	takes      bool   // a worker takes the page when waited for
	reloaded   bool   // a reload was tried just before
	reloads    int

	uninstallable error // why no worker can be installed
	emit          func(workerEvent)
	activations   int
	build         string
	lastStore     string
	persists      int
}

func (h *fakeHost) Workers() (bool, string) { return h.why == "", h.why }
func (h *fakeHost) Controlled() bool        { return h.controlled }
func (h *fakeHost) AwaitControl(time.Duration) error {
	h.controlled = h.controlled || h.takes
	switch {
	case h.uninstallable != nil:
		return h.uninstallable
	case !h.controlled:
		return errNoControl
	}
	return nil
}
func (h *fakeHost) Watch(f func(workerEvent)) func() { h.emit = f; return func() {} }
func (h *fakeHost) Activate()                        { h.activations++ }
func (h *fakeHost) Reload()                          { h.reloads++ }
func (h *fakeHost) OutOfReach() error                { return errBypassed }
func (h *fakeHost) Build() string                    { return h.build }
func (h *fakeHost) LastStore() string                { return h.lastStore }
func (h *fakeHost) KeepLastStore(identity string)    { h.lastStore = identity }
func (h *fakeHost) Persistence() (browser.Persistence, error) {
	return browser.Persistence{Persisted: !h.evictable}, nil
}
func (h *fakeHost) Persist() (browser.Persistence, error) {
	h.persists++
	return browser.Persistence{}, nil
}
func (h *fakeHost) ReloadOnce() bool {
	h.reloads++
	return !h.reloaded
}

func TestBoot(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name    string
		host    fakeHost
		bypass  bool // requests go past the worker
		direct  bool // the endpoint answers without a worker
		fails   bool // the worker's engine is broken
		says    string
		reloads int
	}{
		{name: "a worker is there", host: fakeHost{controlled: true}},
		{name: "the worker's engine is broken", host: fakeHost{controlled: true}, fails: true, says: "broken"},
		{name: "requests go past the worker", host: fakeHost{controlled: true}, bypass: true, says: errReloading.Error(), reloads: 1},
		{name: "after the reload still past it", host: fakeHost{controlled: true, reloaded: true}, bypass: true, says: "Bypass for network", reloads: 1},
		{name: "the first visit", host: fakeHost{takes: true}},
		{name: "a native server", host: fakeHost{why: "none"}, direct: true},
		{name: "no service workers", host: fakeHost{why: "This browser has none."}, says: "This browser has none."},
		{name: "no worker can be installed", host: fakeHost{uninstallable: errors.New("app.css is missing")}, says: "app.css is missing"},
		{name: "a forced reload", host: fakeHost{}, says: errReloading.Error(), reloads: 1},
		{name: "after the reload still none", host: fakeHost{reloaded: true}, says: "did not take over", reloads: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := test.host
			transport := pagetest.Transport(func(client.Request) (client.Response, error) {
				if !h.controlled && h.why == "" {
					t.Error("a request before a worker answers: the browser logs a 404")
				}
				switch {
				case test.fails:
					return client.Response{}, broken
				case test.bypass, !h.controlled && !test.direct:
					return client.Response{Status: 404}, nil
				}
				return client.Response{Status: 200, Body: []byte(`{"build":"b","store":"indexeddb"}`)}, nil
			})
			status, err := boot(context.Background(), &h, &control.Client{Transport: transport})
			switch {
			case test.says == "" && (err != nil || status.Build != "b"):
				t.Errorf("%+v, %v", status, err)
			case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
				t.Errorf("error %v", err)
			}
			if h.reloads != test.reloads {
				t.Errorf("%d reloads", h.reloads)
			}
		})
	}
}
