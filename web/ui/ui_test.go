package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/draft"
	"sandtable/web/grid"
)

func nothing(app.Context, app.Event) {}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"": "", "a Guid": "A Guid", "“x”": "“x”"} {
		if got := Sentence(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func wantHTML(t *testing.T, e app.UI, parts ...string) {
	t.Helper()
	html := app.HTMLString(e)
	for _, part := range parts {
		if !strings.Contains(html, part) {
			t.Errorf("lacks %s:\n%s", part, html)
		}
	}
}

func TestExplain(t *testing.T) {
	wantHTML(t, Explain(Explanation{Kind: "row range", Returned: 12, Examined: 48, Elapsed: "1 ms", Advice: "Do."}),
		"Row range", ">12<", " examined", `class="returned" width="25.00"`, `aria-label="12 of 48 examined entities returned"`, "Do.")
	for _, x := range []Explanation{{}, {Returned: 5, Examined: 0}, {Returned: 9, Examined: 3}} {
		html := app.HTMLString(Explain(x))
		if strings.Contains(html, "NaN") || strings.Contains(html, "Inf") || strings.Contains(html, `width="300`) {
			t.Errorf("%+v: %s", x, html)
		}
		if strings.Contains(html, "block") {
			t.Errorf("blocks are shown where there are none: %s", html)
		}
	}
}

// sheet returns a sheet of n rows.
func sheet(n int, w grid.Window) Sheet {
	schema := &grid.Schema{}
	all := make([]*odata.Entity, n)
	for i := range all {
		all[i] = &odata.Entity{PartitionKey: "p<&>", RowKey: fmt.Sprint(i)}
		schema.Add(all[i])
	}
	columns, _ := grid.Shown(schema.Columns(grid.Settings{}))
	return Sheet{Columns: columns, At: func(i int) *odata.Entity { return all[i] }, View: grid.View{Row: 28, Total: n}, Window: w, Active: -1}
}

var gridHandlers = GridHandlers{nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing}

func TestGridDrawsItsWindow(t *testing.T) {
	s := sheet(100, grid.Window{From: 10, To: 20})
	s.Active = 12
	s.Open = func(e *odata.Entity) bool { return e.RowKey == "11" }
	html := app.HTMLString(Grid(s, gridHandlers))
	if rows := strings.Count(html, "data-row="); rows != 10 {
		t.Errorf("%d rows are drawn", rows)
	}
	if others := strings.Count(html, `aria-selected="false"`); others != 9 {
		t.Errorf("%d rows are not selected", others)
	}
	for _, part := range []string{"height:280px", "height:2240px", `aria-rowcount="101"`, `aria-activedescendant="row-12"`, `aria-rowindex="12"`, "p&lt;&amp;&gt;"} {
		if !strings.Contains(html, part) {
			t.Errorf("lacks %s", part)
		}
	}
}

// TestGridOfFewerRows: the window can be older than the list.
func TestGridOfFewerRows(t *testing.T) {
	html := app.HTMLString(Grid(sheet(3, grid.Window{From: 40, To: 80}), gridHandlers))
	if strings.Contains(html, "height:-") || strings.Contains(html, "activedescendant") {
		t.Error(html)
	}
}

func TestGridOfRowsBeingRead(t *testing.T) {
	s := sheet(3, grid.Window{From: 0, To: 3})
	s.At = func(int) *odata.Entity { return nil }
	s.Selected = func(*odata.Entity) bool { return true }
	wantHTML(t, Grid(s, gridHandlers), `class="waiting"`, `data-testid="select-all"`, `aria-multiselectable`)
}

func TestGridNamesWhatIsOnlyDrawn(t *testing.T) {
	s := sheet(1, grid.Window{To: 1})
	s.Columns = append(s.Columns, grid.Column{Name: "Age"})
	s.Marked = func(*odata.Entity) bool { return true }
	wantHTML(t, Grid(s, gridHandlers), `aria-label="absent"`, `title="This entity has no Age"`, "(changed elsewhere since it was read)")
}

func TestProperty(t *testing.T) {
	h := PropertyHandlers{Name: nothing, Type: nothing, Text: nothing, Key: nothing, Remove: nothing}
	fixed := draft.Property{ID: 7, Name: "On", Type: odata.EdmBoolean, Text: "true", Fixed: true}
	wantHTML(t, Property(fixed, "", h), `data-property="7"`, `aria-label="Value of On"`, `aria-label="Remove On"`)
	// go-app writes attributes in any order, and no value that is "true".
	if chosen := regexp.MustCompile(`<option( value)? selected( value)?>true</option>`); !chosen.MatchString(app.HTMLString(Property(fixed, "", h))) {
		t.Errorf("true is not chosen in %s", app.HTMLString(Property(fixed, "", h)))
	}
	fresh := draft.Property{ID: 8, Type: odata.EdmInt32, Text: "x"}
	wantHTML(t, Property(fresh, "a problem", h), `id="property-name-8"`, `aria-invalid`, "A problem", `data-type="Edm.Int32"`)
	binary := draft.Property{ID: 9, Name: "Raw", Type: odata.EdmBinary, Text: "AQID"}
	wantHTML(t, Property(binary, "", h), "3 B in")
}

func TestNotesAreAnnounced(t *testing.T) {
	wantHTML(t, Error("TableNotFound", "No.", Button(Plain, "Try again", nothing)), `role="alert"`, "TableNotFound", "Try again")
	wantHTML(t, Failure(&client.ServiceError{Status: 503, Code: "ServerBusy", Message: "Busy."}), ">503 ServerBusy<", "Busy.")
	wantHTML(t, Failure(&client.ServiceError{Status: 507, Code: "InsufficientStorage", Message: "Not saved."}), ">507 InsufficientStorage<", "Not saved. Free some disk space", `href="?page=storage"`)
	wantHTML(t, Toasts([]Toast{{ID: 3, Text: "Deleted", Action: "Undo"}}, nothing, nothing), `aria-live="polite"`, `data-toast="3"`, "Undo", `aria-label="Dismiss"`)
	wantHTML(t, Ask(Question{Title: "Delete?", Text: "All is lost.", Confirm: "Delete", Choice: new(bool), Label: "Keep a copy"}, nothing, nothing), `role="alertdialog"`, `data-testid="confirm"`, `data-testid="ask-choice"`, "Keep a copy", "All is lost.")
	wantHTML(t, IconButton(Square, IconClose, "Close", nothing), `aria-label="Close"`, `type="button"`)
}

// TestKeyed: go-app makes new elements where the key is another one.
func TestKeyed(t *testing.T) {
	var a app.DismountEnforcer = &Keyed{Key: "a"}
	if a.CompoID() != "a" {
		t.Error(a.CompoID())
	}
	wantHTML(t, &Keyed{Key: "a", Draw: func() app.UI { return app.P().Text("drawn") }}, "drawn")
}

func TestEachToastHasElementsOfItsOwn(t *testing.T) {
	id := func(toast Toast) string {
		drawn, ok := toast.Draw(nil, nil).(interface{ CompoID() string })
		if !ok {
			t.Fatal("the next message is drawn with the elements of the one before, and the focus in them")
		}
		return drawn.CompoID()
	}
	if first, second := id(Toast{ID: 1, Text: "Deleted", Action: "Undo"}), id(Toast{ID: 2, Text: "Restored"}); first == second {
		t.Errorf("both messages have the key %q", first)
	}
}
