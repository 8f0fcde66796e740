package bulkedit

import (
	"errors"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

var customers = page.Route{Account: pagetest.Account, Table: "Customers"}

// host is a page that shows the dialog.
type host struct {
	app.Compo
	page.Props
	start  *Dialog
	dialog *Dialog

	closed  bool
	writing int
	done    *Done
	undone  bool
}

func (h *host) Render() app.UI {
	if h.closed {
		return app.Div().Text("closed")
	}
	next := &Dialog{Session: h.Session, Route: h.Route, Owner: h, Keys: h.start.Keys, Rows: h.start.Rows, Known: h.start.Known}
	if h.dialog == nil {
		h.dialog = next
	}
	return app.Div().Body(next)
}

func (h *host) Writing(keys []odata.Key) { h.writing = len(keys) }
func (h *host) Edited(done Done)         { h.done = &done }
func (h *host) UndoEdit(Done)            { h.undone = true }
func (h *host) CloseEdit()               { h.closed = true }

// open shows the dialog for the first n entities; with rows they are known already.
func open(t *testing.T, endpoint *pagetest.Endpoint, n int, rows bool) *pagetest.Driver[*host] {
	t.Helper()
	start := &Dialog{Keys: map[odata.Key]bool{}, Known: []draft.Known{{Name: "Age", Type: odata.EdmInt32}}}
	for _, e := range endpoint.Tables["Customers"][:n] {
		start.Keys[e.Key()] = true
		if rows {
			copied := *e
			start.Rows = append(start.Rows, client.Entity{Entity: &copied, Tag: e.ETag()})
		}
	}
	d := pagetest.Open(t, endpoint, customers, func(p page.Props) *host { return &host{Props: p, start: start} })
	d.In = d.Page.dialog.ctx
	return d
}

// set fills the fields in.
func set(d *pagetest.Driver[*host], kind bulk.EditKind, property string, t odata.Type, text string) {
	d.Do(func() {
		x := d.Page.dialog
		x.edit.Kind = kind
		x.name(property)
		if t != 0 {
			x.retype(t)
		}
		x.text, x.edit.To = text, text
		x.check()
	})
}

func TestSetOnEveryEntity(t *testing.T) {
	endpoint := pagetest.Filled(150)
	d := open(t, endpoint, 120, true)
	d.Shows("Edit 120 entities of Customers", "Name the property")
	set(d, bulk.Set, "Tier", odata.EdmString, "gold")
	d.Shows("120 have none", "120 entities in 1 partition, 2 transactions", "Tier then", "5 of 120", "it skips entities that changed again", "absent", "“gold”", "Change 120 entities")
	d.Do(d.Page.dialog.apply)
	if d.Page.writing != 120 || !d.Page.closed || len(d.Page.done.Report.Written) != 120 || len(d.Page.done.Undo()) != 120 {
		t.Errorf("%d written, closed %v, %+v", d.Page.writing, d.Page.closed, d.Page.done)
	}
	for i, e := range endpoint.Tables["Customers"] {
		if v, has := e.Property("Tier"); has != (i < 120) || has && v.Text() != "gold" {
			t.Fatalf("entity %d has %v", i, v)
		}
	}
}

// TestLargeEntitiesAreSplit: a partition of fewer than 100 entities can need several transactions.
func TestLargeEntitiesAreSplit(t *testing.T) {
	d := open(t, pagetest.Filled(60), 60, true)
	set(d, bulk.Set, "Note", odata.EdmString, strings.Repeat("n", 30_000))
	d.Shows("60, split", "60 entities in 1 partition, 3 transactions")
	d.Hides("60 of 100")
}

func TestFieldsAreChecked(t *testing.T) {
	d := open(t, pagetest.Filled(3), 3, true)
	set(d, bulk.Set, "Age", 0, "old")
	d.Shows("An Int32 is")
	if x := d.Page.dialog; x.problem != "" || x.misfit == "" {
		t.Errorf("the name is marked for %q, the value for %q", x.problem, x.misfit)
	}
	set(d, bulk.Set, "Age", 0, "")
	d.Shows("Enter the value to see what would change.", "Change entities")
	d.Hides("An Int32 is")
	d.Do(d.Page.dialog.apply)
	set(d, bulk.Set, "RowKey", 0, "1")
	d.Shows("keys and the Timestamp cannot be changed")
	set(d, bulk.Remove, "Nowhere", 0, "")
	d.Shows("3 have none", "No entity would change")
	one := open(t, pagetest.Filled(1), 1, true)
	set(one, bulk.Set, "Age", 0, "-1")
	one.Shows("1 has another value")
	d.Do(d.Page.dialog.apply)
	if d.Page.writing != 0 {
		t.Errorf("%d were written", d.Page.writing)
	}
}

func TestEntitiesThatDoNotFitAreLeftOut(t *testing.T) {
	endpoint := pagetest.Filled(3)
	endpoint.Tables["Customers"][1].Properties[0].Value = odata.StringValue("<b>old</b>")
	d := open(t, endpoint, 3, true)
	set(d, bulk.Retype, "Age", odata.EdmInt64, "")
	d.Shows("2 change", "1 does not fit it", "1 entity left out", "&lt;b&gt;old")
	d.Do(d.Page.dialog.apply)
	d.Shows("2 changed.", "Undo 2 changes", "not “&lt;b&gt;old")
	if v, _ := endpoint.Tables["Customers"][2].Property("Age"); v.Type() != odata.EdmInt64 || d.Page.closed {
		t.Errorf("%v, closed %v", v.Type(), d.Page.closed)
	}
	d.Do(func() { d.Page.dialog.onUndo(d.Page.dialog.ctx, app.Event{}) })
	if !d.Page.undone || !d.Page.closed {
		t.Error("nothing is undone")
	}
}

func TestEntitiesThatChangedElsewhere(t *testing.T) {
	endpoint := pagetest.Filled(3)
	d := open(t, endpoint, 3, true)
	endpoint.Write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00000","Age":7}`), true)
	set(d, bulk.Remove, "Age", 0, "")
	d.Do(d.Page.dialog.apply)
	d.Shows("3 refused.", "Changed elsewhere since it was read", bulk.ErrWithOthers.Error()[1:])
	if string(reportFile(failures(*d.Page.done))) == "" || len(failures(*d.Page.done)) != 3 {
		t.Error(failures(*d.Page.done))
	}
	d = open(t, endpoint, 3, true)
	endpoint.Write("Customers", []byte(`{"PartitionKey":"p","RowKey":"00000","Age":8}`), true)
	set(d, bulk.Remove, "Age", 0, "")
	d.Do(func() { d.Page.dialog.force = true })
	d.Shows("there is no undo")
	d.Do(d.Page.dialog.apply)
	if len(d.Page.done.Report.Written) != 3 || d.Page.done.Undo() != nil || !d.Page.closed {
		t.Errorf("%+v", d.Page.done)
	}
}

// TestRowsAreReadWhole: the rows of a query with $select are not all there is.
func TestRowsAreReadWhole(t *testing.T) {
	endpoint := pagetest.Filled(250)
	d := open(t, endpoint, 120, false)
	set(d, bulk.Rename, "Age", 0, "Years")
	d.Shows("120 have it", "Change 120 entities")
	endpoint.Refuse = "GET"
	d = open(t, endpoint, 1, false)
	d.Shows("InternalError", "Try again")
	endpoint.Refuse = ""
	gone := open(t, endpoint, 2, false).Page.dialog
	if all, _ := gone.rows.Data(); len(all) != 2 {
		t.Errorf("%d rows", len(all))
	}
}

// TestRowsThatAreGone: entities that were deleted since they were selected are
// listed, not forgotten.
func TestRowsThatAreGone(t *testing.T) {
	endpoint := pagetest.Filled(10)
	start := &Dialog{Keys: map[odata.Key]bool{{PartitionKey: "none", RowKey: "deleted"}: true}}
	start.Keys[endpoint.Tables["Customers"][0].Key()] = true
	d := pagetest.Open(t, endpoint, customers, func(p page.Props) *host { return &host{Props: p, start: start} })
	d.In = d.Page.dialog.ctx
	set(d, bulk.Rename, "Age", 0, "Years")
	d.Shows("Change 1 entity", "1 entity left out", "deleted", "Deleted since it was selected")
}

func TestRefusedWords(t *testing.T) {
	for want, err := range map[string]error{
		"changed elsewhere since it was read": &client.ServiceError{Status: 412, Code: client.CodeConditionNotMet},
		"deleted elsewhere since it was read": &client.ServiceError{Status: 404, Code: client.CodeResourceNotFound},
		"A: b":                                &client.ServiceError{Status: 400, Code: "A", Message: "b"},
		"c":                                   errors.New("c"),
	} {
		if got := refusedWords(err); got != want {
			t.Errorf("%v: %s", err, got)
		}
	}
	if file := string(reportFile([]failure{{odata.Key{PartitionKey: "a,b"}, "x"}})); !strings.Contains(file, "\"a,b\",,x") {
		t.Error(file)
	}
}
