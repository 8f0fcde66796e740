package shell

import (
	"testing"

	"sandtable/web/control"
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
