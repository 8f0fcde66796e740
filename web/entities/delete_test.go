package entities

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// TestUndoOfADeletionRestoresWhatSelectLeftOut: the rows have some of the properties
// only, also while they are shown as the previous result.
func TestUndoOfADeletionRestoresWhatSelectLeftOut(t *testing.T) {
	for name, before := range map[string]func(*pagetest.Driver[*Page]){
		"as read":         func(*pagetest.Driver[*Page]) {},
		"previous result": func(d *pagetest.Driver[*Page]) { d.Page.results.begin(customers) },
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := pagetest.Filled(3)
			d := pagetest.Open(t, endpoint, customers.With(selectArg, "RowKey"), func(p page.Props) *Page { return &Page{Props: p} })
			if n := len(d.Page.at(1).Properties); n != 0 {
				t.Fatalf("%d properties were read", n)
			}
			d.Do(func() { before(d); d.Page.toggle(1); d.Page.deleteSelected() })
			d.Notified("Deleted 1 entity")
			d.Accept()
			d.Notified("Restored 1 entity")
			if _, has := endpoint.Tables["Customers"][1].Property("Age"); !has {
				t.Error("the entity has lost its properties")
			}
		})
	}
}

// TestSelectIsShownAndCanBeRemoved: nothing else says why properties are missing.
func TestSelectIsShownAndCanBeRemoved(t *testing.T) {
	d := pagetest.Open(t, pagetest.Filled(3), customers.With(selectArg, "RowKey"), func(p page.Props) *Page { return &Page{Props: p} })
	d.Shows("Only the properties RowKey", `data-testid="remove-select"`)
	d.Do(func() { d.Page.removeSelect() })
	d.Hides(`data-testid="remove-select"`)
	if d.Route != customers || len(d.Page.at(1).Properties) != 1 {
		t.Errorf("at %v with %v", d.Route, d.Page.at(1))
	}
}

// TestDeleteLeavesWhatChangedElsewhere: the user has not seen the present values.
func TestDeleteLeavesWhatChangedElsewhere(t *testing.T) {
	endpoint := pagetest.Filled(5)
	d := open(t, endpoint)
	endpoint.Write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00001","Tier":"gold"}`), true)
	endpoint.Tables["Customers"] = append(endpoint.Tables["Customers"][:2], endpoint.Tables["Customers"][3:]...)
	d.Do(func() { d.Page.toggle(0); d.Page.selectTo(3); d.Page.deleteSelected() })
	d.Notified("Deleted 2 entities")
	d.Notified("Not deleted: 1 entity, changed elsewhere in the meantime")
	if left := endpoint.Tables["Customers"]; len(left) != 2 || left[0].RowKey != "00001" {
		t.Errorf("%d are left", len(left))
	}
	if !d.Page.results.marked[odata.Key{PartitionKey: "p", RowKey: "00001"}] {
		t.Error("the changed row is not marked")
	}
	d.Shows("All 2 loaded")
	d.Accept()
	d.Notified("Restored 2 entities")
	if e := endpoint.Tables["Customers"][1]; len(e.Properties) != 1 || e.Properties[0].Name != "Tier" {
		t.Errorf("the changed entity is now %v", e)
	}
}

// TestDeletingManyAsksAndTakesASnapshot: the undo ends when the app is left.
func TestDeletingManyAsksAndTakesASnapshot(t *testing.T) {
	endpoint := pagetest.Filled(150)
	endpoint.PageSize = 1000
	d := open(t, endpoint)
	ask := func() { d.Do(func() { d.Page.selectAll(); d.Page.deleteSelected() }) }
	ask()
	if q := d.Question; q == nil || q.Title != "Delete 150 entities?" || q.Choice == nil || !*q.Choice || !strings.Contains(q.Text, "Customers") {
		t.Fatalf("the question is %+v", q)
	}
	d.Answer(false)
	if len(endpoint.Tables["Customers"]) != 150 {
		t.Fatal("deleted without a yes")
	}
	ask()
	d.Answer(true)
	d.Notified("Deleted 150 entities")
	if n := strings.Count(strings.Join(endpoint.Requests, "\n"), "POST /_sandtable/accounts/devstoreaccount1/snapshots"); n != 1 {
		t.Errorf("%d snapshots were taken", n)
	}
}

// openStopping opens a table of 2,000 entities with all rows loaded. Its job is stopped at
// the transaction with that number, of those that contain a method.
func openStopping(t *testing.T, at int64, method string) (*pagetest.Endpoint, *pagetest.Driver[*Page]) {
	t.Helper()
	endpoint := pagetest.Filled(2000)
	endpoint.PageSize = 1000
	var d *pagetest.Driver[*Page]
	var batches atomic.Int64
	stopped := make(chan struct{})
	d = open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		response, err := endpoint.Do(context.Background(), r)
		if strings.HasSuffix(r.URL, "$batch") && strings.Contains(string(r.Body), method) {
			switch n := batches.Add(1); {
			case n == at:
				d.Page.kept.jobs[customers.Place()][0].Stop()
				close(stopped)
			case n > at:
				<-stopped
			}
		}
		return response, err
	}))
	d.Do(d.Page.loadAll)
	return endpoint, d
}

// TestStoppedDeletionCanBeUndone: the page says what is gone, and the undo restores that.
func TestStoppedDeletionCanBeUndone(t *testing.T) {
	endpoint, d := openStopping(t, 5, client.MethodDelete)
	d.Do(func() { d.Page.selectAll(); d.Page.deleteSelected() })
	d.Answer(true)
	left := len(endpoint.Tables["Customers"])
	if left == 0 || left == 2000 {
		t.Fatalf("%d entities are left", left)
	}
	d.Shows("Stopped: "+humanize.Number(2000-left)+" of 2,000 entities deleted.", "Undo the deletion", humanize.Number(left)+" selected")
	d.Do(func() { d.Page.onUndo(d.Page.ctx, app.Event{}) })
	d.Notified("Restored " + humanize.Number(2000-left) + " entities")
	if n := len(endpoint.Tables["Customers"]); n != 2000 {
		t.Errorf("%d entities after the undo", n)
	}
}

// TestStoppedUndoGoesOn: what is left can be restored as long as before.
func TestStoppedUndoGoesOn(t *testing.T) {
	endpoint, d := openStopping(t, 2, client.MethodPost)
	d.Do(func() { d.Page.selectAll(); d.Page.delete(d.Page.chosen(), false) })
	undo := func() { d.Do(func() { d.Page.onUndo(d.Page.ctx, app.Event{}) }) }
	undo()
	d.Notified("Stopped: Restored")
	d.Shows("Undo the deletion")
	undo()
	d.Hides("Undo the deletion")
	if n := len(endpoint.Tables["Customers"]); n != 2000 {
		t.Errorf("%d entities after the undo", n)
	}
}

// TestDeletingRowsThatAreNoLongerInMemory: all that are selected are deleted.
func TestDeletingRowsThatAreNoLongerInMemory(t *testing.T) {
	endpoint := pagetest.Filled(2500)
	endpoint.PageSize = 1000
	d := open(t, endpoint)
	d.Do(func() { d.Page.loadAll() })
	d.Do(func() {
		d.Page.selectAll()
		d.Page.results.rows.Resident = 1000
		d.Page.listing().Sort(nil) // forgets
	})
	if n := len(d.Page.chosen()); n >= 2500 {
		t.Fatalf("%d of 2500 rows are in memory", n)
	}
	d.Do(d.Page.deleteSelected)
	if d.Question == nil || d.Question.Title != "Delete 2,500 entities?" {
		t.Fatalf("the question is %+v", d.Question)
	}
	d.Answer(true)
	d.Notified("Deleted 2,500 entities")
	if n := len(endpoint.Tables["Customers"]); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// TestDeletingManyFromAConnectedAccountAsks: there are no snapshots.
func TestDeletingManyFromAConnectedAccountAsks(t *testing.T) {
	d := open(t, pagetest.Filled(150))
	d.Remotes = map[string]client.Remote{pagetest.Account: {Account: pagetest.Account, Endpoint: "http://host/table/" + pagetest.Account}}
	d.Do(func() { d.Page.selectAll(); d.Page.deleteSelected() })
	if q := d.Question; q == nil || q.Choice != nil {
		t.Errorf("the question is %+v", q)
	}
}
