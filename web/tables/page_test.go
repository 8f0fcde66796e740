package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

func open(t *testing.T, endpoint client.Transport, tables ...client.Table) *pagetest.Driver[*Page] {
	t.Helper()
	definition := Definition()
	d := pagetest.Open(t, endpoint, page.Route{Account: pagetest.Account}, func(p page.Props) *Page { return definition.New(p).(*Page) })
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of(tables)}
	d.Do(func() {})
	return d
}

func TestDeleteSeveralTables(t *testing.T) {
	endpoint := pagetest.Filled(3)
	endpoint.Tables["Orders"] = nil
	d := open(t, endpoint, client.Table{Name: "Customers", Entities: 3}, client.Table{Name: "Orders"})
	d.Shows("Customers", "Orders", ">3<")
	d.Do(func() { d.Page.selected["Customers"], d.Page.selected["Orders"] = true, true })
	d.Shows("2 selected")
	d.Do(func() { d.Page.onDelete(d.Context(), app.Event{}) })
	if want := "Customers, Orders. 3 entities are deleted with them. Without a snapshot this cannot be undone."; d.Question == nil || d.Question.Text != want {
		t.Errorf("got %+v, want %q", d.Question, want)
	}
	d.Answer(true)
	d.Notified("Deleted 2 tables")
	if len(endpoint.Tables) != 0 {
		t.Errorf("%d tables are left", len(endpoint.Tables))
	}
}

func TestSelectTables(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), client.Table{Name: "A"}, client.Table{Name: "B"}, client.Table{Name: "C"}, client.Table{Name: "D"})
	all := func() { d.Page.onSelectAll(d.Context(), app.Event{}) }
	for _, step := range []struct {
		name string
		act  func()
		want int
	}{
		{"a box", func() { d.Page.toggle("B", false) }, 1},
		{"a range", func() { d.Page.toggle("D", true) }, 3},
		{"a box of the range again", func() { d.Page.toggle("C", false) }, 2},
		{"a range that is taken back", func() { d.Page.toggle("A", true) }, 1},
		{"all", all, 4},
		{"none", all, 0},
	} {
		d.Do(step.act)
		if names, _ := d.Page.chosen(); len(names) != step.want {
			t.Errorf("%s: selected %q, want %d", step.name, names, step.want)
		}
	}
}

// TestManyTables: rows are added on request, and all tables can be selected before.
func TestManyTables(t *testing.T) {
	var all []client.Table
	for i := range step + 5 {
		all = append(all, client.Table{Name: fmt.Sprintf("T%04d", i)})
	}
	d := open(t, pagetest.NewEndpoint(), all...)
	last, beyond := fmt.Sprintf(`data-table="T%04d"`, step-1), fmt.Sprintf(`data-table="T%04d"`, step)
	d.Shows(last, "Show 5 more")
	d.Hides(beyond)
	d.Do(func() { d.Page.onSelectAll(d.Context(), app.Event{}) })
	d.Shows(fmt.Sprintf("%d selected", len(all)))
	d.Do(func() { d.Page.onMore(d.Context(), app.Event{}) })
	d.Shows(beyond)
	d = open(t, pagetest.NewEndpoint(), all[:step+1]...)
	d.Shows("1 table is not listed.")
}

// TestDeleteAfterASnapshot: a snapshot is taken first unless the user does not want
// one, and nothing is deleted if it cannot be.
func TestDeleteAfterASnapshot(t *testing.T) {
	const snapshots = "/_sandtable/accounts/devstoreaccount1/snapshots"
	for name, test := range map[string]struct {
		wanted, full bool
		tables       int // that are left
		says         string
	}{
		"with a snapshot":          {true, false, 0, "Deleted 1 table"},
		"without one":              {false, false, 0, "Deleted 1 table"},
		"no space for another one": {true, true, 1, ""},
		"no space, and not wanted": {false, true, 0, "Deleted 1 table"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, taken := pagetest.Filled(3), 0
			d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
				if strings.HasSuffix(r.URL, snapshots) {
					taken++
					if test.full {
						return client.Response{Status: 409, Body: []byte(`{"error":{"code":"TooManySnapshots","message":"An account has 32 snapshots at most."}}`)}, nil
					}
				}
				return endpoint.Do(context.Background(), r)
			}), client.Table{Name: "Customers", Entities: 3})
			d.Do(func() { d.Page.selected["Customers"] = true })
			d.Do(func() { d.Page.onDelete(d.Context(), app.Event{}) })
			if d.Question == nil || d.Question.Choice == nil || !*d.Question.Choice {
				t.Fatalf("no snapshot is offered: %+v", d.Question)
			}
			*d.Question.Choice = test.wanted
			d.Answer(true)
			if test.says != "" {
				d.Notified(test.says)
			} else {
				d.Shows("An account has 32 snapshots at most.", "0 of 1 table deleted.", "1 selected")
			}
			if len(endpoint.Tables) != test.tables || (taken > 0) != test.wanted {
				t.Errorf("%d tables are left, want %d; %d snapshots taken", len(endpoint.Tables), test.tables, taken)
			}
		})
	}
}

// TestStoppedDeletion: the page says how many tables are gone, and the others stay selected.
func TestStoppedDeletion(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	var all []client.Table
	for i := range 50 {
		all = append(all, client.Table{Name: fmt.Sprintf("T%02d", i)})
		endpoint.Tables[all[i].Name] = nil
	}
	started, stopped := make(chan *page.Job, 1), make(chan struct{})
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		switch _, name, _ := strings.Cut(r.URL, "Tables('"); {
		case name == "":
		case name == "T29')": // the last table is the first to be deleted
			(<-started).Stop()
			close(stopped)
		case name < "T29')":
			<-stopped
		}
		return endpoint.Do(context.Background(), r)
	}), all...)
	d.Do(func() { d.Page.onSelectAll(d.Context(), app.Event{}) })
	d.Do(func() {
		names, _ := d.Page.chosen()
		d.Page.remove(names, false)
		started <- d.Page.kept.jobs[d.Route.Place()][0]
		d.Hides("stop-job") // most are over at once
	})
	gone := 50 - len(endpoint.Tables)
	if gone < 21 || gone > 24 {
		t.Errorf("%d tables are gone", gone)
	}
	d.Shows(fmt.Sprintf("Stopped: %d of 50 tables deleted.", gone))
	if names, _ := d.Page.chosen(); len(names) != 50 { // the test's catalog lists all of them still
		t.Errorf("%d tables are selected", len(names))
	}
}

// TestDeletionThatFails: the other tables are deleted nevertheless.
func TestDeletionThatFails(t *testing.T) {
	endpoint := pagetest.Filled(1)
	endpoint.Tables["Orders"] = nil
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if r.Method == client.MethodDelete && strings.Contains(r.URL, "Customers") {
			return client.Response{Status: 403, Body: []byte(`{"odata.error":{"code":"AuthorizationFailure","message":{"value":"Not yours."}}}`)}, nil
		}
		return endpoint.Do(context.Background(), r)
	}), client.Table{Name: "Customers", Entities: 1}, client.Table{Name: "Orders"})
	d.Do(func() { d.Page.remove([]string{"Customers", "Orders"}, false) })
	d.Shows("AuthorizationFailure", "Not yours.", "1 of 2 tables deleted.")
	if _, left := endpoint.Tables["Orders"]; left || len(d.Notices) > 0 {
		t.Errorf("Orders is left: %v; messages: %q", left, d.Notices)
	}
}

// clone copies the table Customers; the user may leave at once.
func clone(d *pagetest.Driver[*Page], name string, leave bool) {
	d.Do(func() {
		d.Page.selected["Customers"] = true
		d.Page.copyName = name
		d.Page.clone()
		if leave {
			d.Page.OnDismount()
		}
	})
}

// TestClone: a clone continues when the user leaves the page, and then takes nobody to the copy.
func TestClone(t *testing.T) {
	for name, test := range map[string]struct {
		left bool
		then string // the table that is open in the end
	}{
		"on the page":      {false, "Copy"},
		"without the page": {true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := pagetest.Filled(250)
			d := open(t, endpoint, client.Table{Name: "Customers", Entities: 250})
			clone(d, "Copy", test.left)
			d.Notified("Cloned Customers to Copy: 250 entities")
			if len(endpoint.Tables["Copy"]) != 250 || d.Route.Table != test.then {
				t.Errorf("%d entities, at %+v", len(endpoint.Tables["Copy"]), d.Route)
			}
		})
	}
}

// TestFailureWithoutThePage: the account's next page says why a clone failed.
func TestFailureWithoutThePage(t *testing.T) {
	d := open(t, pagetest.Filled(2), client.Table{Name: "Customers", Entities: 2})
	clone(d, "Customers", true)
	d.Notified("Customers was not cloned completely: 0 of 2 entities written, and kept.")
	d.Do(func() { d.Route.Account = "another" })
	d.Hides("TableAlreadyExists")
	d.Do(func() { d.Route.Account = pagetest.Account })
	d.Shows("TableAlreadyExists", "0 of 2 entities written, and kept.")
}

// TestCancelledClone: what was written by then stays. The page to which the user has
// come back says so, and there is no message.
func TestCancelledClone(t *testing.T) {
	d := open(t, pagetest.Filled(250), client.Table{Name: "Customers", Entities: 250})
	until := func(c context.Context, _ func([]*odata.Entity) error) error { <-c.Done(); return errors.New("aborted") }
	d.Do(func() {
		j := &page.Job{All: 250}
		d.Page.write(j, []part{{"Copy", until}}, "", "", d.Route)
		d.Page.OnDismount()
		d.Page.start(d.Context())
		j.Stop()
	})
	d.Shows("Stopped: 0 of 250 entities written, and kept.")
	if len(d.Notices) > 0 {
		t.Errorf("messages: %q", d.Notices)
	}
}

func TestCloneUnderATakenName(t *testing.T) {
	endpoint := pagetest.Filled(2)
	d := open(t, endpoint, client.Table{Name: "Customers", Entities: 2})
	clone(d, "Customers", false)
	d.Shows("TableAlreadyExists", "0 of 2 entities written, and kept.")
}

func TestWelcome(t *testing.T) {
	endpoint := pagetest.NewEndpoint()
	d := open(t, endpoint)
	d.Shows("Azure Table Storage, in this browser", "Retail orders", "20,705 entities", "Connect an SDK", "Load retail orders", "Drop a file here", "?page=lessons", "?page=playground")
	if n := strings.Count(d.HTML(), "primary"); n != 1 {
		t.Errorf("%d primary buttons, want that of the sample data alone", n)
	}
	d.Do(func() { d.Page.sdk = "go" })
	d.Shows("<code>sandtable serve</code>")
	d.Hides("`")
	d.Do(d.Page.load)
	d.Notified("Loaded Retail orders: 20,705 entities")
	if len(endpoint.Tables["Customers"]) != 2501 || len(endpoint.Tables["Orders"]) != 18204 {
		t.Errorf("%d customers, %d orders", len(endpoint.Tables["Customers"]), len(endpoint.Tables["Orders"]))
	}
}

// TestDeleteTablesElsewhere: a count that is not known is not said to be zero.
func TestDeleteTablesElsewhere(t *testing.T) {
	d := open(t, pagetest.Filled(3), client.Table{Name: "Customers", Entities: client.Unknown})
	d.Remotes = map[string]client.Remote{pagetest.Account: {Account: "acc", Endpoint: "http://host/table/devstoreaccount1", SAS: "sig=x"}}
	d.Do(func() { d.Page.selected["Customers"] = true })
	d.Do(func() { d.Page.onDelete(d.Context(), app.Event{}) })
	if want := "All entities in " + pagetest.Account + " are deleted with it. This cannot be undone."; d.Question == nil || d.Question.Text != want || d.Question.Choice != nil {
		t.Errorf("got %+v, want %q", d.Question, want)
	}
}

// TestKeyThatIsRefused: the page says what to do about credentials alone.
func TestKeyThatIsRefused(t *testing.T) {
	refused := &client.ServiceError{Status: 403, Code: "AuthenticationFailed", Message: "The MAC signature differs."}
	byKey, bySAS := client.Remote{Account: "acc", Endpoint: "http://host", Key: "a2V5"}, client.Remote{Account: "acc", Endpoint: "http://host", SAS: "sig=x"}
	for _, test := range []struct {
		name  string
		r     client.Remote
		err   error
		words string // "" if it is not about credentials
	}{
		{"a key", byKey, refused, "the key may be another account&#39;s, or has been regenerated"},
		{"a SAS", bySAS, refused, "the SAS may have expired"},
		{"another refusal", byKey, &client.ServiceError{Status: 503, Code: "ServerBusy"}, ""},
		{"no answer", byKey, client.ErrNoAnswer, ""},
		{"no CORS rule", byKey, &client.Unreachable{Reason: client.CORSBlocked, Origin: "https://site"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, pagetest.NewEndpoint())
			d.Remotes = map[string]client.Remote{pagetest.Account: test.r}
			d.Accounts.Tables[pagetest.Account] = remote.Value[[]client.Table]{}.Answered(nil, test.err)
			d.Do(func() {})
			d.Shows("Try again", test.words)
			if test.name == "no CORS rule" {
				d.Shows("Copy rule", "https://site")
			}
			if again := "Connect again"; test.words == "" {
				d.Hides(again)
			} else {
				d.Shows("AuthenticationFailed", "The MAC signature differs.", again)
			}
		})
	}
}

func TestFirstRequest(t *testing.T) {
	busy := false
	d := pagetest.Open(t, pagetest.NewEndpoint(), page.Route{Account: pagetest.Account}, func(p page.Props) *firstRequest {
		return &firstRequest{Props: p, Busy: busy}
	})
	d.Shows("Waiting for the first request…")
	hear := func(kind, data string) {
		d.Do(func() { d.Page.hear(control.RequestsOf([]control.Event{{Kind: kind, Data: []byte(data)}})) })
	}
	hear("change", `{"kind":"tableCreated","account":"devstoreaccount1"}`)
	hear("request", `{"id":3,"account":"another","operation":"Query Tables","status":200}`)
	hear("request", `{"id":`)
	busy = true
	d.Do(func() {})
	hear("request", `{"id":4,"account":"devstoreaccount1","operation":"Insert Entity","status":204}`)
	busy = false
	d.Do(func() {})
	d.Shows("Waiting for the first request…")
	hear("request", `{"id":5,"account":"devstoreaccount1","operation":"Create Table","status":201}`)
	d.Shows("Create Table, 201", "page=requests&id=5", "pill good")
}

func TestWelcomeWaitsForFirstRequest(t *testing.T) {
	open(t, pagetest.NewEndpoint()).Shows("Waiting for the first request…")
}

// TestCodeOfTheWelcome: each program can be run as it is, and makes a table.
func TestCodeOfTheWelcome(t *testing.T) {
	for _, language := range sdks {
		text := code(language.Value, "https://host")
		connects := strings.Contains(text, connectionVariable) || strings.Contains(text, "https://host")
		if makes := strings.Contains(strings.ToLower(strings.ReplaceAll(text, "_", "")), "createtable"); !connects || !makes {
			t.Errorf("%s: connects %v, makes a table %v:\n%s", language.Label, connects, makes, text)
		}
	}
}
