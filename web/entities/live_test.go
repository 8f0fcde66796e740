package entities

import (
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

func TestRowsThatChangeElsewhereAreMarked(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	change := control.Change{Kind: "updated", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00001"}
	d.Do(func() { d.Watchers[0]([]control.Change{change}) })
	d.Shows("marked")
	openRow(d, 1)
	d.Hides("marked")
}

// TestChangesOfATableInOtherCapitals: the names of tables ignore case.
func TestChangesOfATableInOtherCapitals(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	change := control.Change{Kind: "updated", Account: pagetest.Account, Table: "CUSTOMERS", PartitionKey: "p", RowKey: "00001"}
	d.Do(func() { d.Watchers[0]([]control.Change{change}) })
	d.Shows("marked")
}

func TestRowsOfATableDeletedElsewhereAreMarked(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	d.Do(func() {
		d.Watchers[0]([]control.Change{{Kind: "tableDeleted", Account: pagetest.Account, Table: "Customers"},
			{Kind: "inserted", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00001"}})
	})
	d.Shows("Read again")
	if n := strings.Count(d.HTML(), "marked"); n != 2 {
		t.Errorf("%d rows are marked", n)
	}
}

func TestMissedChangesOfferToReadAgain(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	d.Hides("Read again")
	d.Do(func() { d.Watchers[0]([]control.Change{{Kind: "lost"}}) })
	d.Shows("Read again")
	d.Do(func() { d.Page.onReadAgain(d.Page.ctx, app.Event{}) })
	d.Hides("Read again")
}

func TestEntitiesInsertedElsewhereAreOffered(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	insert := func(kind, row string) {
		d.Do(func() {
			d.Watchers[0]([]control.Change{{Kind: kind, Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: row}})
		})
	}
	insert("inserted", "00001") // the page had read it already
	d.Hides("show-new")
	d.Hides("marked")
	insert("inserted", "a")
	insert("inserted", "b")
	insert("inserted", "c")
	insert("deleted", "c")
	d.Shows("Show 2 new")
	d.Do(func() { d.Page.run() })
	d.Hides("show-new")
}

func TestEmptyTableShowsWhatIsInsertedElsewhere(t *testing.T) {
	endpoint := pagetest.Filled(0)
	endpoint.Tables["Customers"] = nil
	d := open(t, endpoint)
	d.Shows("No entities")
	endpoint.Tables["Customers"] = pagetest.Filled(1).Tables["Customers"]
	d.Do(func() {
		d.Watchers[0]([]control.Change{{Kind: "inserted", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00000"}})
	})
	d.Shows("All 1 loaded")
}

// TestOwnChangesOfALongJob: what a job writes is the page's own change however long it takes.
func TestOwnChangesOfALongJob(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	key := odata.Key{PartitionKey: "p", RowKey: "00001"}
	change := control.Change{Kind: "updated", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: "00001"}
	for _, running := range [][]*page.Job{{{}}, nil} {
		d.Do(func() {
			d.Page.results.expected[key] = time.Now().Add(-2 * ownChange)
			d.Page.kept.jobs[customers.Place()] = running
			d.Watchers[0]([]control.Change{change})
			delete(d.Page.kept.jobs, customers.Place()) // or its progress would be followed
		})
		if marked := d.Page.results.marked[key]; marked != (running == nil) {
			t.Errorf("with %d jobs the row is marked: %t", len(running), marked)
		}
	}
}
