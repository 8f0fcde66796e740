package shell

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// TestTablesAreReadAgain: trying again shows that it reads, once, and needs no list of accounts.
func TestTablesAreReadAgain(t *testing.T) {
	endpoint, failing, readings := pagetest.Filled(1), "", 0
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if strings.HasSuffix(r.URL, "/tables") {
			readings++
		}
		if failing != "" && strings.Contains(r.URL, failing) {
			return client.Response{}, client.ErrNoAnswer
		}
		return endpoint.Do(context.Background(), r)
	}), page.Route{Account: pagetest.Account})
	tables := func() remote.Value[[]client.Table] { return d.catalog.Tables[pagetest.Account] }
	for _, next := range []string{"", "_sandtable/accounts"} {
		failing = pagetest.Account
		d.do(func() { d.loadTables(pagetest.Account) })
		if tables().State() != remote.Failed {
			t.Fatalf("the tables are %v", tables().State())
		}
		failing, readings = next, 0
		d.do(func() {
			d.WroteTo(pagetest.Account)
			if tables().State() != remote.Loading {
				t.Errorf("while they are read the tables are %v", tables().State())
			}
		})
		if all, ok := tables().Data(); !ok || len(all) != 1 || tables().State() != remote.Loaded || readings != 1 {
			t.Errorf("without %q: tables %v, %v after %d readings", next, all, tables().State(), readings)
		}
	}
}

// TestConnectedAccounts: they are in the sidebar until they are disconnected, and
// outlive what changes in the accounts of this browser.
func TestConnectedAccounts(t *testing.T) {
	endpoint, down := pagetest.Filled(1), false
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if strings.HasPrefix(r.URL, "https://acc.") && down {
			return client.Response{}, client.ErrNoAnswer
		}
		if strings.HasPrefix(r.URL, "https://acc.") {
			return client.Response{Status: 200, Body: []byte(`{"value":[{"TableName":"Telemetry"}]}`)}, nil
		}
		return endpoint.Do(context.Background(), r)
	}), customers)
	r := client.Remote{Account: "acc", Endpoint: "https://acc.table.core.windows.net", Key: "c2VjcmV0"}
	d.do(func() { d.Connect(r, false) })
	wantShown(t, d, `data-testid="remote-item"`, "Telemetry", "probe  of acc@core.windows.net/", `data-table="Customers"`, "pill good", ">Connected<", ">core.windows.net, by key<")
	down = true
	d.do(func() { d.loadTables(r.ID()) })
	wantShown(t, d, "pill bad", "Not answering")
	down = false
	d.do(func() { d.loadTables(r.ID()) })
	wantShown(t, d, "pill good")
	down = true
	query := func() {
		d.do(func() {
			d.Background(func(c context.Context) func() {
				_, _ = d.Client(r.ID()).Tables(c)
				return func() {}
			})
		})
	}
	query() // a request of a page
	wantShown(t, d, "pill bad", "Not answering", "Telemetry")
	down = false
	query()
	wantShown(t, d, "pill good", ">Connected<")
	d.do(func() { d.refreshCatalog() })
	wantShown(t, d, "Telemetry", `data-table="Customers"`)
	d.do(func() { d.disconnect(r.ID()) })
	wantShown(t, d, "Disconnect from acc@core.windows.net?", "This page forgets")
	d.do(func() { d.answer(true) })
	wantHidden(t, d, `data-testid="remote-item"`, "Telemetry")
	d.do(func() { d.follow(page.Route{Account: r.ID(), Table: "Telemetry"}) })
	wantShown(t, d, "Not connected to acc@core.windows.net", `data-testid="connect-again"`)
}

// TestCreateTableElsewhere: a new table of a connected account is listed, whatever
// page is open.
func TestCreateTableElsewhere(t *testing.T) {
	endpoint, tables := pagetest.Filled(1), ""
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if !strings.HasPrefix(r.URL, "https://acc.") {
			return endpoint.Do(context.Background(), r)
		}
		if r.Method == client.MethodPost {
			tables = `{"TableName":"Telemetry"}`
			return client.Response{Status: 204}, nil
		}
		return client.Response{Status: 200, Body: []byte(`{"value":[` + tables + `]}`)}, nil
	}), customers)
	r := client.Remote{Account: "acc", Endpoint: "https://acc.table.core.windows.net", Key: "c2VjcmV0"}
	d.do(func() { d.Connect(r, false) })
	d.do(func() { d.Navigate(customers) })
	d.do(func() { d.NewTable(r.ID()) })
	d.do(func() { d.sidebar.form.name = "Telemetry"; d.create() })
	wantShown(t, d, "probe  of acc@core.windows.net/Telemetry", `data-table="Telemetry"`)
	d.do(func() { d.Navigate(customers) })
	tables = `{"TableName":"CreatedByOthers"}`
	d.do(func() { d.Navigate(page.Route{Account: r.ID()}) })
	wantShown(t, d, `data-table="CreatedByOthers"`)
}

// TestListThatIsAnsweredLate: a list of tables that was requested before a table was
// created does not replace the one that has it.
func TestListThatIsAnsweredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, tables := pagetest.Filled(1), ""
		slow := &pagetest.Slow{Transport: pagetest.Transport(func(q client.Request) (client.Response, error) {
			if !strings.HasPrefix(q.URL, "https://acc.") {
				return endpoint.Do(context.Background(), q)
			}
			return client.Response{Status: 200, Body: []byte(`{"value":[` + tables + `]}`)}, nil
		})}
		d := open(t, slow, customers)
		r := client.Remote{Account: "acc", Endpoint: "https://acc.table.core.windows.net", Key: "c2VjcmV0"}
		d.remotes.add(r, false)
		d.do(func() {
			slow.During(func() { d.refreshRemote(r.ID()) }) // as when the user comes back to the tab
			tables = `{"TableName":"Telemetry"}`
			d.WroteTo(r.ID())
		})
		wantShown(t, d, `data-table="Telemetry"`)
	})
}

// TestAccountsThatAreAnsweredLate: a list of accounts, and a status, that were requested
// before something was written do not replace those from after that.
func TestAccountsThatAreAnsweredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, written := pagetest.Filled(1), false
		slow := &pagetest.Slow{Transport: pagetest.Transport(func(q client.Request) (client.Response, error) {
			answer, err := endpoint.Do(context.Background(), q)
			switch {
			case written && strings.HasSuffix(q.URL, "/accounts"):
				answer.Body = []byte(`{"accounts":[{"name":"devstoreaccount1"},{"name":"another"}]}`)
			case written && strings.HasSuffix(q.URL, "/status"):
				answer.Body = []byte(`{"build":"b","store":"files"}`)
			}
			return answer, err
		})}
		d := open(t, slow, customers)
		d.do(func() {
			slow.During(func() { d.loadCatalog(); d.refreshStatus() })
			written = true
			d.WroteTo(pagetest.Account)
		})
		if all, _ := d.catalog.Accounts.Data(); len(all) != 2 {
			t.Errorf("the accounts are %v", all)
		}
		if status, _ := d.status.Data(); status.Store != "files" {
			t.Errorf("the status is %+v", status)
		}
	})
}

func TestASASOfOneTableListsNone(t *testing.T) {
	d := open(t, pagetest.NewEndpoint(), page.Route{})
	r := client.Remote{Account: "acc", Endpoint: "http://127.0.0.1:5/acc", SAS: "sig=x", Table: "Telemetry"}
	d.do(func() { d.Connect(r, true) })
	wantShown(t, d, "Telemetry", "probe  of acc@127.0.0.1:5/Telemetry")
	wantHidden(t, d, `data-testid="new-remote-table"`)
}

// TestStoredAccounts: another tab has stored accounts, too.
func TestStoredAccounts(t *testing.T) {
	one, other := client.Remote{Account: "one", Endpoint: "http://127.0.0.1:5/one", Key: "c2VjcmV0"}, client.Remote{Account: "other", Endpoint: "http://127.0.0.1:5/other", Key: "c2VjcmV0"}
	r := remotes{remembered: map[string]bool{}}
	wantStored := func(step string, now, want []client.Remote) {
		t.Helper()
		if got := r.stored(slices.Clone(now), one.ID()); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", step, got, want)
		}
	}
	r.add(one, true)
	wantStored("added", []client.Remote{other}, []client.Remote{other, one})
	wantStored("one too many", slices.Repeat([]client.Remote{other}, maxRemembered), append(slices.Repeat([]client.Remote{other}, maxRemembered-1), one))
	r.add(one, false)
	wantStored("to be forgotten", []client.Remote{one, other}, []client.Remote{other})
	r.remove(one.ID())
	wantStored("removed", []client.Remote{one, other}, []client.Remote{other})
}
