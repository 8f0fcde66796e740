package shell

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// opened starts a page without tables, and returns its host, too.
func opened(t *testing.T) (*driven, *fakeHost) {
	t.Helper()
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	return d, d.host.(*fakeHost)
}

// worker has the page learn how its worker is.
func (d *driven) worker(state control.Worker) {
	d.do(func() { d.onWorker(workerEvent{kind: workerState, state: state}) })
}

// enter enters something that is not saved.
func (d *driven) enter() { d.Guard(func() bool { return true }) }

func TestUpdateIsOfferedAndTaken(t *testing.T) {
	d, host := opened(t)
	wantHidden(t, d, `data-testid="banner"`)
	d.do(func() { d.onWorker(workerEvent{kind: workerWaits}) })
	wantShown(t, d, "A new version is ready.", `data-testid="update"`)
	d.do(func() { d.onActivate(d.ctx, app.Event{}) })
	wantShown(t, d, "Updating…")
	d.do(func() { d.onWorker(workerEvent{kind: workerWaits}) })
	wantHidden(t, d, "A new version is ready.")
	d.do(func() { d.onWorker(workerEvent{kind: workerChanged}) })
	if host.activations != 1 || host.reloads != 1 {
		t.Errorf("activated %d times, reloaded %d times", host.activations, host.reloads)
	}
}

func TestUpdateLeavesWhatWasEntered(t *testing.T) {
	d, host := opened(t)
	d.do(d.enter)
	d.do(func() { d.onWorker(workerEvent{kind: workerChanged}) })
	wantShown(t, d, "A new version has taken over.", "Save or discard what you entered")
	if host.reloads != 0 {
		t.Error("the page was reloaded")
	}
}

func TestFirstWorkerReloadsNothing(t *testing.T) {
	d, host := opened(t)
	d.settled = false
	d.do(func() { d.onWorker(workerEvent{kind: workerChanged}) })
	if host.reloads != 0 || !d.settled {
		t.Errorf("%d reloads", host.reloads)
	}
}

func TestRoom(t *testing.T) {
	d, _ := opened(t)
	d.worker(control.Worker{Full: true})
	wantShown(t, d, "This browser has no space left.", `role="alert"`)
	d.worker(control.Worker{})
	wantHidden(t, d, "This browser has no space left.")
}

func TestAnotherStore(t *testing.T) {
	d, host := opened(t)
	d.worker(control.Worker{Store: "one"})
	wantHidden(t, d, "are gone")
	d.worker(control.Worker{Store: "two"})
	wantShown(t, d, "The tables that were here are gone.")
	if host.lastStore != "two" {
		t.Errorf("the page remembers %q", host.lastStore)
	}
	d.do(func() { d.onEmptiedRead(d.ctx, app.Event{}) })
	wantHidden(t, d, "are gone")
}

func TestAnotherStoreThanAtTheLastVisit(t *testing.T) {
	d, host := opened(t)
	host.lastStore = "of the last visit"
	d.worker(control.Worker{Store: "one"})
	wantShown(t, d, "The tables that were here are gone.")
}

// TestStartEmpty: the store that replaces one that did not open is no surprise, also if
// the worker reports it before it answers the reset.
func TestStartEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pagetest.Slow{Transport: pagetest.NewEndpoint()}
		d := open(t, slow, page.Route{})
		d.worker(control.Worker{Store: "one"})
		d.do(func() {
			d.onStartEmpty(d.ctx, app.Event{})
			slow.During(func() { d.onConfirm(d.ctx, app.Event{}) })
			d.onWorker(workerEvent{kind: workerState, state: control.Worker{Store: "two"}})
		})
		wantHidden(t, d, "are gone")
		if host := d.host.(*fakeHost); host.lastStore != "two" {
			t.Errorf("the page remembers %q", host.lastStore)
		}
	})
}

// TestStoreIsKnownFromTheStart: nobody has to leave the tab and come back.
func TestStoreIsKnownFromTheStart(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	endpoint.Store = "one"
	d := open(t, endpoint, page.Route{})
	if host := d.host.(*fakeHost); host.lastStore != "one" {
		t.Errorf("the page remembers %q", host.lastStore)
	}
}

func TestMixedVersions(t *testing.T) {
	d, host := opened(t)
	host.build = "1"
	d.worker(control.Worker{Build: "1"})
	wantHidden(t, d, `data-testid="banner"`)
	d.worker(control.Worker{Build: "2"})
	wantHidden(t, d, `data-testid="banner"`) // it is being reloaded
	if host.reloads != 1 {
		t.Errorf("%d reloads", host.reloads)
	}
	host.reloaded = true
	d.worker(control.Worker{Build: "2"})
	wantShown(t, d, "different versions")
}

func TestRemovedWorker(t *testing.T) {
	for name, event := range map[string]func(*driven){
		"noticed when somebody comes back": func(d *driven) { d.checkHealth() },
		"reported by the browser":          func(d *driven) { d.onWorker(workerEvent{kind: workerChanged}) },
	} {
		t.Run(name, func(t *testing.T) {
			d, host := opened(t)
			host.controlled = false
			d.do(func() { event(d) })
			wantHidden(t, d, "out of reach")
			host.reloaded = true
			d.do(func() { event(d) })
			wantShown(t, d, "The tables are out of reach.", "The service worker was removed")
			if host.reloads != 2 {
				t.Errorf("%d reloads were tried", host.reloads)
			}
		})
	}
}

func TestBypassIsNoticedAndForgiven(t *testing.T) {
	endpoint, bypassed := pagetest.NewEndpoint(), false
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if bypassed {
			return client.Response{Status: 404}, nil
		}
		return endpoint.Do(context.Background(), r)
	}), page.Route{})
	bypassed = true
	d.do(d.checkHealth)
	wantShown(t, d, "The tables are out of reach.", "Bypass for network")
	bypassed = false
	d.do(d.checkHealth)
	wantHidden(t, d, "The tables are out of reach.")
}

// TestCheckThatEndsLate: a check of the worker that fails after a later one was begun
// does not count.
func TestCheckThatEndsLate(t *testing.T) {
	d, _ := opened(t)
	d.do(d.checkHealth)
	earlier := d.health.checks
	d.do(d.checkHealth)
	d.do(func() { d.checked(earlier, control.Worker{}, control.ErrNoSandtable) })
	wantHidden(t, d, "The tables are out of reach.")
	d.do(func() { d.checked(d.health.checks, control.Worker{}, control.ErrNoSandtable) })
	wantShown(t, d, "The tables are out of reach.")
}

func TestBootErrors(t *testing.T) {
	tests := []struct {
		reason, title string
		empty         bool // can be started empty
	}{
		{"format", "by a newer version", true},
		{"database", "storage does not open", true},
		{"program", "could not be loaded", false},
		{"memory", "Not enough memory", false},
		{"quota", "No space to open the tables", false},
		{"held", "Another tab or program holds the tables", false},
		{"crashed", "crashes when it starts", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			err := &client.ServiceError{Status: 503, Code: "ServerBusy", Message: refusedStart + "In words.", Reason: test.reason}
			html := app.HTMLString(new(Shell).drawBootError(err))
			for _, text := range []string{test.title, "In words.", "Try again"} {
				if !strings.Contains(html, text) {
					t.Errorf("the page does not show %q", text)
				}
			}
			if strings.Contains(html, refusedStart) || strings.Contains(html, "ServerBusy") {
				t.Error("the page shows what is said to programs")
			}
			if got := strings.Contains(html, `data-testid="start-empty"`); got != test.empty {
				t.Errorf("it can be started empty: %v", got)
			}
		})
	}
}

func TestPersistenceIsAskedForOnce(t *testing.T) {
	d, host := opened(t)
	d.do(d.keep)
	d.do(d.keep)
	if host.persists != 1 {
		t.Errorf("asked %d times", host.persists)
	}
}

func TestErrorsAreShown(t *testing.T) {
	d, _ := opened(t)
	d.health.unreachable = errors.New("Something intercepts requests.")
	wantShown(t, d, "Something intercepts requests.", "Reload")
}
