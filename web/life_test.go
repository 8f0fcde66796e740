package web

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/draft"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
)

// opened starts a page without tables, and returns its host, too.
func opened(t *testing.T) (*driven, *fakeHost) {
	t.Helper()
	d := open(t, newEndpoint(), Place{})
	return d, d.host.(*fakeHost)
}

// worker has the page learn how its worker is.
func (d *driven) worker(state tableclient.Worker) {
	d.do(func() { d.onWorker(workerEvent{kind: workerState, state: state}) })
}

// enter enters something that is not saved.
func (d *driven) enter() {
	d.panel.kind = panelEntity
	d.panel.draft = draft.New("p")
	d.panel.draft.Set(d.panel.draft.Add(), func(p *draft.Property) { p.Name = "Age" })
}

func TestUpdateIsOfferedAndTaken(t *testing.T) {
	d, host := opened(t)
	wantHidden(t, d, `data-testid="banner"`)
	d.do(func() { d.onWorker(workerEvent{kind: workerWaits}) })
	wantShown(t, d, "A new version is ready.", `data-testid="update"`)
	d.do(func() { d.onTakeOver(d.ctx, app.Event{}) })
	wantShown(t, d, "Updating…")
	d.do(func() { d.onWorker(workerEvent{kind: workerWaits}) })
	wantHidden(t, d, "A new version is ready.")
	d.do(func() { d.onWorker(workerEvent{kind: workerChanged}) })
	if host.takeOvers != 1 || host.reloads != 1 {
		t.Errorf("told to take over %d times, loaded anew %d times", host.takeOvers, host.reloads)
	}
}

func TestUpdateLeavesWhatWasEntered(t *testing.T) {
	d, host := opened(t)
	d.do(d.enter)
	d.do(func() { d.onWorker(workerEvent{kind: workerChanged}) })
	wantShown(t, d, "A new version has taken over.", "Save what you have entered")
	if host.reloads != 0 {
		t.Error("the page was loaded anew")
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
	d.worker(tableclient.Worker{Full: true})
	wantShown(t, d, "This browser has no room left.", `role="alert"`)
	d.worker(tableclient.Worker{})
	wantHidden(t, d, "This browser has no room left.")
}

func TestAnotherStore(t *testing.T) {
	d, host := opened(t)
	d.worker(tableclient.Worker{Store: "one"})
	wantHidden(t, d, "are gone")
	d.worker(tableclient.Worker{Store: "two"})
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
	d.worker(tableclient.Worker{Store: "one"})
	wantShown(t, d, "The tables that were here are gone.")
}

func TestMixedVersions(t *testing.T) {
	d, host := opened(t)
	host.build = "1"
	d.worker(tableclient.Worker{Build: "1"})
	wantHidden(t, d, `data-testid="banner"`)
	d.worker(tableclient.Worker{Build: "2"})
	wantHidden(t, d, `data-testid="banner"`) // it is being loaded anew
	if host.reloads != 1 {
		t.Errorf("%d reloads", host.reloads)
	}
	host.reloaded = true
	d.worker(tableclient.Worker{Build: "2"})
	wantShown(t, d, "of different versions")
}

func TestRemovedWorker(t *testing.T) {
	for name, event := range map[string]func(*driven){
		"noticed when somebody comes back": func(d *driven) { d.checkHealth() },
		"told by the browser":              func(d *driven) { d.onWorker(workerEvent{kind: workerChanged}) },
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
	bypassed := false
	endpoint := newEndpoint()
	d := open(t, transportFunc(func(r tableclient.Request) (tableclient.Response, error) {
		if bypassed {
			return tableclient.Response{Status: 404}, nil
		}
		return endpoint.Do(nil, r)
	}), Place{})
	bypassed = true
	d.do(d.checkHealth)
	wantShown(t, d, "The tables are out of reach.", "Bypass for network")
}

func TestBootErrors(t *testing.T) {
	tests := []struct {
		reason, title string
		empty         bool // can be started empty
	}{
		{"format", "A newer version", true},
		{"database", "storage does not open", true},
		{"program", "could not be loaded", false},
		{"memory", "Not enough memory", false},
		{"room", "No room to open the tables", false},
		{"held", "Somebody else holds the tables", false},
		{"crashed", "crashes when it starts", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			err := &tableclient.ServiceError{Status: 503, Code: "ServerBusy", Message: refusedStart + "In words.", Reason: test.reason}
			html := app.HTMLString(&mirror{draw: func() app.UI { return new(explorer).drawBootError(err) }})
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

func TestStoragePanel(t *testing.T) {
	d, host := opened(t)
	host.persistence = persistence{Usage: 3 << 20, Quota: 10 << 30}
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	wantShown(t, d, "IndexedDB of this browser", "3.0 MiB of 10.0 GiB", "may delete the tables", `data-testid="keep"`)
	host.agrees = true
	d.do(func() { d.onKeep(d.ctx, app.Event{}) })
	wantShown(t, d, "keeps the tables until somebody clears")
	wantHidden(t, d, `data-testid="keep"`)
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	wantHidden(t, d, "IndexedDB of this browser")
}

func TestStoragePanelWithoutStorage(t *testing.T) {
	d, _ := opened(t)
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	d.life.persisted = remote.Value[persistence]{}.Answered(persistence{}, errNoPersistence)
	wantShown(t, d, "This browser does not say whether it keeps the tables")
	d.status = remote.Of(tableclient.Status{Build: "b", Store: "memory"})
	wantShown(t, d, "memory only", "gives the page no storage")
	wantHidden(t, d, `data-testid="keep"`)
}

func TestVerifyInTheStoragePanel(t *testing.T) {
	endpoint := newEndpoint()
	d := open(t, endpoint, Place{})
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	wantShown(t, d, "Check the tables", "Nothing is changed")
	verify := func() { d.onVerify(d.ctx, app.Event{}) }
	d.do(verify)
	wantShown(t, d, "Nothing is wrong. Entities: 1,204, tables: 3, blocks: 5 (")
	for i := range 22 {
		endpoint.findings = append(endpoint.findings, fmt.Sprintf("bad block (block %d)", i+1))
	}
	d.do(verify)
	wantShown(t, d, "Not all is as it should be.", "bad block (block 20)", "and 2 more")
	wantHidden(t, d, "Nothing is wrong", "bad block (block 21)")
	endpoint.refuse = "POST"
	d.do(verify)
	wantShown(t, d, "InternalError")
	wantHidden(t, d, "Nothing is wrong")
}

// TestVerifyIsForgottenWithItsPanel: an answer that comes later belongs to nothing.
func TestVerifyIsForgottenWithItsPanel(t *testing.T) {
	d, _ := opened(t)
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	d.do(func() {
		d.onVerify(d.ctx, app.Event{})
		d.panel.reset(panelStorage)
	})
	wantHidden(t, d, "Nothing is wrong", "Checking…")
}

func TestLogThatCannotBeTidiedUp(t *testing.T) {
	d, _ := opened(t)
	d.do(func() { d.onStorage(d.ctx, app.Event{}) })
	wantHidden(t, d, "cannot be tidied up")
	d.status = remote.Of(tableclient.Status{Build: "b", Store: "indexeddb", CheckpointFailure: &tableclient.CheckpointFailure{
		Error: "no room left", Since: time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC), Attempts: 3}})
	wantShown(t, d, "cannot be tidied up", "Since 2026-11-20 18:44 UTC: no room left.", "Nothing is lost")
}

func TestPersistenceIsAskedForOnce(t *testing.T) {
	d, host := opened(t)
	d.do(d.keep)
	d.do(d.keep)
	if host.persists != 1 {
		t.Errorf("asked %d times", host.persists)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 100 << 20: "100 MiB", 10 << 30: "10.0 GiB", 5000 << 40: "5000 TiB",
	} {
		if got := size(bytes); got != want {
			t.Errorf("%d: %s, want %s", bytes, got, want)
		}
	}
}

func TestErrorsAreTold(t *testing.T) {
	d, _ := opened(t)
	d.life.outside = errors.New("Something is between.")
	wantShown(t, d, "Something is between.", "Reload")
}
