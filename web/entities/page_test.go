package entities

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

var customers = page.Route{Account: pagetest.Account, Table: "Customers"}

// open opens the page of Customers.
func open(t *testing.T, transport client.Transport) *pagetest.Driver[*Page] {
	t.Helper()
	return pagetest.Open(t, transport, customers, func(p page.Props) *Page { return &Page{Props: p} })
}

// query enters a filter and runs it.
func enter(d *pagetest.Driver[*Page], filter string) {
	d.Do(func() { d.Page.query.filter = filter; d.Page.submitQuery() })
}

func openRow(d *pagetest.Driver[*Page], i int) {
	d.Do(func() { d.Page.openEntity(d.Page.results.entities[i].Key(), false) })
}

func TestLoadMore(t *testing.T) {
	d := open(t, pagetest.Filled(250))
	d.Shows("100 loaded, more follow", "Table scan", `data-row="0"`, "Load 100 more")
	if drawn := strings.Count(d.HTML(), "data-row="); drawn > 60 {
		t.Errorf("%d rows are drawn", drawn)
	}
	for range 3 {
		d.Do(d.Page.loadMore)
	}
	d.Shows("All 250 loaded")
	d.Hides("Load 100 more")
	if r := &d.Page.results; len(r.entities) != 250 || r.explain.Examined != 9 {
		t.Errorf("%d entities, %+v", len(r.entities), r.explain)
	}
}

func TestQueryRefused(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	enter(d, pagetest.BadFilter)
	d.Shows(`data-testid="filter-error"`, "InvalidInput", "Syntax error at position 6", `data-row="2"`)
	d.Hides("RequestId")
	if d.Route.Arg(filterArg) != pagetest.BadFilter || len(d.Page.results.entities) != 3 {
		t.Errorf("at %+v with %d entities", d.Route, len(d.Page.results.entities))
	}
	enter(d, " ")
	d.Hides(`data-testid="filter-error"`)
}

// TestLateAnswerIsDropped answers the first of two queries last: the result of
// the second stays.
func TestLateAnswerIsDropped(t *testing.T) {
	endpoint := pagetest.Filled(3)
	endpoint.Tables["Orders"] = nil
	second := make(chan struct{})
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		switch {
		case strings.Contains(r.URL, "slow"):
			<-second
		case strings.Contains(r.URL, "quick"):
			defer close(second)
			r.URL = strings.Replace(r.URL, "Customers", "Orders", 1)
		}
		return endpoint.Do(nil, r)
	}))
	d.Do(func() {
		for _, filter := range []string{"slow", "quick"} {
			d.Page.Route = d.Page.Route.With(filterArg, filter)
			d.Session.Route = d.Page.Route
			d.Page.runQuery()
		}
	})
	if r := &d.Page.results; r.asked.Arg(filterArg) != "quick" || len(r.entities) != 0 {
		t.Errorf("%d entities of %q", len(r.entities), r.asked.Arg(filterArg))
	}
}

func TestMissingTable(t *testing.T) {
	d := open(t, pagetest.NewEndpoint())
	d.Shows("TableNotFound", "The table specified does not exist.")
}

func TestDeleteTable(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint)
	ask := func() { d.Do(func() { d.Page.onDeleteTable(d.Page.ctx, app.Event{}) }) }
	ask()
	if d.Question == nil || d.Question.Title != "Delete the table Customers?" {
		t.Fatalf("%+v", d.Question)
	}
	d.Answer(false)
	if len(endpoint.Tables) != 1 {
		t.Fatal("the table is gone without a yes")
	}
	ask()
	d.Answer(true)
	d.Notified("Table Customers deleted")
	if len(endpoint.Tables) != 0 || d.Route != (page.Route{Account: pagetest.Account}) {
		t.Errorf("%d tables, at %+v", len(endpoint.Tables), d.Route)
	}
}

func TestDeleteTableRefused(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint)
	endpoint.Refuse = "DELETE"
	d.Do(d.Page.deleteTable)
	d.Shows("InternalError")
}

func TestPanelFollowsTheRows(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint)
	openRow(d, 1)
	d.Shows("p / 00001", `class="panel"`)
	d.Do(d.Page.ClosePanel)
	d.Hides(`class="panel"`)
	d.Do(func() { d.Page.onNewEntity(d.Page.ctx, app.Event{}) })
	d.Shows("New entity in Customers", `data-testid="entity-rk"`)
}

// TestDeletedRow removes the row of an entity that the panel deleted.
func TestDeletedRow(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	openRow(d, 0)
	d.Do(func() { d.Page.EntityDeleted(odata.Key{PartitionKey: "p", RowKey: "00000"}) })
	d.Shows("All 1 loaded")
	d.Hides(`class="panel"`)
}
