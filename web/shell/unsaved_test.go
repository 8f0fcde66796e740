package shell

import (
	"testing"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// TestUnsavedChangesOfADeletedAccount stay on screen until the user discards them.
func TestUnsavedChangesOfADeletedAccount(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, customers)
	unsaved := true
	d.Guard(func() bool { return unsaved })
	d.do(func() { d.catalog.Accounts = remote.Of([]control.Account{{Name: "another"}}) })
	wantShown(t, d, "probe  of devstoreaccount1/Customers", `data-testid="banner"`, "There is no account devstoreaccount1 any more.", "Go to the tables")
	unsaved = false
	wantShown(t, d, "No such account")
	wantHidden(t, d, "probe", `data-testid="banner"`)
}

// TestUnsavedChangesOfAClearedStore: the page with them is not mounted again.
func TestUnsavedChangesOfAClearedStore(t *testing.T) {
	for unsaved, visits := range map[bool]int{true: 0, false: 1} {
		d := open(t, pagetest.Filled(1), customers)
		d.Guard(func() bool { return unsaved })
		d.do(func() { d.learn(control.Worker{Store: "one"}) })
		d.do(func() { d.learn(control.Worker{Store: "two"}) })
		wantShown(t, d, "The tables that were here are gone.")
		if d.visit != visits {
			t.Errorf("unsaved %v: mounted again %d times, want %d", unsaved, d.visit, visits)
		}
	}
}

// TestDisconnectWithUnsavedChanges asks about them before the account is forgotten.
func TestDisconnectWithUnsavedChanges(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	r := client.Remote{Account: "acc", Endpoint: "https://acc.table.core.windows.net", Key: "c2VjcmV0"}
	d.do(func() { d.Connect(r, false) })
	here := page.Route{Account: r.ID(), Table: "Telemetry"}
	d.do(func() { d.Navigate(here) })
	d.Guard(func() bool { return true })
	d.do(func() { d.disconnect(r.ID()) })
	d.do(func() { d.answer(true) })
	wantShown(t, d, "Discard the changes?", "probe  of acc@core.windows.net/Telemetry")
	d.do(func() { d.answer(false) })
	wantShown(t, d, "probe  of acc@core.windows.net/Telemetry")
	d.do(func() { d.disconnect(r.ID()) })
	d.do(func() { d.answer(true) })
	d.do(func() { d.answer(true) })
	wantShown(t, d, "probe  of devstoreaccount1/")
	wantHidden(t, d, "Discard the changes?", `data-testid="remote-item"`)
}
