package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
)

// endpoint answers for the snapshots of an account.
type endpoint struct {
	*pagetest.Endpoint
	list  control.Snapshots
	asked []string // requests that change something, with their bodies
	fail  bool
}

func (e *endpoint) Do(c context.Context, r client.Request) (client.Response, error) {
	path := strings.TrimPrefix(r.URL, "http://host/_sandtable")
	if !strings.HasPrefix(path, "/accounts/devstoreaccount1/") && !strings.HasPrefix(path, "/load") {
		return e.Endpoint.Do(c, r)
	}
	if r.Method != "GET" {
		e.asked = append(e.asked, r.Method+" "+path+" "+string(r.Body))
	}
	switch {
	case e.fail:
		return client.Response{Status: 409, Body: []byte(`{"error":{"code":"TooManySnapshots","message":"The account has 32 snapshots."}}`)}, nil
	case strings.Contains(path, "/differences"):
		return pagetest.JSON(sampleDifferences())
	case strings.Contains(path, "/restore"):
		return pagetest.JSON(map[string]any{"restored": e.list.Snapshots[0], "before": e.list.Snapshots[1]})
	case strings.HasPrefix(path, "/load"):
		return pagetest.JSON(map[string]any{"bytes": 1})
	case strings.Contains(path, "/snapshots") && r.Method == "GET":
		return pagetest.JSON(e.list)
	case strings.Contains(path, "/snapshots"):
		return pagetest.JSON(control.Snapshot{ID: "9", Name: "taken"})
	}
	return e.Endpoint.Do(c, r)
}

func open(t *testing.T, list control.Snapshots) (*endpoint, *pagetest.Driver[*Page]) {
	t.Helper()
	e := &endpoint{Endpoint: pagetest.NewEndpoint(), list: list}
	return e, pagetest.Open(t, e, page.Route{Account: "devstoreaccount1", Page: Name}, func(p page.Props) *Page {
		return &Page{Props: p, fetch: func(string) (browser.File, error) { return browser.File{}, errors.New("gone") }}
	})
}

func TestEmptyList(t *testing.T) {
	_, d := open(t, control.Snapshots{Limit: 32})
	d.Shows("No snapshots yet", "Ctrl+Alt+S", "Take a snapshot", "up to 32 snapshots")
}

func TestTakeAndSelect(t *testing.T) {
	e, d := open(t, sampleList())
	d.Shows("before the price change", "2026-11-20 18:02:11", "taken by hand", "taken by the import", "incomplete file", "4 snapshots")
	d.Hides("What restoring changes")
	d.Do(func() { d.Page.name = " before the demo "; d.Page.take() })
	if want := []string{`POST /accounts/devstoreaccount1/snapshots {"kind":"taken","name":"before the demo"}`}; !slices.Equal(e.asked, want) {
		t.Errorf("asked %q, want %q", e.asked, want)
	}
	d.Notified("“taken” taken")
	d.Do(func() {
		d.Page.name = "first"
		d.Page.take()
		d.Page.name = "second" // typed while the first is taken
	})
	if d.Page.name != "second" {
		t.Errorf("the next name is %q, want second", d.Page.name)
	}
	d.Do(func() { d.Page.choose("2") })
	d.Shows("What restoring changes", "+12", "−3", "~40", "Customers", "EU-West / 00001020", "Age 42 → 41, Balance 1646.0 → 1580.0", "Show all 55", "they do not change")
	if d.Route.Arg("id") != "2" {
		t.Errorf("the address has %q", d.Route.Args)
	}
	d.Do(func() { d.Page.choose("4") })
	d.Shows("was not read to its end")
}

func TestRestoreCanBeUndone(t *testing.T) {
	e, d := open(t, sampleList())
	d.Do(func() { d.Page.choose("1") })
	d.Do(func() { d.Page.onRestore(d.Context(), app.Event{}) })
	d.Notified("Restored “clean sample data”")
	d.Accept()
	want := []string{`POST /accounts/devstoreaccount1/restore {"id":"1","keep":true}`, `POST /accounts/devstoreaccount1/restore {"id":"2","keep":false}`}
	if !slices.Equal(e.asked, want) || len(d.Changed) != 2 {
		t.Errorf("asked %q, want %q", e.asked, want)
	}
	e.fail = true
	d.Do(func() { d.Page.onRestore(d.Context(), app.Event{}) })
	d.Shows("TooManySnapshots")
}

// TestRestoreAndLeave: the user looks at the tables while the snapshot is being restored, or
// before they go back. Both ends are told there.
func TestRestoreAndLeave(t *testing.T) {
	e, d := open(t, sampleList())
	d.Do(func() { d.Page.choose("1") })
	d.LeaveDuring(func() { d.Page.onRestore(d.Context(), app.Event{}) })
	d.Notified("Restored “clean sample data”")
	d.In = d.Context()
	e.fail = true
	d.Accept()
	d.Notified("TooManySnapshots")
}

// TestChooseDuringAnAction: the end of an action leaves the snapshot that was chosen
// meanwhile as it is.
func TestChooseDuringAnAction(t *testing.T) {
	_, d := open(t, sampleList())
	d.Do(func() { d.Page.choose("4") })
	d.Do(func() { d.Page.onDelete(d.Context(), app.Event{}); d.Page.choose("2") })
	if id := d.Route.Arg("id"); id != "2" {
		t.Errorf("after a deletion %q is chosen", id)
	}
	name := "typed"
	d.Do(func() { d.Page.renamed = &name; d.Page.rename(); d.Page.choose("1"); d.Page.renamed = &name })
	if d.Page.renamed == nil {
		t.Error("what was typed is gone")
	}
}

// TestDeleteAsksOnlyForTheLast: a state that another snapshot, the account or a file
// has is deleted without a question.
func TestDeleteAsksOnlyForTheLast(t *testing.T) {
	list := sampleList()
	list.Snapshots[2].State = "2"
	for _, c := range []struct {
		name, id string
		now      string
		saved    bool
		asks     bool
	}{
		{"the only one", "1", "now", false, true},
		{"another snapshot", "2", "now", false, false},
		{"the account", "1", "1", false, false},
		{"a file", "1", "now", true, false},
		{"incomplete", "4", "now", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list.State = c.now
			e, d := open(t, list)
			d.Do(func() { d.Page.choose(c.id); d.Page.saved = map[string]bool{"1": c.saved} })
			d.Do(func() { d.Page.onDelete(d.Context(), app.Event{}) })
			if asked := d.Question != nil; asked != c.asks {
				t.Fatalf("asked %t, want %t", asked, c.asks)
			}
			if c.asks {
				d.Answer(true)
			}
			if want := []string{"DELETE /accounts/devstoreaccount1/snapshots?id=" + c.id + " "}; !slices.Equal(e.asked, want) {
				t.Errorf("asked %q, want %q", e.asked, want)
			}
		})
	}
}

func TestRenameAndFiles(t *testing.T) {
	e, d := open(t, sampleList())
	d.Do(func() { d.Page.choose("1") })
	name := " "
	d.Do(func() { d.Page.renamed = &name; d.Page.rename() })
	name = "clean"
	d.Do(func() { d.Page.renamed = &name; d.Page.rename() })
	d.Do(func() { d.Page.onShare(d.Context(), app.Event{}) })
	d.Shows("Gone")
	d.Do(func() { d.Page.open(browser.FileOf("demo for <b>.jsonl", []byte("x"))) })
	want := []string{
		`PATCH /accounts/devstoreaccount1/snapshots?id=1 {"name":"clean"}`, `POST /accounts/devstoreaccount1/snapshots {"kind":"file","name":"demo for <b>"}`,
		"POST /load?account=devstoreaccount1&snapshot=9&chunk=&last=true x",
	}
	for i := range e.asked {
		e.asked[i] = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(e.asked[i])
	}
	if !slices.Equal(e.asked, want) {
		t.Errorf("asked %q, want %q", e.asked, want)
	}
}

func TestNames(t *testing.T) {
	if got := fileName("shop", "before: the/price «change»"); got != "shop-before- the-price -change.jsonl" {
		t.Error(got)
	}
	if got := nameOfFile(strings.Repeat("é", 120) + ".jsonl"); len([]rune(got)) != 100 {
		t.Error(got)
	}
	if got := nameOfFile(".jsonl"); got != "from a file" {
		t.Error(got)
	}
}

func TestUnitOfNarrowRows(t *testing.T) {
	for n, want := range map[int][2]string{-1: {"…", "entities"}, 0: {"0", "entities"}, 1: {"1", "entity"}, 1200: {"1,200", "entities"}} {
		got := app.HTMLString(drawEntities(n))
		if !strings.Contains(got, ">"+want[0]+"<") || !strings.Contains(got, `data-unit="`+want[1]+`"`) {
			t.Errorf("%d: got %s", n, got)
		}
	}
}

func TestPropertyWords(t *testing.T) {
	long := strings.Repeat("x", 50)
	for _, c := range []struct {
		name, before, after, want string
	}{
		{"values", `{"Age":41,"Name":"Ada"}`, `{"Age":42}`, "Age 41 → 42, Name Ada → –"},
		{"nothing", `{"Age":41}`, `{"Age":41}`, "written again with the same values"},
		{"the type", `{"Age":41}`, `{"Age":"41"}`, "Age 41, Int32 → String"},
		{"the type that is named", `{"Age@odata.type":"Edm.Int64","Age":"41"}`, `{"Age":"41"}`, "Age 41, Int64 → String"},
		{"the end of a long text", `{"Note":"` + long + `a"}`, `{"Note":"` + long + `b"}`, "Note " + long[:39] + "… → differs further on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d control.Difference
			if err := errors.Join(json.Unmarshal([]byte(c.before), &d.Before), json.Unmarshal([]byte(c.after), &d.After)); err != nil {
				t.Fatal(err)
			}
			if got := propertyWords(d); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestListThatFails(t *testing.T) {
	e := &endpoint{Endpoint: pagetest.NewEndpoint(), fail: true}
	d := pagetest.Open(t, e, page.Route{Account: "devstoreaccount1", Page: Name}, func(p page.Props) *Page { return &Page{Props: p} })
	d.Shows("TooManySnapshots", "Try again")
	e.fail = false
	d.Do(func() { d.Page.onAgain(d.Context(), app.Event{}) })
	d.Shows("No snapshots yet")
}
