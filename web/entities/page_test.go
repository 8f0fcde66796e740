package entities

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/bulkedit"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/grid"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

var customers = page.Route{Account: pagetest.Account, Table: "Customers"}

// open opens the page of Customers.
func open(t *testing.T, transport client.Transport) *pagetest.Driver[*Page] {
	t.Helper()
	return pagetest.Open(t, transport, customers, func(p page.Props) *Page { return &Page{Props: p} })
}

// enter enters a filter and runs it.
func enter(d *pagetest.Driver[*Page], filter string) {
	d.Do(func() { d.Page.bar.set(filter); d.Page.submitQuery() })
}

func openRow(d *pagetest.Driver[*Page], i int) {
	d.Do(func() { d.Page.openEntity(d.Page.at(i).Key(), false) })
}

func TestRowsAreReadAsTheyAreNeeded(t *testing.T) {
	endpoint := pagetest.Filled(1500)
	endpoint.PageSize = 1000
	d := open(t, endpoint)
	d.Shows("200 loaded, more follow", "Table scan", `data-row="0"`, "Load all")
	if drawn := strings.Count(d.HTML(), "data-row="); drawn > 60 {
		t.Errorf("%d rows are drawn", drawn)
	}
	d.Do(func() { d.Page.sheet.active = 190; d.Page.moveBy("End", false) })
	if n := d.Page.listing().Len(); n != 1200 {
		t.Errorf("%d rows after the end of what was loaded, want 1200", n)
	}
	d.Do(d.Page.loadAll)
	d.Shows("All 1,500 loaded")
	d.Hides("Load all")
}

func TestQueryRefused(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	enter(d, pagetest.BadFilter)
	d.Shows(`data-testid="filter-error"`, "Column 5:", "400 InvalidInput", "Syntax error at position 6", `data-row="2"`)
	d.Hides("RequestId", `data-testid="suggestion"`)
	d.Shows(`data-testid="wrong-condition"`, `wrong">qe<`, "<mark>qe</mark>")
	if d.Route.Arg(filterArg) != pagetest.BadFilter || d.Page.listing().Len() != 3 {
		t.Errorf("at %+v with %d rows", d.Route, d.Page.listing().Len())
	}
	// What was typed after the mistake stays when it is corrected.
	d.Do(func() { d.Page.bar.set(pagetest.BadFilter + " and Age lt 9") })
	d.Shows(`wrong">qe<`)
	d.Do(func() { d.Page.onCorrect(d.Page.ctx, app.Event{}) })
	if got := d.Route.Arg(filterArg); !strings.HasSuffix(got, " and Age lt 9") || strings.Contains(got, pagetest.BadFilter) {
		t.Errorf("corrected to %s", got)
	}
	enter(d, " ")
	d.Hides(`data-testid="filter-error"`)
}

func TestBuilderAndEditorStayInStep(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	enter(d, "PartitionKey eq 'p' and Age ge 1")
	d.Shows(`data-testid="clause"`, "at least")
	if c := d.Page.bar.clauses; len(c) != 2 || c[1].Property != "Age" || c[1].Text != "1" {
		t.Fatalf("clauses %+v", c)
	}
	d.Do(func() {
		d.Page.bar.clauses[1].Text = "2"
		d.Page.bar.compile()
	})
	if got := d.Page.bar.filter; got != "PartitionKey eq 'p' and Age ge 2" {
		t.Errorf("the editor has %q", got)
	}
	d.Do(func() { d.Page.bar.set("Age ge 1 or Age le 0") })
	d.Shows("edit it as text")
}

func TestContainsIsLookedForByThePage(t *testing.T) {
	endpoint := pagetest.Filled(150)
	d := open(t, endpoint)
	d.Do(func() { d.Session.Route = customers.With(containsArg, "RowKey:0014") })
	d.Shows("11 match of 150 rows read", `class="chip local"`)
}

func TestSelectCopyDeleteAndUndo(t *testing.T) {
	endpoint := pagetest.Filled(10)
	d := open(t, endpoint)
	d.Do(func() { d.Page.toggle(2); d.Page.selectTo(4) })
	d.Shows("3 selected", "Copy as JSON")
	if rows := d.Page.chosen(); len(rows) != 3 || rows[0].RowKey != "00002" {
		t.Fatalf("chosen %d rows", len(rows))
	}
	d.Do(d.Page.deleteSelected)
	d.Notified("Deleted 3 entities")
	d.Hides("3 selected")
	if len(endpoint.Tables["Customers"]) != 7 || d.Page.listing().Len() != 7 {
		t.Errorf("%d stored, %d shown", len(endpoint.Tables["Customers"]), d.Page.listing().Len())
	}
	d.Accept()
	d.Notified("Restored 3 entities")
	if len(endpoint.Tables["Customers"]) != 10 || d.Page.listing().Len() != 10 {
		t.Errorf("%d stored, %d shown", len(endpoint.Tables["Customers"]), d.Page.listing().Len())
	}
}

func TestHonestSorting(t *testing.T) {
	endpoint := pagetest.Filled(300)
	d := open(t, endpoint)
	d.Do(func() {
		d.Page.sorting = sorting{column: "Age", down: true}
		d.Page.openMenu(sortMenu)
	})
	d.Shows("More rows follow the 200 that are loaded", "Load all, then sort")
	if d.Page.settings.Sort != "" {
		t.Error("it is sorted before the question is answered")
	}
	d.Do(func() { d.Page.onSortAll(d.Page.ctx, app.Event{}) })
	if d.Page.at(0).RowKey != "00299" || d.Page.listing().Len() != 300 {
		t.Errorf("first of %d rows is %s", d.Page.listing().Len(), d.Page.at(0).RowKey)
	}
	d.Shows(`aria-sort="descending"`)
}

// TestSortRowsThatLeftTheMemory: all rows were loaded, but not all are in memory any more.
func TestSortRowsThatLeftTheMemory(t *testing.T) {
	d := open(t, pagetest.Filled(2500))
	d.Do(func() { d.Page.results.rows.Resident = 1000; d.Page.loadAll() })
	if all := d.Page.listing(); !all.Ended() || all.HasAll() {
		t.Fatalf("ended %v, has all %v", all.Ended(), all.HasAll())
	}
	d.Do(func() { d.Page.sorting = sorting{column: "Age", down: true}; d.Page.openMenu(sortMenu) })
	d.Shows("Some of the 2,500 loaded rows are no longer in memory")
	d.Do(func() { d.Page.onSortAll(d.Page.ctx, app.Event{}) })
	if !d.Page.listing().Sorted() || d.Page.listing().Len() != 2500 || d.Page.at(0).RowKey != "02499" {
		t.Errorf("%d rows, sorted %v, the first is %v", d.Page.listing().Len(), d.Page.listing().Sorted(), d.Page.at(0))
	}
}

// TestForgottenRowsAfterACancel: rows that are no longer in memory are read again, also if
// that was cancelled once.
func TestForgottenRowsAfterACancel(t *testing.T) {
	d := open(t, pagetest.Filled(2500))
	d.Do(func() { d.Page.results.rows.Resident = 1000; d.Page.loadAll() })
	row := 0
	for d.Page.at(row) != nil {
		row++
	}
	d.Do(func() {
		d.Page.results.refilling = d.Page.results.run // its answer is under way
		d.Page.cancelAll()
		d.Page.sheet.window = grid.Window{From: row, To: row + 20}
		d.Page.refill()
	})
	if d.Page.at(row) == nil {
		t.Errorf("row %d of %d was not read again", row, d.Page.listing().Len())
	}
}

// TestInsertsThatFollow: an entity after the rows that were read is not new: the next pages have it.
func TestInsertsThatFollow(t *testing.T) {
	d := open(t, pagetest.Filled(300))
	insert := func(key string) {
		d.Do(func() {
			d.Watchers[0]([]control.Change{{Kind: "inserted", Account: pagetest.Account, Table: "Customers", PartitionKey: "p", RowKey: key}})
		})
	}
	insert("00250")
	d.Hides(`data-testid="show-new"`)
	insert("00000a")
	d.Shows("Show 1 new")
	d.Do(func() { d.Page.results.fresh[odata.Key{PartitionKey: "p", RowKey: "00260"}] = true }) // while the first page was read
	d.Do(d.Page.loadAll)
	d.Shows("Show 1 new")
}

func TestJump(t *testing.T) {
	d := open(t, pagetest.Filled(300))
	d.Do(func() { d.Page.bar.jump = [2]string{"p", "00050"}; d.Page.jump() })
	if d.Page.sheet.active != 50 {
		t.Errorf("at row %d", d.Page.sheet.active)
	}
	d.Do(func() { d.Page.bar.jump = [2]string{"p", "00250"}; d.Page.jump() })
	if got := filterFrom(d.Route); got != "(PartitionKey gt 'p' or PartitionKey eq 'p' and RowKey ge '00250')" {
		t.Errorf("it begins with %q", got)
	}
	d.Shows("Back to the first row")
}

// TestLateAnswerIsDropped answers the first of two queries last: the result of
// the second stays.
func TestLateAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint := pagetest.Filled(3)
		slow := &pagetest.Slow{Transport: endpoint}
		d := open(t, slow)
		query := func(filter string) {
			d.Page.Route = d.Page.Route.With(filterArg, filter)
			d.Session.Route = d.Page.Route
			d.Page.run()
		}
		d.Do(func() {
			slow.During(func() { query("slow") })
			endpoint.Tables["Customers"] = nil
			query("quick")
		})
		if r := &d.Page.results; r.asked.Arg(filterArg) != "quick" || r.rows.Len() != 0 {
			t.Errorf("%d rows of %q", r.rows.Len(), r.asked.Arg(filterArg))
		}
	})
}

func TestMissingTable(t *testing.T) {
	d := open(t, pagetest.NewEndpoint())
	d.Shows("TableNotFound", "The table specified does not exist.", `data-testid="try-again"`)
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
	d.Do(func() { d.Page.deleteTable(false) })
	d.Notified("InternalError")
}

// TestLeavingATableThatIsDeleted: the user stays where they are by then, and is told.
func TestLeavingATableThatIsDeleted(t *testing.T) {
	for _, c := range []struct{ refuse, says string }{{"", "Table Customers deleted"}, {client.MethodDelete, "Table Customers not deleted"}} {
		endpoint := pagetest.Filled(1)
		endpoint.Refuse, endpoint.Tables[pagetest.Elsewhere.Table] = c.refuse, nil
		d := open(t, endpoint)
		d.LeaveDuring(func() { d.Page.deleteTable(false) })
		d.Notified(c.says)
		if d.Route != pagetest.Elsewhere {
			t.Errorf("at %+v", d.Route)
		}
	}
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

// TestEntityOfTheAddress opens the entity that the address names, and names the
// one that is opened.
func TestEntityOfTheAddress(t *testing.T) {
	there := customers.With(entityArg, "p/00001")
	d := pagetest.Open(t, pagetest.Filled(3), there, func(p page.Props) *Page { return &Page{Props: p} })
	d.Shows("p / 00001", `class="panel"`, "All 3 loaded")
	d.Do(d.Page.ClosePanel)
	if d.Route != customers {
		t.Errorf("at %+v", d.Route)
	}
	d.Page.address.at = time.Time{}
	openRow(d, 2)
	if d.Route.Arg(entityArg) != "p/00002" {
		t.Errorf("at %+v", d.Route)
	}
	run := d.Page.results.run
	d.Do(func() { d.Session.Route = customers.With(entityArg, "p/00000") })
	d.Shows("p / 00000")
	d.Do(func() { d.Session.Route = customers })
	d.Hides(`class="panel"`)
	if d.Page.results.run != run {
		t.Error("the query was run again for an entity")
	}
}

// TestDeletedRow removes the row of an entity that the panel deleted.
func TestDeletedRow(t *testing.T) {
	d := open(t, pagetest.Filled(2))
	openRow(d, 0)
	d.Do(func() { d.Page.EntityDeleted(odata.Key{PartitionKey: "p", RowKey: "00000"}) })
	d.Shows("All 1 loaded")
	d.Hides(`class="panel"`)
}

func TestEditManyAndUndo(t *testing.T) {
	endpoint := pagetest.Filled(10)
	d := open(t, endpoint)
	d.Do(func() { d.Page.toggle(2); d.Page.selectTo(4); d.Page.openEdit() })
	d.Shows("Edit 3 entities of Customers")
	gold := bulk.Edit{Kind: bulk.Set, Property: "Tier", Value: odata.StringValue("gold")}
	plan := gold.Plan(d.Page.editing.rows)
	report := (&bulk.Job{Client: d.Page.client(), Table: "Customers", Transactions: bulk.Group(plan.Rows(false))}).Run(context.Background())
	d.Do(func() { d.Page.CloseEdit(); d.Page.Edited(bulkedit.Done{Plan: plan, Report: report}) })
	d.Notified("Changed 3 entities")
	d.Shows("gold", `data-testid="undo"`)
	d.Hides("Edit 3 entities", "3 selected")
	if at, ok := d.Page.listing().At(3); !ok || at.Tag != endpoint.Tables["Customers"][3].ETag() || at.Timestamp != endpoint.Tables["Customers"][3].Timestamp {
		t.Errorf("the row is %+v", at)
	}
	endpoint.Write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00003","Tier":"platinum"}`), true)
	d.Accept()
	d.Notified("Undone for 2 entities; 1 changed again and stays as it is")
	d.Hides("gold", `data-testid="undo"`)
	d.Shows("platinum")
}

// TestEditOfPartialRows: an edit must not write back what $select left out.
func TestEditOfPartialRows(t *testing.T) {
	d := pagetest.Open(t, pagetest.Filled(3), customers.With(selectArg, "RowKey"), func(p page.Props) *Page { return &Page{Props: p} })
	d.Do(func() { d.Page.selectAll(); d.Page.openEdit() })
	if x := d.Page.editing; !x.open || x.rows != nil || len(x.keys) != 3 {
		t.Errorf("%+v", x)
	}
	d.Shows("Edit 3 entities of Customers")
}

// TestSelectedRowsAreHandedOver: the page of exports gets the selected rows, in the
// order of the grid, and learns whether they are whole.
func TestSelectedRowsAreHandedOver(t *testing.T) {
	for _, test := range []struct {
		name    string
		route   page.Route
		partial bool
	}{{"whole", customers, false}, {"with $select", customers.With(selectArg, "RowKey"), true}} {
		t.Run(test.name, func(t *testing.T) {
			d := pagetest.Open(t, pagetest.Filled(5), test.route, func(p page.Props) *Page { return &Page{Props: p} })
			d.Do(func() { d.Page.handOver() })
			if rows := d.Selected(); len(rows.Entities) != 0 {
				t.Errorf("without a selection: %+v", rows)
			}
			d.Do(func() {
				d.Page.toggle(3)
				d.Page.toggle(1)
				d.Page.selected[odata.Key{PartitionKey: "p", RowKey: "gone"}] = true
			})
			d.Do(func() { d.Page.onExportSelected(d.Context(), app.Event{}) })
			rows := d.Selected()
			if d.Route.Page != exportPage || rows.Table != "Customers" || rows.Partial != test.partial || rows.Missing != 1 || len(rows.Entities) != 2 || rows.Entities[0].RowKey != "00001" {
				t.Errorf("at %v: %+v", d.Route, rows)
			}
		})
	}
}
