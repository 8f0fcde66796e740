package shell

import (
	"slices"
	"testing"

	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func TestCreateTable(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, page.Route{})
	d.do(func() { d.NewTable(pagetest.Account) })
	wantShown(t, d, `data-testid="table-name"`, "3 to 63 letters and digits")

	d.do(func() { d.sidebar.form.name = "9"; d.create() })
	wantShown(t, d, "A name begins with a letter.")
	if slices.Contains(endpoint.Requests, "POST /table/devstoreaccount1/Tables") {
		t.Error("a bad name was sent")
	}
	d.do(func() { d.sidebar.form.name = "Customers"; d.create() })
	wantShown(t, d, `data-testid="create-error"`, "TableAlreadyExists")

	d.do(func() { d.sidebar.form.name = "Orders"; d.create() })
	wantShown(t, d, "probe  of devstoreaccount1/Orders", `data-table="Orders"`)
	wantHidden(t, d, `data-testid="table-name"`)
}

// TestCreateTableSlowly: the user types on, cancels, or goes elsewhere while the table is
// being created.
func TestCreateTableSlowly(t *testing.T) {
	for name, c := range map[string]struct {
		table     string
		meanwhile func(*driven)
		shows     string
	}{
		"types on":            {"Orders", func(d *driven) { d.sidebar.form.name = "OrdersOf2026" }, "probe  of devstoreaccount1/Orders "},
		"cancels":             {"Orders", func(d *driven) { d.sidebar.form = nil }, "probe  of devstoreaccount1/Customers "},
		"cancels what fails":  {"Customers", func(d *driven) { d.sidebar.form = nil }, "TableAlreadyExists"},
		"begins another form": {"Orders", func(d *driven) { d.NewTable(pagetest.Account) }, "probe  of devstoreaccount1/Customers "},
		"goes elsewhere":      {"Orders", func(d *driven) { d.Navigate(page.Route{Page: "requests"}) }, "probe requests"},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Filled(1), customers)
			d.do(func() { d.NewTable(pagetest.Account) })
			d.do(func() {
				d.sidebar.form.name = c.table
				d.create()
				c.meanwhile(d)
			})
			wantShown(t, d, c.shows)
		})
	}
}
