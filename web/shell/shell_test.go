package shell

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/ui"
)

// driven is a shell without a browser: it starts when go-app pre-renders it,
// goes to routes at once, and does not pause.
type driven struct {
	Shell
	engine app.TestEngine
}

func (d *driven) OnPreRender(ctx app.Context) { d.start(ctx, "http://host/") }

// probe is a page that shows where it is, and what it was told.
type probe struct {
	app.Compo
	page.Props
	told string
}

func (p *probe) Render() app.UI {
	return app.Div().Body(p.Session.Head(), app.P().Text("probe "+p.Route.Page+" of "+p.Route.Account+"/"+p.Route.Table+" "+p.Route.Args+p.told))
}

func probes() []page.Definition {
	var all []page.Definition
	for _, d := range []page.Definition{
		{Name: "tables", Title: "Tables", Scopes: page.Account},
		{Name: "entities", Title: "Entities", Scopes: page.Table},
		{Name: "access", Title: "Access", Scopes: page.Account | page.Table},
		{Name: "export", Title: "Export", Scopes: page.Table, Hidden: true},
		{Name: "import", Title: "Import", Scopes: page.Account | page.Table, Hidden: true, Stays: true},
		{Name: "requests", Title: "Requests", Icon: ui.IconPlug, Scopes: page.Store},
		{Name: "playground", Title: "Playground", Scopes: page.Store, Under: func(r page.Route) string {
			if r.Arg("lesson") != "" {
				return "requests"
			}
			return ""
		}},
		{Name: "storage", Title: "Storage", Scopes: page.Store, Hidden: true},
		{Name: "connect", Title: "Connect", Scopes: page.Account | page.Table, Hidden: true},
	} {
		d.New = func(p page.Props) app.Composer { return &probe{Props: p} }
		all = append(all, d)
	}
	return all
}

// open starts a shell on an endpoint, at a route.
func open(t *testing.T, transport client.Transport, r page.Route) *driven {
	t.Helper()
	d := &driven{engine: app.NewTestEngine()}
	d.pages, d.transport, d.host, d.route = probes(), transport, &fakeHost{controlled: true}, r
	d.navigate = func(r page.Route) { d.follow(r) }
	if err := d.engine.Load(d); err != nil {
		t.Fatal(err)
	}
	d.engine.ConsumeAll()
	return d
}

// do acts on the shell as a handler would, and waits for all that follows.
func (d *driven) do(act func()) {
	d.ctx.Dispatch(func(app.Context) { act() })
	d.engine.ConsumeAll()
}

func wantShown(t *testing.T, d *driven, texts ...string) {
	t.Helper()
	d.do(func() {})
	html := app.HTMLString(d)
	for _, text := range texts {
		if !strings.Contains(html, text) {
			t.Errorf("the shell does not show %q", text)
		}
	}
}

func wantHidden(t *testing.T, d *driven, texts ...string) {
	t.Helper()
	d.do(func() {})
	html := app.HTMLString(d)
	for _, text := range texts {
		if strings.Contains(html, text) {
			t.Errorf("the shell shows %q", text)
		}
	}
}

var customers = page.Route{Account: pagetest.Account, Table: "Customers"}

func TestStart(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	wantShown(t, d, "Saved in this browser", "No tables yet", "probe  of devstoreaccount1/")
}

// TestPagesOfNoAccount: an old link names an account that was deleted.
func TestPagesOfNoAccount(t *testing.T) {
	for _, r := range []page.Route{{Account: "gone"}, {Account: "gone", Page: "access"}, {Account: "gone", Table: "Customers"}} {
		d := open(t, pagetest.NewEndpoint(), r)
		wantShown(t, d, "No such account", "This browser has no account “gone”.", "Go to the tables")
		wantHidden(t, d, "probe")
	}
}

// TestPagesOfNoTable: the table was deleted elsewhere, or an old link names it.
func TestPagesOfNoTable(t *testing.T) {
	deleted := []control.Change{{Kind: "tableDeleted", Account: pagetest.Account, Table: "Customers"}}
	const gone = "There is no table Customers"
	for _, r := range []page.Route{customers, customers.At("access"), customers.At("nonsense")} {
		d := open(t, pagetest.NewEndpoint(), r)
		wantShown(t, d, gone, "Go to the tables", `href="?account=devstoreaccount1"`)
		wantHidden(t, d, "probe")
	}
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, page.Route{Account: pagetest.Account, Table: "customers"})
	wantShown(t, d, "probe  of devstoreaccount1/customers") // names ignore case
	d.do(func() { d.Navigate(customers) })
	delete(endpoint.Tables, "Customers")
	d.do(func() { d.changed(deleted) })
	wantShown(t, d, gone)
	wantHidden(t, d, "probe")
	endpoint.Tables["Customers"] = nil
	d.do(func() {
		d.changed([]control.Change{{Kind: "tableCreated", Account: pagetest.Account, Table: "Customers"}})
	})
	wantShown(t, d, "probe  of devstoreaccount1/Customers")
	wantHidden(t, d, gone)
}

// TestUnsavedChangesOfADeletedTable stay on screen until the user discards them.
func TestUnsavedChangesOfADeletedTable(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, customers)
	unsaved := true
	d.Guard(func() bool { return unsaved })
	delete(endpoint.Tables, "Customers")
	d.do(d.refreshCatalog)
	wantShown(t, d, "probe", `data-testid="banner"`, "There is no table Customers", "Go to the tables")
	unsaved = false
	wantShown(t, d, "There is no table Customers")
	wantHidden(t, d, "probe", `data-testid="banner"`)
}

// TestImportOfADeletedTable keeps its file or report on screen.
func TestImportOfADeletedTable(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, customers.At("import"))
	delete(endpoint.Tables, "Customers")
	d.do(d.refreshCatalog)
	wantShown(t, d, "probe import", `data-testid="banner"`, "There is no table Customers any more", "Go to the tables")
}

// TestTableThatIsNotListedYet: its page is shown while the list is read again.
func TestTableThatIsNotListedYet(t *testing.T) {
	endpoint := pagetest.Filled(1)
	d := open(t, endpoint, page.Route{Account: pagetest.Account})
	endpoint.Tables["Orders"] = nil
	d.do(func() {
		d.Navigate(page.Route{Account: pagetest.Account, Table: "Orders"})
		if d.missingTable() {
			t.Error("the page goes by an old list")
		}
	})
	wantShown(t, d, "probe  of devstoreaccount1/Orders")
}

func TestStartFails(t *testing.T) {
	answers := false
	endpoint := pagetest.NewEndpoint()
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if !answers {
			return client.Response{}, client.ErrNoAnswer
		}
		return endpoint.Do(context.Background(), r)
	}), page.Route{})
	wantShown(t, d, "Not answering", "Try again")
	answers = true
	d.do(func() { d.onRestart(d.ctx, app.Event{}) })
	wantShown(t, d, "Saved in this browser")
}

func TestTabs(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	wantShown(t, d, `data-testid="tab-entities"`, `data-testid="tab-access"`, `data-testid="entry-requests"`, "probe  of devstoreaccount1/Customers")
	wantHidden(t, d, `data-testid="tab-tables"`, `data-testid="tab-requests"`, `data-testid="entry-storage"`)
	d.do(func() { d.Navigate(customers.At("access")) })
	wantShown(t, d, "probe access of devstoreaccount1/Customers")
	d.do(func() { d.Navigate(page.Route{Page: "requests"}) })
	wantShown(t, d, "probe requests of /")
}

// TestPageUnderAnother: title and sidebar name the page that a route belongs to.
func TestPageUnderAnother(t *testing.T) {
	d := open(t, pagetest.Filled(1), page.Route{Page: "playground"})
	for args, want := range map[string]string{"": "Playground · Sandtable", "1": "Requests · Sandtable"} {
		d.do(func() { d.Navigate(page.Route{Page: "playground"}.With("lesson", args)) })
		if got := d.title(); got != want {
			t.Errorf("lesson %q: title %q, want %q", args, got, want)
		}
	}
}

func TestUnknownPage(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers.At("nonsense"))
	wantShown(t, d, "No such page")
}

func TestArgumentsReachThePage(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	d.do(func() { d.Navigate(customers.With("filter", "x")) })
	wantShown(t, d, "filter=x")
	d.do(func() { d.Replace(customers.With("filter", "y")) })
	wantShown(t, d, "filter=y")
}

func TestLeavingAsksAboutChanges(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	unsaved := true
	d.Guard(func() bool { return unsaved })
	d.do(func() { d.Navigate(customers.At("access")) })
	wantShown(t, d, "Discard the changes?", "probe  of devstoreaccount1/Customers")
	d.do(func() { d.answer(false) })
	wantShown(t, d, "probe  of devstoreaccount1/Customers")
	d.do(func() { d.Navigate(customers.With("filter", "x")) }) // the same page
	wantHidden(t, d, "Discard the changes?")
	d.do(func() { d.Navigate(customers.At("access")) })
	d.do(func() { d.answer(true) })
	wantShown(t, d, "probe access of devstoreaccount1/Customers")
}

// TestBackClosesTheQuestion: a user who goes back to the page while it asks stays there.
func TestBackClosesTheQuestion(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	d.Guard(func() bool { return true })
	d.do(func() { d.Navigate(customers.At("access")) })
	wantShown(t, d, "Discard the changes?")
	d.do(func() { d.follow(customers) })
	wantHidden(t, d, "Discard the changes?")
	d.do(func() { d.answer(true) })
	wantShown(t, d, "probe  of devstoreaccount1/Customers")
}

// TestLeavingClosesTheQuestion: back leaves no question about another page.
func TestLeavingClosesTheQuestion(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	d.do(func() { d.Ask(ui.Question{Title: "Delete it?"}, func() { t.Error("deleted") }) })
	d.do(func() { d.Navigate(customers.With("filter", "x")) }) // the same page
	wantShown(t, d, "Delete it?")
	d.do(func() { d.Navigate(customers.At("access")) })
	wantHidden(t, d, "Delete it?")
	d.do(func() { d.answer(true) })
}

func TestManyTables(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	for i := range maxListed + 5 {
		endpoint.Tables[fmt.Sprintf("T%04d", i)] = nil
	}
	d := open(t, endpoint, page.Route{})
	wantShown(t, d, "5 more: filter to see them", `data-table="T0299"`)
	d.do(func() { d.Navigate(page.Route{Account: pagetest.Account, Table: "T0303"}) })
	wantShown(t, d, "4 more: filter to see them", `data-table="T0303"`) // the current one is always listed
	d.do(func() { d.Navigate(page.Route{}) })
	d.do(func() { d.sidebar.find = "t0304" })
	wantShown(t, d, `data-table="T0304"`)
	d.do(func() { d.sidebar.find = "x" })
	wantShown(t, d, "No such table")
}

func TestKeysReachTheLastPageFirst(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	var got []string
	note := func(name string) func() { return func() { got = append(got, name) } }
	d.Keys(func(page.Key) func() { return note("first") })
	release := d.Keys(func(k page.Key) func() {
		if k.Name == "F5" {
			return note("last")
		}
		return nil
	})
	d.actOf(page.Key{Name: "F5"})()
	d.actOf(page.Key{Name: "Escape"})()
	release()
	d.actOf(page.Key{Name: "F5"})()
	if !slices.Equal(got, []string{"last", "first", "first"}) {
		t.Errorf("handled by %q", got)
	}
}

func TestPaletteCountsWhatItLeavesOut(t *testing.T) {
	endpoint := pagetest.Filled(3)
	for i := range maxEntries + 2 {
		endpoint.Tables["Orders"+strconv.Itoa(i)] = nil
	}
	d := open(t, endpoint, page.Route{})
	d.do(d.togglePalette)
	d.do(func() { d.palette.text = "orders" })
	wantShown(t, d, "and 2 more")
	d.do(func() { d.palette.text = "orders1" })
	wantHidden(t, d, " more<")
}

func TestPalette(t *testing.T) {
	endpoint := pagetest.Filled(3)
	endpoint.Tables["Orders"] = nil
	d := open(t, endpoint, page.Route{})
	ran := 0
	d.Commands(func() []page.Command {
		return []page.Command{{Title: "Export the rows", Run: func() { ran++ }}}
	})
	d.do(d.togglePalette)
	wantShown(t, d, `role="combobox"`, "Orders", "Export the rows", "New account")
	d.do(func() { d.palette.text = "ord" })
	wantShown(t, d, "<mark>", "ers")
	wantHidden(t, d, "Export the rows")
	d.do(func() { d.palette.text = "> EXPORT" })
	d.do(func() { d.runEntry(0) })
	if ran != 1 || d.palette.open {
		t.Errorf("run %d times, open %v", ran, d.palette.open)
	}
	d.do(d.togglePalette)
	d.do(func() { d.Navigate(customers); d.palette.text = "> go to tables"; d.runEntry(0) })
	if want := (page.Route{Account: customers.Account, Page: "tables"}); d.route != want {
		t.Errorf("from a table the palette went to %+v, want %+v", d.route, want)
	}
	d.do(func() { d.palette.text = "cust"; d.runEntry(0) })
	wantShown(t, d, "probe  of devstoreaccount1/Customers")
}

func TestDroppedFilesAreImported(t *testing.T) {
	d := open(t, pagetest.Filled(1), page.Route{Account: pagetest.Account, Table: "Customers"})
	wantHidden(t, d, "Drop here")
	d.do(func() { d.dragged = true })
	wantShown(t, d, "Drop here to import into Customers")
	d.do(func() { d.dragged = false })
	wantHidden(t, d, "Drop here")
	d.do(func() {
		d.drop([]browser.File{browser.FileOf("a.csv", []byte("x")), browser.FileOf("b.csv", []byte("y"))})
	})
	if want := (page.Route{Account: pagetest.Account, Table: "Customers", Page: importPage}); d.route != want {
		t.Errorf("at %+v, want %+v", d.route, want)
	}
	if files := d.Dropped(); len(files) != 2 || files[0].Name != "a.csv" || files[1].Name != "b.csv" {
		t.Errorf("the page is offered %v", files)
	}
	if again := d.Dropped(); again != nil {
		t.Errorf("and then %v", again)
	}
}

// TestRowsReachOnlyTheExportTheyAreFor: a link opened in another tab hands over rows
// that no page of this one takes.
func TestRowsReachOnlyTheExportTheyAreFor(t *testing.T) {
	goToExport := func(d *driven) {
		d.do(d.togglePalette)
		d.do(func() { d.palette.text = "> go to export"; d.runEntry(0) })
	}
	for name, test := range map[string]struct {
		then func(*driven)
		want int
	}{
		"the export is opened":           {func(d *driven) { d.Navigate(customers.At("export")) }, 1},
		"another page was opened before": {func(d *driven) { d.Navigate(customers.At("access")); d.Navigate(customers.At("export")) }, 0},
		"from the palette":               {goToExport, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Filled(1), customers)
			d.Select(page.Selection{Entities: make([]client.Entity, 1)})
			test.then(d)
			if got := len(d.Selected().Entities); d.route != customers.At("export") || got != test.want {
				t.Errorf("%d rows at %+v, want %d", got, d.route, test.want)
			}
		})
	}
}
