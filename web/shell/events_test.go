package shell

import (
	"slices"
	"testing"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func TestChangesReachPagesAndCounts(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d := open(t, endpoint, customers)
	wantShown(t, d, `class="figure"`)
	var got []control.Change
	release := d.Watch(func(changes []control.Change) { got = append(got, changes...) })
	endpoint.Tables["Orders"] = nil
	d.do(func() { d.changed([]control.Change{{Kind: "tableCreated", Table: "Orders"}}) })
	wantShown(t, d, `data-table="Orders"`)
	release()
	d.do(func() { d.changed([]control.Change{{Kind: "tableDeleted", Table: "Orders"}}) })
	if len(got) != 1 {
		t.Errorf("%d changes reached the page", len(got))
	}
}

// TestCountsDuringAnImport: a burst of changes reads the counts twice, at once and
// when the pause is over.
func TestCountsDuringAnImport(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d := open(t, endpoint, customers)
	endpoint.Requests = nil
	d.do(func() {
		for range 5 {
			d.changed([]control.Change{{Kind: "inserted", Table: "Customers"}})
		}
	})
	if n := len(slices.DeleteFunc(endpoint.Requests, func(r string) bool { return r != "GET /_sandtable/accounts" })); n != 2 {
		t.Errorf("the accounts were read %d times, want 2", n)
	}
}

// TestResetElsewhere: pages about what is gone are mounted again, unless they hold
// what the user entered.
func TestResetElsewhere(t *testing.T) {
	reset := []control.Change{{Kind: "tableDeleted", Account: pagetest.Account, Table: "Customers"}, {Kind: "accountDeleted", Account: pagetest.Account}, {Kind: "accountCreated", Account: pagetest.Account}}
	for name, test := range map[string]struct {
		route   page.Route
		changes []control.Change
		unsaved bool
		visits  int
	}{
		"a page of a table":   {customers, reset, false, 1},
		"a page of the store": {page.Route{Page: "storage"}, reset, false, 0},
		"unsaved changes":     {customers, reset, true, 0},
		"a deleted table":     {customers, reset[:1], false, 0},
		"a deleted account":   {customers, reset[:2], false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Filled(1), test.route)
			d.Guard(func() bool { return test.unsaved })
			d.do(func() { d.Checked(1); d.changed(test.changes) })
			if d.visit != test.visits {
				t.Errorf("mounted again %d times, want %d", d.visit, test.visits)
			}
			if wasReset := len(test.changes) == len(reset); (d.health.problems == 0) != wasReset {
				t.Errorf("%d problems are shown", d.health.problems)
			}
		})
	}
}
