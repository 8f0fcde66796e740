package entities

import (
	"slices"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func TestUndoOfADeletionStaysInTheStatusBar(t *testing.T) {
	endpoint := pagetest.Filled(10)
	d := open(t, endpoint)
	d.Hides(`data-testid="undo"`)
	d.Do(func() { d.Page.toggle(2); d.Page.selectTo(4) })
	d.Do(d.Page.deleteSelected)
	d.Shows("Undo the deletion")
	d.Do(func() { d.Page.onUndo(d.Page.ctx, app.Event{}) })
	d.Notified("Restored 3 entities")
	d.Hides(`data-testid="undo"`)
	if len(d.Offers) > 0 {
		t.Errorf("the message still offers %v", d.Offers)
	}
	if n, stored := len(d.Notices), len(endpoint.Tables["Customers"]); n != 2 || stored != 10 {
		t.Errorf("notices %q, %d stored", d.Notices, stored)
	}
}

// TestUndoOutlivesThePage: the user looks at another table meanwhile.
func TestUndoOutlivesThePage(t *testing.T) {
	endpoint, kept := pagetest.Filled(10), newKept()
	endpoint.Tables["Other"] = nil
	d := pagetest.Open(t, endpoint, customers, func(p page.Props) *Page { return &Page{Props: p, kept: kept} })
	d.Do(func() { d.Page.toggle(2); d.Page.selectTo(4); d.Page.deleteSelected() })
	other := customers
	other.Table = "Other"
	d.Do(func() { d.Navigate(other) })
	d.Hides("Undo the deletion")
	d.Do(func() { d.Navigate(customers) })
	d.Shows("Undo the deletion", "All 7 loaded")
	d.Do(func() { d.Page.onUndo(d.Page.ctx, app.Event{}) })
	d.Notified("Restored 3 entities")
	d.Shows("All 10 loaded")
	d.Hides("Undo the deletion")
}

func TestUndoOfADeletionInThePanel(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	restored := 0
	d.Do(func() { d.Page.OfferUndo("Deleted p / 1", "Undo the deletion", func() { restored++ }) })
	d.Do(func() { d.Page.EntityDeleted(odata.Key{PartitionKey: "p", RowKey: "00000"}) })
	d.Shows("Undo the deletion")
	d.Do(func() { d.Page.onUndo(d.Page.ctx, app.Event{}) })
	if restored != 1 {
		t.Errorf("restored %d times", restored)
	}
}

// TestUndoInAnotherVisit: a row whose deletion is undone from an earlier visit to the table
// is back in its place.
func TestUndoInAnotherVisit(t *testing.T) {
	endpoint, kept := pagetest.Filled(3), newKept()
	endpoint.Tables["Other"] = nil
	d := pagetest.Open(t, endpoint, customers, func(p page.Props) *Page { return &Page{Props: p, kept: kept} })
	first, e := d.Page, endpoint.Tables["Customers"][1]
	endpoint.Tables["Customers"] = slices.Delete(endpoint.Tables["Customers"], 1, 2)
	other := customers
	other.Table = "Other"
	d.Do(func() { first.EntityDeleted(e.Key()); d.Navigate(other) })
	d.Do(func() { d.Navigate(customers) })
	d.Shows("All 2 loaded")
	inserted := []control.Change{{Kind: "inserted", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00001"}}
	d.Do(func() { d.Watchers[len(d.Watchers)-1](inserted) })
	d.Shows("Show 1 new")
	d.Do(func() { first.EntityRestored(client.Entity{Entity: e}) })
	d.Hides("Show 1 new")
	d.Shows("All 3 loaded")
}

// TestAnotherPanelStaysDuringADeletion: the user has opened another entity, or left, before
// the first one was deleted.
func TestAnotherPanelStaysDuringADeletion(t *testing.T) {
	endpoint, kept := pagetest.Filled(3), newKept()
	endpoint.Tables["Other"] = nil
	d := pagetest.Open(t, endpoint, customers, func(p page.Props) *Page { return &Page{Props: p, kept: kept} })
	deleted := odata.Key{PartitionKey: "p", RowKey: "00000"}
	openRow(d, 1)
	d.Do(func() { d.Page.EntityDeleted(deleted) })
	d.Shows("All 2 loaded", `class="panel"`, "p / 00001")
	first, other := d.Page, customers
	other.Table = "Other"
	d.Do(func() { d.Navigate(other) })
	d.Do(func() { first.EntityDeleted(odata.Key{PartitionKey: "p", RowKey: "00001"}) })
	if d.Route != other {
		t.Errorf("at %+v", d.Route)
	}
}
