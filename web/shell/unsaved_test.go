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
