package transfer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
	"sandtable/web/tabular"
)

var route = page.Route{Account: pagetest.Account, Table: "Customers", Page: "import"}

// saved is a file that a page offered.
type saved struct{ name, text string }

// driver is an import page under test.
type driver struct {
	*pagetest.Driver[*Import]
	service *endpoint
	files   []saved
}

func open(t *testing.T, entities int, r page.Route) *driver {
	t.Helper()
	d := &driver{service: &endpoint{Endpoint: pagetest.Filled(entities)}}
	started := desk{}
	d.Driver = pagetest.Open(t, d.service, r, func(p page.Props) *Import {
		return &Import{Props: p, desk: started, save: func(name, _ string, data []byte) { d.files = append(d.files, saved{name, string(data)}) }}
	})
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of([]client.Table{{Name: "Customers", Entities: entities}})}
	return d
}

func (d *driver) choose(name, text string) {
	d.Do(func() { d.Page.open(browser.FileOf(name, []byte(text)), tabular.Detect) })
}

func (d *driver) press(h app.EventHandler) { d.Do(func() { h(d.Context(), app.Event{}) }) }

// rows returns a CSV file with n rows of the partition p.
func rows(n int) string {
	var b strings.Builder
	b.WriteString("PartitionKey,RowKey,Age,Age@type\n")
	for i := range n {
		fmt.Fprintf(&b, "p,%05d,%d,Int32\n", i, i)
	}
	return b.String()
}

// TestImportIntoAConnectedAccount reads no keys to count what exists: requests may cost money.
func TestImportIntoAConnectedAccount(t *testing.T) {
	d := open(t, 3, route)
	d.Remotes = map[string]client.Remote{pagetest.Account: {Account: pagetest.Account, Endpoint: "http://host/table/" + pagetest.Account}}
	d.Do(func() {})
	d.Shows("rows are sent to http://host/table/")
	before := len(d.service.Requests)
	d.choose("a.csv", rows(5))
	d.Shows("Import 5 entities", "those that exist are merged")
	if sent := d.service.Requests[before:]; len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestImport(t *testing.T) {
	d := open(t, 3, route)
	d.Shows("Import into Customers", "Drop files on this page", "nothing is written yet")
	d.choose("a.csv", rows(250))
	d.Shows("Import a.csv into Customers", "250 rows", "0 to 249", "Import 250 entities", "3 transactions", "3 exist and are merged, 247 are new")
	if len(d.service.Tables["Customers"]) != 3 {
		t.Fatal("the dry run has written")
	}
	d.press(d.Page.onStart)
	d.Shows("Imported a.csv into Customers", "Imported 250 entities", "Open Customers")
	d.Hides("Download the report")
	if r := d.Page.run(); r.source != nil || r.job != nil || d.Page.source != nil || d.Page.plan.Rows != nil {
		t.Error("the rows stay in memory after the import")
	}
	if n := len(d.service.Tables["Customers"]); n != 250 || !slices.Equal(d.Changed, []string{route.Account}) {
		t.Errorf("%d entities, changes to %q", n, d.Changed)
	}
	if !slices.Contains(d.service.Requests, "POST /_sandtable/accounts/devstoreaccount1/snapshots") {
		t.Errorf("no snapshot was taken before the import: %q", d.service.Requests)
	}
	if len(d.Offers) > 0 {
		t.Error("a message about what the page shows")
	}
}

func TestImportNamesBrokenRows(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", "PartitionKey,RowKey,D,D@type\np,1,1.5,Double\np,2,\"1,5\",Double\np,3,<b>x</b>\np,a/b,2,Double\np,1,3,Double\n")
	d.Shows("Import 1 entity", " problems", "decimal comma", "the same keys as line 2", "OutOfRangeInput", "Download the 4 rows")
	d.Hides("<b>x</b>")
	d.press(d.Page.onDownloadProblems)
	want := saved{"a-problems.csv", "PartitionKey,RowKey,D,D@type\np,2,\"1,5\",Double\np,3,<b>x</b>\np,a/b,2,Double\np,1,3,Double\n"}
	if len(d.files) != 1 || d.files[0] != want {
		t.Errorf("got %q, want %q", d.files, want)
	}
	d.press(d.Page.onStart)
	d.Shows("Imported 1 entity into Customers, skipped 4", "Download the 4 rows not imported")
	d.press(d.Page.onDownloadReport)
	if report := d.files[1].text; !strings.Contains(report, "3,skipped,D,decimal comma,") {
		t.Errorf("the report is %s", report)
	}
}

// TestImportCountsSkippedRows: a row with two problems is one row.
func TestImportCountsSkippedRows(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", "PartitionKey,RowKey,D,D@type,B,B@type\np,1,1.5,Double,true,Boolean\np,2,x,Double,maybe,Boolean\n")
	d.Shows("Download the 1 row", "line 3")
	d.press(d.Page.onStart)
	d.Shows("Imported 1 entity into Customers, skipped 1")
}

// TestImportNamesRows: in a file whose rows share a line, the problems name the row.
func TestImportNamesRows(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.json", `[{"PartitionKey":"p","RowKey":"1"},{"PartitionKey":"p","RowKey":"2","List":[]}]`)
	d.Shows("Download the 1 row", "row 2")
	d.Hides("line 2")
	d.press(d.Page.onStart)
	d.Shows("skipped 1", "row 2")
}

func TestImportReportsRefusedRows(t *testing.T) {
	d := open(t, 0, route)
	d.service.refused = "00007"
	d.choose("a.csv", rows(20))
	d.press(d.Page.onStart)
	d.Shows("Imported 19 entities into Customers, skipped 1", "EntityAlreadyExists", "p / 00007", "Download the 1 row not imported")
	d.press(d.Page.onDownloadRest)
	if got := d.files[0]; got.name != "a-not-imported.csv" || got.text != "PartitionKey,RowKey,Age,Age@type\np,00007,7,Int32\n" {
		t.Errorf("got %q", got)
	}
}

// TestImportWithoutASnapshot: the report says that the import cannot be taken back.
func TestImportWithoutASnapshot(t *testing.T) {
	for _, full := range []bool{true, false} {
		d := open(t, 0, route)
		d.service.full = full
		d.choose("a.csv", rows(20))
		d.press(d.Page.onStart)
		d.Shows("Imported 20 entities into Customers")
		if says := strings.Contains(d.HTML(), "There is no snapshot of the account before this import: TooManySnapshots: The account has 32 snapshots."); says != full {
			t.Errorf("an account full of snapshots: %t; the report says so: %t", full, says)
		}
	}
}

func TestImportCancelled(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", rows(1000))
	started := make(chan *run, 1)
	d.service.before = func() {
		r := <-started
		r.cancel()
		started <- r
	}
	d.Do(func() {
		d.Page.onStart(d.Context(), app.Event{})
		started <- d.Page.run()
	})
	report := (<-started).report
	if n := len(d.service.Tables["Customers"]); n == 0 || n == 1000 || n != len(report.Written) || n+len(report.Left) != 1000 {
		t.Fatalf("%d entities, %d written, %d left", n, len(report.Written), len(report.Left))
	}
	d.Shows("Import of a.csv cancelled", "were not sent", fmt.Sprintf("Import the %d left", len(report.Left)))
	d.service.before = nil
	d.press(d.Page.onRest)
	if n := len(d.service.Tables["Customers"]); n != 1000 {
		t.Errorf("%d entities after the rest", n)
	}
	d.Hides("left</button>")
}

func TestImportStopsWhenStorageIsFull(t *testing.T) {
	d := open(t, 0, route)
	d.service.answer = func() *client.Response {
		return &client.Response{Status: 507, Body: payload.AppendError(nil, "InsufficientStorage", "The browser's storage is full.")}
	}
	d.choose("a.csv", rows(10))
	d.press(d.Page.onStart)
	d.Shows("Import of a.csv stopped", "InsufficientStorage", "Import the 10 left")
}

func TestImportIntoADeletedTable(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", rows(10))
	d.service.answer = func() *client.Response {
		return &client.Response{Status: 404, Body: payload.AppendError(nil, client.CodeTableNotFound, "The table specified does not exist.")}
	}
	d.press(d.Page.onStart)
	d.Shows("Import of a.csv stopped", "TableNotFound", "import the whole file")
	d.Hides("What is written stays")
}

func TestImportGoesOnInTheBackground(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", rows(300))
	left := make(chan struct{})
	d.service.before = func() { <-left }
	d.Do(func() {
		d.Page.onStart(d.Context(), app.Event{})
		d.Page.close()
		d.Context().Defer(func(app.Context) { close(left) })
	})
	d.Notified("Imported 300 entities into Customers")
	if d.Route.Page != "" || len(d.service.Tables["Customers"]) != 300 {
		t.Errorf("at %v, %d entities", d.Route, len(d.service.Tables["Customers"]))
	}
	d.Accept()
	d.Do(func() {})
	d.Shows("Imported a.csv into Customers")
}

func TestImportChecksAgain(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", "Region,No,Age\nEU,1,5\nUS,2,x\n")
	d.Shows("no column becomes the PartitionKey", "Import 0 entities", "Fill in missing keys")
	d.Do(func() {
		d.Page.source.Assign(0, odata.PartitionKeyName)
		d.Page.source.Assign(1, odata.RowKeyName)
		d.Page.check()
	})
	d.Shows("Import 2 entities", "2 values")
	d.Do(func() { d.Page.source.Columns[2].Type = odata.EdmInt32; d.Page.check() })
	d.Shows("Import 1 entity", "1 problem")
}

func TestImportFillsKeys(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", "Name\nAnna\nBen\n")
	d.press(d.Page.onFillKeys)
	d.Shows("Import 2 entities")
	if e := d.Page.plan.Rows[1].Entity; e.RowKey != "000000003" {
		t.Errorf("the RowKey is %q", e.RowKey)
	}
}

func TestImportOfAnotherEncoding(t *testing.T) {
	d := open(t, 0, route)
	d.choose("a.csv", "PartitionKey,RowKey,Name\np,1,J\xf6rg M\xf6ller\n")
	d.Shows("a.csv is not UTF-8", "byte 0xF6 at line 2, column 6", "Jörg Möller", "J\ufffdrg M\ufffdller", "not possible", "Use Windows-1252")
	d.press(d.Page.onUseEncoding)
	d.Shows("Import 1 entity", "Windows-1252")
	if v, _ := d.Page.plan.Rows[0].Entity.Property("Name"); v.Text() != "Jörg Möller" {
		t.Errorf("the name is %q", v.Text())
	}
}

func TestImportRefusesFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "The file is empty."},
		{"a.csv", strings.Repeat(" ", tabular.MaxSize+1), "Split it and import the parts."},
		{"a.jsonl", `{"@sandtable":"store"}`, "load it on the Storage page"},
		{"<img src=x onerror=alert(1)>.csv", "A,A\n", "&lt;img src=x"},
	} {
		d := open(t, 0, route)
		d.choose(c.name, c.text)
		d.Shows(c.want, "Choose another file")
	}
}

func TestImportIntoANewTable(t *testing.T) {
	d := open(t, 3, page.Route{Account: pagetest.Account, Page: "import"})
	delete(d.service.Tables, "Customers")
	d.choose("customers.csv", rows(10))
	d.Shows("This table exists", "those that exist are merged")
	d.Hides("all are new")
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{}
	d.choose("customers.csv", rows(10))
	d.Hides("all are new")
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of([]client.Table{})}
	d.choose("customers 2026.csv", rows(10))
	d.Shows("customers2026", "all are new")
	d.Do(func() { d.Page.table = "no" })
	d.Shows("a name has 3 to 63")
	d.Do(func() { d.Page.table = "Customers" })
	d.press(d.Page.onStart)
	d.Shows("Imported 10 entities into Customers")
	if len(d.service.Tables["Customers"]) != 10 {
		t.Errorf("tables %v", d.service.Tables)
	}
}

func TestImportTakesDroppedFiles(t *testing.T) {
	d := open(t, 0, route)
	d.Files = []browser.File{browser.FileOf("a.csv", []byte(rows(3)))}
	d.Do(func() {})
	d.Shows("Import 3 entities")
}

// TestImportPlanStops: a plan says how far it is, and ends when the page is left or another
// file is chosen.
func TestImportPlanStops(t *testing.T) {
	d := open(t, 0, route)
	d.Page.file.Name = "a.csv"
	d.Do(func() {
		d.Page.progress = &atomic.Pointer[tabular.Progress]{}
		d.Page.progress.Store(&tabular.Progress{Doing: "Checking", Rows: 12500, Fraction: 0.25})
	})
	d.Shows("Checking a.csv…", "12,500 rows", `aria-valuenow="25"`)
	for name, end := range map[string]func(){
		"left":         d.Page.OnDismount,
		"another file": func() { d.Page.open(browser.FileOf("b.csv", []byte(rows(1))), tabular.Detect) },
	} {
		stopped := make(chan error, 1)
		d.Do(func() {
			d.Page.prepare(func(step tabular.Step) func() {
				var err error
				for err == nil {
					err = step(tabular.Progress{})
					runtime.Gosched()
				}
				stopped <- err
				return func() { t.Errorf("%s: the plan counts", name) }
			})
			end()
		})
		if err := <-stopped; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImportWithoutKeys: what is missing stands above the columns.
func TestImportWithoutKeys(t *testing.T) {
	d := open(t, 0, route)
	d.Files = []browser.File{browser.FileOf("a.csv", []byte("Name,Age\nAda,36\n"))}
	d.Do(func() {})
	d.Shows("No column becomes the PartitionKey.", "no row can be imported yet")
	d.Hides("valid", "all are new")
	if html := d.HTML(); strings.Index(html, "No column becomes") > strings.Index(html, `data-testid="fill-keys"`) {
		t.Error("what is missing stands below the columns")
	}
	d.press(d.Page.onFillKeys)
	d.Shows("valid", "Import 1 entity")
	d.Hides("No column becomes")
}

func TestTableName(t *testing.T) {
	for file, want := range map[string]string{"customers.csv": "customers", "2026 orders.json": "T2026orders", "ü.csv": "T11", ".csv": "csv", "a": "a11"} {
		if got := tableName(file); got != want || odata.CheckTableName(got) != nil {
			t.Errorf("%q becomes %q, want %q", file, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	partitions := []partition{{transactions: 2}, {transactions: 4}, {transactions: 1}}
	parts, complete := fill(partitions, 3)
	if fmt.Sprint(parts) != "[1 0.25 0]" || complete != 1 {
		t.Errorf("%v, %d complete", parts, complete)
	}
}
