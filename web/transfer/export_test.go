package transfer

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
	"sandtable/web/tabular"
)

// file is an output that keeps what is saved.
type file struct {
	bytes.Buffer
	name string
}

func (f *file) Save(name, _ string) { f.name = name }

func openExport(t *testing.T, transport client.Transport, args string) (*pagetest.Driver[*Export], *file) {
	t.Helper()
	return openWith(t, transport, args, page.Selection{})
}

// openWith opens the page with rows that were selected before.
func openWith(t *testing.T, transport client.Transport, args string, rows page.Selection) (*pagetest.Driver[*Export], *file) {
	t.Helper()
	out := &file{}
	r := page.Route{Account: pagetest.Account, Table: "Customers", Page: "export", Args: args}
	d := pagetest.Open(t, transport, r, func(p page.Props) *Export {
		p.Session.Select(rows)
		return &Export{Props: p, newOutput: func() output { return out }}
	})
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of([]client.Table{{Name: "Customers", Entities: 250}})}
	d.Do(func() {})
	return d, out
}

func TestExport(t *testing.T) {
	endpoint := pagetest.Filled(250)
	last := endpoint.Tables["Customers"][249]
	last.Properties = append(last.Properties, odata.Property{Name: "Last", Value: odata.StringValue("x")})
	d, out := openExport(t, endpoint, "")
	d.Shows("Export from Customers", "Export 250 entities", "PartitionKey,RowKey,Timestamp,Age,Age@type", "p,00000,", "customers", "about 1")
	d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
	d.Notified("Exported 250 entities to customers.csv")
	if d.Route.Page != "" || out.name != "customers.csv" {
		t.Errorf("at %v, saved %q", d.Route, out.name)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\r\n")
	if len(lines) != 251 || lines[0] != "PartitionKey,RowKey,Timestamp,Age,Age@type,Last,Last@type" || !strings.HasSuffix(lines[250], "249,Int32,x,String") {
		t.Errorf("%d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	s, err := tabular.Open("a.csv", out.Bytes(), tabular.Options{})
	if err != nil || s.Rows() != 250 {
		t.Errorf("read back: %v", err)
	}
}

// TestExportOfAChangingTable: every property of what is written has a column, or nothing
// is saved.
func TestExportOfAChangingTable(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d, out := openExport(t, endpoint, "")
	last := endpoint.Tables["Customers"][2]
	grow := func(name string) {
		last.Properties = append(last.Properties, odata.Property{Name: name, Value: odata.StringValue("x")})
	}
	grow("AfterTheSample")
	d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
	if !strings.Contains(out.String(), ",AfterTheSample,") {
		t.Errorf("saved %s", out)
	}

	d, out = openExport(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if d != nil && d.Page.writing != nil {
			if phase, _, _, _ := d.Page.writing.state(); phase == "Writing" {
				grow("AfterTheColumns")
			}
		}
		return endpoint.Do(t.Context(), r)
	}), "")
	d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
	d.Shows("“AfterTheColumns” became a property of the table", "Nothing was exported.")
	if out.name != "" {
		t.Errorf("saved %q", out.name)
	}
}

func TestExportOptions(t *testing.T) {
	d, out := openExport(t, pagetest.Filled(3), "filter=Age+ge+1&select=Age")
	d.Shows("This query", "Age ge 1", "1 shown")
	d.Do(func() {
		d.Page.options = options{Format: rowfile.JSONLines}
		d.Page.name = "mine"
	})
	d.Shows(`{&#34;PartitionKey&#34;:&#34;p&#34;`, ".jsonl")
	if !d.IsHidden("<b>Delimiter") {
		t.Error("JSON Lines have a delimiter")
	}
	d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
	if out.name != "mine.jsonl" || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%s: %s", out.name, out)
	}
}

func TestExportOfSelectedRows(t *testing.T) {
	entity := func(row string, properties ...odata.Property) client.Entity {
		return client.Entity{Entity: &odata.Entity{PartitionKey: "p", RowKey: row, Timestamp: odata.MinDateTime, Properties: properties}}
	}
	age, name := odata.Property{Name: "Age", Value: odata.Int32Value(5)}, odata.Property{Name: "Name", Value: odata.StringValue("")}
	rows := page.Selection{Account: pagetest.Account, Table: "Customers", Entities: []client.Entity{entity("1", age), entity("2", name)}}
	partial := rows
	partial.Partial, partial.Missing = true, 3
	oneMissing := rows
	oneMissing.Missing = 1
	many := rows
	many.Entities = slices.Repeat(rows.Entities[:1], sampleSize)
	many.Entities = append(many.Entities, rows.Entities[1])
	other := rows
	other.Table = "Orders"
	const timed, plain = "PartitionKey,RowKey,Timestamp,Age,Age@type,Name,Name@type", "PartitionKey,RowKey,Age,Age@type,Name,Name@type"
	for _, test := range []struct {
		name   string
		rows   page.Selection
		shows  []string
		header string
		lines  int
	}{
		{"whole rows", rows, []string{"Export 2 entities", "in the order of the grid", `data-testid="option-timestamp"`}, timed, 3},
		{"partial rows", partial, []string{"3 more are no longer in memory", "without Timestamp"}, plain, 3},
		{"all but one row", oneMissing, []string{"1 more is no longer in memory"}, timed, 3},
		{"a column of the last row", many, []string{"Export 1,001 entities"}, timed, 1002},
		{"no row in memory", page.Selection{Account: pagetest.Account, Table: "Customers", Missing: 7}, []string{"7 more are no longer in memory", "Export 250 entities"}, "PartitionKey,RowKey,Timestamp,Age,Age@type", 251},
		{"rows of another table", other, []string{"select rows of the grid first", "Export 250 entities"}, "PartitionKey,RowKey,Timestamp,Age,Age@type", 251},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, out := openWith(t, pagetest.Filled(250), "", test.rows)
			d.Do(func() { d.Page.options = options{Types: true, Timestamp: true, Delimiter: ','} })
			d.Shows(test.shows...)
			d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
			lines := strings.Split(strings.TrimSpace(out.String()), "\r\n")
			if len(lines) != test.lines || lines[0] != test.header {
				t.Errorf("%d lines, the first is %s", len(lines), lines[0])
			}
		})
	}
}

// TestMatchingEntitiesAreCounted: the button says how many, also beyond the sample.
func TestMatchingEntitiesAreCounted(t *testing.T) {
	d, _ := openExport(t, pagetest.Filled(2500), "filter=Age%20ge%200")
	d.Do(func() {})
	d.Shows("Export 2,500 entities", "about ")
	d.Do(func() { d.Page.source = fromTable; d.Page.read() })
	d.Shows("Export 250 entities", "2,500")
}

func TestExportFails(t *testing.T) {
	endpoint := pagetest.Filled(250)
	d, out := openExport(t, endpoint, "")
	endpoint.Refuse = "GET"
	d.Do(func() { d.Page.onExport(d.Context(), app.Event{}) })
	d.Shows("InternalError", "Nothing was exported.")
	if out.name != "" || d.Page.writing != nil {
		t.Error("a file was saved")
	}
}

func TestSampleIsReadAgain(t *testing.T) {
	endpoint := pagetest.Filled(3)
	endpoint.Refuse = "GET"
	d, _ := openExport(t, endpoint, "")
	d.Shows("InternalError", "Try again")
	endpoint.Refuse = ""
	d.Do(func() { d.Page.onAgain(d.Context(), app.Event{}) })
	d.Shows("Export 3 entities")
}

func TestExportStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pagetest.Slow{Transport: pagetest.Filled(250)}
		d, out := openExport(t, slow, "")
		d.Do(func() {
			slow.During(func() { d.Page.onExport(d.Context(), app.Event{}) })
			d.Page.stop()
		})
		if out.name != "" || len(d.Notices) > 0 {
			t.Errorf("saved %q, said %q", out.name, d.Notices)
		}
		d.Shows("Export 250 entities")
		d.Do(func() {
			slow.During(func() { d.Page.onExport(d.Context(), app.Event{}) })
			d.Page.close()
		})
		if out.name != "" {
			t.Errorf("saved %q after the page was left", out.name)
		}
		d.Notified("The export was stopped. No file was saved.")
	})
}

// TestOptionsChangedDuringAnExport: the file has the name of what is in it.
func TestOptionsChangedDuringAnExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pagetest.Slow{Transport: pagetest.Filled(3)}
		d, out := openExport(t, slow, "")
		d.Do(func() {
			slow.During(func() { d.Page.onExport(d.Context(), app.Event{}) })
			d.Page.options.Format = rowfile.JSONLines
		})
		if out.name != "customers.csv" || !strings.HasPrefix(out.String(), "PartitionKey,RowKey") {
			t.Errorf("%s has %s", out.name, out)
		}
		d.Notified("Exported 3 entities to customers.csv")
	})
}

// TestCopiedFileHasNoMark: the byte order mark is for files. In a text that is pasted, it
// would be part of the first name.
func TestCopiedFileHasNoMark(t *testing.T) {
	d, _ := openExport(t, pagetest.Filled(1), "")
	d.Do(func() { d.Page.options.Mark = true })
	out := &buffer{}
	d.Do(func() { d.Page.write(out, func(error) {}, func(int) {}) })
	if !strings.HasPrefix(out.String(), "\ufeffPartitionKey") || !strings.HasPrefix(out.text(), "PartitionKey,RowKey") {
		t.Errorf("the file is %q, the text %q", out, out.text())
	}
}

func TestSelectedColumns(t *testing.T) {
	p := &Export{Props: page.Props{Route: page.Route{}.With(selectArg, "RowKey, A,B ,A,*")}}
	if got := strings.Join(p.selectedColumns(), " "); got != "A B" {
		t.Errorf("got %q", got)
	}
}
