package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/draft"
	"sandtable/web/tableclient"
)

// driven is the page without a browser: it starts when go-app draws it
// beforehand, and moves to places at once.
type driven struct {
	explorer
	engine app.TestEngine
}

func (d *driven) OnPreRender(ctx app.Context) { d.start(ctx, "http://host/") }

// open starts a page on an endpoint, at a place.
func open(t *testing.T, endpoint tableclient.Transport, p Place) *driven {
	t.Helper()
	d := &driven{engine: app.NewTestEngine()}
	d.transport, d.host, d.place = endpoint, &fakeHost{controlled: true}, p
	d.navigate = func(p Place) { d.goTo(p) }
	if err := d.engine.Load(d); err != nil {
		t.Fatal(err)
	}
	d.engine.ConsumeAll()
	return d
}

// do acts on the page as a handler would and waits until nothing is under way.
func (d *driven) do(act func()) {
	d.ctx.Dispatch(func(app.Context) { act() })
	d.engine.ConsumeAll()
}

func (d *driven) html() string {
	// A component can be drawn once only, so its content is drawn by another.
	return app.HTMLString(&mirror{draw: d.explorer.Render})
}

type mirror struct {
	app.Compo
	draw func() app.UI
}

func (m *mirror) Render() app.UI { return m.draw() }

func wantShown(t *testing.T, d *driven, texts ...string) {
	t.Helper()
	html := d.html()
	for _, text := range texts {
		if !strings.Contains(html, text) {
			t.Errorf("the page does not show %q", text)
		}
	}
}

func wantHidden(t *testing.T, d *driven, texts ...string) {
	t.Helper()
	html := d.html()
	for _, text := range texts {
		if strings.Contains(html, text) {
			t.Errorf("the page shows %q", text)
		}
	}
}

var customers = Place{Account: "devstoreaccount1", Table: "Customers"}

// filled returns an endpoint with a table of n entities.
func filled(n int) *fakeEndpoint {
	f := newEndpoint()
	f.tables["Customers"] = nil
	for i := range n {
		f.clock++
		f.tables["Customers"] = append(f.tables["Customers"], &odata.Entity{PartitionKey: "p", RowKey: fmt.Sprintf("%05d", i), Timestamp: f.clock,
			Properties: []odata.Property{{Name: "Age", Value: odata.Int32Value(int32(i))}}})
	}
	return f
}

func TestStartWithoutTables(t *testing.T) {
	d := open(t, newEndpoint(), Place{})
	wantShown(t, d, "Saved in this browser", "No tables in devstoreaccount1", "No tables yet")
}

func TestStartFails(t *testing.T) {
	answers := false
	endpoint := newEndpoint()
	d := open(t, transportFunc(func(r tableclient.Request) (tableclient.Response, error) {
		if !answers {
			return tableclient.Response{}, tableclient.ErrNoAnswer
		}
		return endpoint.Do(nil, r)
	}), Place{})
	wantShown(t, d, "Not answering", "Try again")
	answers = true
	d.do(func() { d.onRestart(d.ctx, app.Event{}) })
	wantShown(t, d, "Saved in this browser")
}

func TestOpenTableAndPage(t *testing.T) {
	d := open(t, filled(250), customers)
	wantShown(t, d, "100 loaded, more follow", "Table scan", `data-row="0"`, "Load 100 more")
	if drawn := strings.Count(d.html(), "data-row="); drawn > 60 {
		t.Errorf("%d rows are drawn", drawn)
	}
	d.do(d.loadMore)
	d.do(d.loadMore)
	d.do(d.loadMore)
	wantShown(t, d, "All 250 loaded")
	wantHidden(t, d, "Load 100 more")
	if len(d.results.entities) != 250 || d.results.explain.Examined != 9 {
		t.Errorf("%d entities, %+v", len(d.results.entities), d.results.explain)
	}
}

func TestQueryRefused(t *testing.T) {
	d := open(t, filled(3), customers)
	d.do(func() { d.query.filter = badFilter; d.submitQuery() })
	wantShown(t, d, `data-testid="filter-error"`, "InvalidInput", "Syntax error at position 6", `data-row="2"`)
	wantHidden(t, d, "RequestId")
	if d.place.Filter != badFilter || len(d.results.entities) != 3 {
		t.Errorf("at %+v with %d entities", d.place, len(d.results.entities))
	}
	d.do(func() { d.query.filter = " "; d.submitQuery() })
	wantHidden(t, d, `data-testid="filter-error"`)
}

// TestLateAnswerIsDropped: of two queries the first is answered last, and
// what the second one brought stays.
func TestLateAnswerIsDropped(t *testing.T) {
	endpoint := filled(3)
	endpoint.tables["Orders"] = nil
	second := make(chan struct{})
	d := open(t, transportFunc(func(r tableclient.Request) (tableclient.Response, error) {
		switch {
		case strings.Contains(r.URL, "slow"):
			<-second
		case strings.Contains(r.URL, "quick"):
			defer close(second)
			r.URL = strings.Replace(r.URL, "Customers", "Orders", 1)
		}
		return endpoint.Do(nil, r)
	}), customers)
	d.do(func() {
		d.query.filter = "slow"
		d.submitQuery()
		d.query.filter = "quick"
		d.submitQuery()
	})
	if d.results.asked.Filter != "quick" || len(d.results.entities) != 0 {
		t.Errorf("%d entities of %q", len(d.results.entities), d.results.asked.Filter)
	}
}

func TestMissingTable(t *testing.T) {
	d := open(t, newEndpoint(), customers)
	wantShown(t, d, "TableNotFound", "The table specified does not exist.")
}

func TestCreateTable(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, Place{})
	d.do(func() { d.openForm("devstoreaccount1") })
	wantShown(t, d, `data-testid="table-name"`, "3 to 63 letters and digits")

	d.do(func() { d.sidebar.form.name = "9"; d.create() })
	wantShown(t, d, "A name begins with a letter.")
	if slices.Contains(endpoint.requests, "POST /table/devstoreaccount1/Tables") {
		t.Error("a bad name was sent")
	}
	d.do(func() { d.sidebar.form.name = "Customers"; d.create() })
	wantShown(t, d, `data-testid="create-error"`, "TableAlreadyExists")

	d.do(func() { d.sidebar.form.name = "Orders"; d.create() })
	wantShown(t, d, "No entities in Orders", `data-table="Orders"`)
	wantHidden(t, d, `data-testid="table-name"`)
	if d.place.Table != "Orders" {
		t.Errorf("at %+v", d.place)
	}
}

func TestDeleteTable(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	d.do(func() { d.onDeleteTable(d.ctx, app.Event{}) })
	wantShown(t, d, "Delete the table Customers?", "cannot be undone", `data-testid="confirm"`)
	d.do(func() { d.answer(false) })
	if len(endpoint.tables) != 1 {
		t.Fatal("the table is gone without a yes")
	}
	d.do(func() { d.onDeleteTable(d.ctx, app.Event{}) })
	d.do(func() { d.answer(true) })
	wantShown(t, d, "Table Customers deleted", "No tables in devstoreaccount1")
	if len(endpoint.tables) != 0 {
		t.Error("the table is still there")
	}
}

func TestDeleteTableRefused(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	endpoint.refuse = "DELETE"
	d.do(func() { d.deleteTable(customers) })
	wantShown(t, d, "InternalError")
}

func TestInsert(t *testing.T) {
	endpoint := filled(2)
	d := open(t, endpoint, customers)
	d.do(func() { d.onNewEntity(d.ctx, app.Event{}) })
	d.do(func() {
		d.panel.draft.PartitionKey, d.panel.draft.RowKey = "p", "a/b"
		d.panel.draft.Set(1, func(p *draft.Property) { p.Name, p.Text = "Name", "Amara" })
		d.save()
	})
	wantShown(t, d, "A RowKey has no /")
	if slices.Contains(endpoint.requests, "POST /table/devstoreaccount1/Customers") {
		t.Error("a bad key was sent")
	}
	d.do(func() { d.panel.draft.RowKey = "00000"; d.save() })
	wantShown(t, d, `data-testid="entity-error"`, "EntityAlreadyExists")
	d.do(func() { d.panel.draft.RowKey = "00000a"; d.save() })
	wantShown(t, d, "Added p / 00000a", "All 3 loaded", "Amara")
	if rowKeys(d.results) != "00000 00000a 00001" || !d.panel.existing || d.panel.changed() {
		t.Errorf("rows %s, panel %+v", rowKeys(d.results), d.panel)
	}
}

func (d *driven) openRow(i int) {
	d.do(func() { d.openEntity(d.results.entities[i].Key(), false) })
}

func (d *driven) setAge(text string) {
	d.panel.draft.Set(1, func(p *draft.Property) { p.Text = text })
}

func TestReplace(t *testing.T) {
	endpoint := filled(2)
	d := open(t, endpoint, customers)
	d.openRow(1)
	d.do(func() { d.setAge("77"); d.save() })
	if age, _ := endpoint.tables["Customers"][1].Property("Age"); !age.Equal(odata.Int32Value(77)) {
		t.Errorf("stored is %+v", age)
	}
	wantShown(t, d, "Saved p / 00001", `<td role="gridcell" class="num">`)
	if age, _ := d.results.entities[1].Property("Age"); !age.Equal(odata.Int32Value(77)) {
		t.Errorf("shown is %+v", age)
	}
}

// change is what somebody else does to the first entity meanwhile.
func change(f *fakeEndpoint) {
	f.write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00000","Age":500}`), true)
}

func TestReplaceConflict(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		endpoint := filled(1)
		d := open(t, endpoint, customers)
		d.openRow(0)
		change(endpoint)
		d.do(func() { d.setAge("77"); d.save() })
		wantShown(t, d, "Changed meanwhile", `data-testid="conflict-reload"`, `data-testid="conflict-overwrite"`)
		want := int32(500)
		if overwrite {
			want = 77
			d.do(func() { d.onOverwrite(d.ctx, app.Event{}) })
		} else {
			d.do(func() { d.onReload(d.ctx, app.Event{}) })
		}
		wantHidden(t, d, "Changed meanwhile")
		stored, _ := endpoint.tables["Customers"][0].Property("Age")
		if !stored.Equal(odata.Int32Value(want)) || d.panel.draft.Properties[0].Text != fmt.Sprint(want) {
			t.Errorf("overwrite %v: stored %+v, shown %q", overwrite, stored, d.panel.draft.Properties[0].Text)
		}
	}
}

// TestReplaceOfDeleted: what was entered is not lost when the entity is gone.
func TestReplaceOfDeleted(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	d.openRow(0)
	endpoint.tables["Customers"] = nil
	d.do(func() { d.setAge("77"); d.save() })
	wantShown(t, d, "ResourceNotFound", "Add entity")
	d.do(d.save)
	if len(endpoint.tables["Customers"]) != 1 {
		t.Error("it was not added again")
	}
}

func TestDeleteAndUndo(t *testing.T) {
	endpoint := filled(2)
	d := open(t, endpoint, customers)
	d.openRow(0)
	d.do(func() { d.onDelete(d.ctx, app.Event{}) })
	wantShown(t, d, "Deleted p / 00000", "Undo", "All 1 loaded")
	d.do(func() { d.actOnToast(d.toasts[len(d.toasts)-1].ID) })
	wantShown(t, d, "Restored p / 00000", "All 2 loaded")
	if len(endpoint.tables["Customers"]) != 2 {
		t.Error("it is not stored again")
	}
}

func TestDeleteConflict(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	d.openRow(0)
	change(endpoint)
	d.do(func() { d.onDelete(d.ctx, app.Event{}) })
	wantShown(t, d, "Changed meanwhile", "Delete anyway")
	d.do(func() { d.onDeleteAnyway(d.ctx, app.Event{}) })
	if len(endpoint.tables["Customers"]) != 0 {
		t.Error("it is still there")
	}
}

func TestUndoRefused(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	d.openRow(0)
	d.do(func() { d.onDelete(d.ctx, app.Event{}) })
	endpoint.refuse = "POST"
	d.do(func() { d.actOnToast(d.toasts[len(d.toasts)-1].ID) })
	wantShown(t, d, "Not restored", "Try again")
	endpoint.refuse = ""
	d.do(func() { d.actOnToast(d.toasts[len(d.toasts)-1].ID) })
	if len(endpoint.tables["Customers"]) != 1 {
		t.Error("it is not stored again")
	}
}

func TestChangesAreNotLostSilently(t *testing.T) {
	d := open(t, filled(2), customers)
	d.openRow(0)
	d.do(func() { d.setAge("77") })
	d.openRow(1)
	wantShown(t, d, "Discard the changes?")
	d.do(func() { d.answer(false) })
	if d.panel.key.RowKey != "00000" || d.panel.draft.Properties[0].Text != "77" {
		t.Error("the changes are gone without a yes")
	}
	d.do(d.escape)
	d.do(func() { d.answer(true) })
	if d.panel.kind != panelNone {
		t.Error("the panel is still open")
	}
}

// TestChangesStayBeside: somebody looks at another table while editing.
func TestChangesStayBeside(t *testing.T) {
	endpoint := filled(1)
	endpoint.tables["Orders"] = nil
	d := open(t, endpoint, customers)
	d.openRow(0)
	d.do(func() { d.setAge("77"); d.goTo(Place{Account: "devstoreaccount1", Table: "Orders"}) })
	wantShown(t, d, "No entities in Orders", "In Customers, not saved")
	d.do(d.save)
	if age, _ := endpoint.tables["Customers"][0].Property("Age"); !age.Equal(odata.Int32Value(77)) {
		t.Errorf("stored is %+v", age)
	}
	wantShown(t, d, "Saved p / 00000", "No entities in Orders")
}

func TestManyTables(t *testing.T) {
	endpoint := newEndpoint()
	for i := range maxListed + 5 {
		endpoint.tables[fmt.Sprintf("T%04d", i)] = nil
	}
	d := open(t, endpoint, Place{})
	wantShown(t, d, "5 more: filter to see them", `data-table="T0299"`)
	d.do(func() { d.sidebar.find = "t0304" })
	wantShown(t, d, `data-table="T0304"`)
	d.do(func() { d.sidebar.find = "x" })
	wantShown(t, d, "No such table")
}

func TestDuplicate(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	d.openRow(0)
	d.do(func() { d.onDuplicate(d.ctx, app.Event{}) })
	wantShown(t, d, "New entity in Customers", `data-testid="entity-rk"`)
	d.do(func() { d.panel.draft.RowKey = "copy"; d.save() })
	if rowKeys(d.results) != "00000 copy" {
		t.Errorf("rows %s", rowKeys(d.results))
	}
}

func TestJSONView(t *testing.T) {
	d := open(t, filled(1), customers)
	d.openRow(0)
	d.do(func() { d.panel.json = true })
	wantShown(t, d, "As a request carries it", "&#34;Age&#34;: 0")
	d.do(func() { d.setAge("x") })
	wantShown(t, d, "There is no JSON yet")
}

func TestConnect(t *testing.T) {
	d := open(t, filled(1), customers)
	d.do(func() { d.onConnect(d.ctx, app.Event{}) })
	wantShown(t, d, "Connect to devstoreaccount1", `data-testid="connection-string"`, "TableEndpoint=x", "refuses account keys")
	d.do(func() { d.onConnect(d.ctx, app.Event{}) })
	wantHidden(t, d, "Connect to devstoreaccount1")
}

func TestConnectFails(t *testing.T) {
	endpoint := filled(1)
	d := open(t, endpoint, customers)
	endpoint.refuse = "GET"
	d.do(func() { d.onConnect(d.ctx, app.Event{}) })
	wantShown(t, d, "InternalError", "Try again")
}

func TestMovingOnClosesTheEntity(t *testing.T) {
	endpoint := filled(1)
	endpoint.tables["Orders"] = nil
	d := open(t, endpoint, customers)
	d.openRow(0)
	d.do(func() { d.goTo(Place{Account: "devstoreaccount1", Table: "Orders"}) })
	wantShown(t, d, "No entities in Orders")
	if d.panel.kind != panelNone || len(d.results.entities) != 0 {
		t.Errorf("%+v", d.panel)
	}
}

// TestPrerender draws the page as the server does, before anything is known.
func TestPrerender(t *testing.T) {
	html := app.HTMLString(&explorer{})
	for _, text := range []string{"Sandtable", "Starting the engine", `aria-label="Accounts and tables"`, "<main"} {
		if !strings.Contains(html, text) {
			t.Errorf("the page before it runs lacks %q", text)
		}
	}
}

func TestGallery(t *testing.T) {
	html := app.HTMLString(&gallery{})
	for _, piece := range exhibits() {
		if !strings.Contains(html, piece.name) {
			t.Errorf("the gallery lacks %s", piece.name)
		}
	}
	if strings.Count(html, `data-theme="light"`) != strings.Count(html, `data-theme="dark"`) {
		t.Error("the themes are not shown side by side")
	}
}
