package transfer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata/payload"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
)

// twoEndpoints sends requests to the endpoint of their host.
type twoEndpoints struct{ here, there *endpoint }

func (e twoEndpoints) Do(ctx context.Context, r client.Request) (client.Response, error) {
	if strings.HasPrefix(r.URL, "http://other/") {
		return e.there.Do(ctx, r)
	}
	return e.here.Do(ctx, r)
}

// promoteDriver is a promotion page under test.
type promoteDriver struct {
	*pagetest.Driver[*Promote]
	here, there *endpoint
}

func openPromote(t *testing.T, entities int, targets ...client.Remote) *promoteDriver {
	t.Helper()
	d := &promoteDriver{here: &endpoint{Endpoint: pagetest.Filled(entities)}, there: &endpoint{Endpoint: pagetest.NewEndpoint()}}
	started := &promotions{all: map[string]*promotion{}}
	d.Driver = pagetest.Open(t, twoEndpoints{d.here, d.there}, page.Route{Account: pagetest.Account, Page: "promote"}, func(p page.Props) *Promote { return &Promote{Props: p, started: started} })
	d.Driver.Remotes = map[string]client.Remote{}
	for _, r := range targets {
		d.Driver.Remotes[r.ID()] = r
	}
	d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of([]client.Table{{Name: "Customers", Entities: entities}})}
	d.Do(func() {})
	return d
}

var other = client.Remote{Account: "acc", Endpoint: "http://other/table/devstoreaccount1", SAS: "sig=x"}

// put stores an entity in the other account.
func (d *promoteDriver) put(t *testing.T, rowKey string) {
	t.Helper()
	source := d.here.Tables["Customers"]
	for _, e := range source {
		if e.RowKey == rowKey {
			d.there.Write("Customers", payload.AppendRequest(nil, e), true)
			return
		}
	}
	t.Fatalf("the source has no entity %s", rowKey)
}

func TestPromote(t *testing.T) {
	d := openPromote(t, 250, other)
	d.Shows("Copy to another account", "acc at http://other/", "Customers", "nothing is written yet")
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	d.Shows("Checked 1 table", "Copy to acc at http://other/", "a new table", "Copy 250 entities")
	d.Hides("will be replaced")
	if len(d.there.Tables) > 0 {
		t.Fatal("the dry run has written")
	}
	d.Do(func() { d.Page.onCopy(d.Context(), noEvent) })
	d.Shows("Copied 250 entities of 1 table", "complete", "Done")
	if n := len(d.there.Tables["Customers"]); n != 250 || len(d.Changed) != 1 || len(d.Offers) > 0 {
		t.Errorf("%d entities, changed %v, offers %v", n, d.Changed, d.Offers)
	}
}

func TestPromoteSaysWhatIsReplaced(t *testing.T) {
	d := openPromote(t, 250, other)
	for _, i := range []int{0, 101, 249} {
		d.put(t, d.here.Tables["Customers"][i].RowKey)
	}
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	d.Shows("replaces 3", "3 entities with the same keys will be replaced there")
}

// TestCopyIntoThisBrowser: tables of a connected account can be copied to accounts of
// this browser.
func TestCopyIntoThisBrowser(t *testing.T) {
	d := openPromote(t, 250, other)
	d.there.Tables["Customers"] = d.here.Tables["Customers"]
	delete(d.here.Tables, "Customers")
	d.Do(func() {
		d.Accounts.Accounts = remote.Of([]control.Account{{Name: pagetest.Account}})
		d.Accounts.Tables = map[string]remote.Value[[]client.Table]{other.ID(): remote.Of([]client.Table{{Name: "Customers", Entities: client.Unknown}})}
		d.Route = page.Route{Account: other.ID(), Page: "promote"}
	})
	d.Shows("Copy to another account", pagetest.Account+" in this browser")
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	d.Do(func() { d.Page.onCopy(d.Context(), noEvent) })
	d.Shows("Copied 250 entities of 1 table", "complete")
	if n := len(d.here.Tables["Customers"]); n != 250 || len(d.Changed) != 1 || d.Changed[0] != pagetest.Account {
		t.Errorf("%d entities, changed %v", n, d.Changed)
	}
}

func TestPromoteWithoutTargets(t *testing.T) {
	openPromote(t, 1).Shows("No account is connected", "Connect an account")
	d := openPromote(t, 1, other, client.Remote{Account: "acc2", Endpoint: "http://other/acc2", SAS: "sig=x"})
	d.Shows("Choose an account")
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	if d.Page.job() != nil {
		t.Error("a check without an account")
	}
}

// TestPromoteWithTableSAS: the signature of one table reaches no other one, and
// creates none.
func TestPromoteWithTableSAS(t *testing.T) {
	limited := other
	limited.Table = "Orders"
	d := openPromote(t, 3, limited)
	d.Shows("the signature reaches the table Orders alone")
	if names := d.Page.chosen(); len(names) > 0 {
		t.Errorf("chose %v", names)
	}
}

// TestPromoteContinues: a busy endpoint is asked again, a failure ends the copy with a
// report, and what is left can be copied later.
func TestPromoteContinues(t *testing.T) {
	d := openPromote(t, 250, other)
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	var pauses []time.Duration
	d.Page.job().pause = func(_ context.Context, pause time.Duration) { pauses = append(pauses, pause) }
	requests := 0
	d.there.answer = func() *client.Response {
		switch requests++; {
		case requests == 1:
			busy := serviceAnswer(503, "ServerBusy", "The server is busy.")
			return &busy
		case requests > 3:
			refused := serviceAnswer(403, "AuthorizationFailure", "Server failed to authorize the request.")
			return &refused
		}
		return nil
	}
	d.Do(func() { d.Page.onCopy(d.Context(), noEvent) })
	d.Shows("not complete", "Server failed to authorize", "Continue")
	if len(pauses) == 0 || pauses[0] != time.Second {
		t.Errorf("pauses %v", pauses)
	}
	d.there.answer = nil
	d.Do(func() { d.Page.onCopy(d.Context(), noEvent) })
	d.Shows("complete", "Done")
	if n := len(d.there.Tables["Customers"]); n != 250 {
		t.Errorf("%d entities", n)
	}
}

// TestPromoteCheckThatFails: nothing says that all was checked.
func TestPromoteCheckThatFails(t *testing.T) {
	d := openPromote(t, 250, other)
	d.here.Refuse = client.MethodGet
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	d.Shows("Checked 1 table; not complete")
}

func TestPromoteRefused(t *testing.T) {
	d := openPromote(t, 250, other)
	d.there.refused = d.here.Tables["Customers"][7].RowKey
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	d.Do(func() { d.Page.onCopy(d.Context(), noEvent) })
	d.Shows("Copied 249 entities of 1 table, 1 refused", "EntityAlreadyExists")
}

func TestPromoteCancelled(t *testing.T) {
	d := openPromote(t, 250, other)
	d.Do(func() { d.Page.onCheck(d.Context(), noEvent) })
	job := d.Page.job()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job.copy(ctx)
	if s := job.state(); !errors.Is(s.err, context.Canceled) {
		t.Errorf("ended with %v", s.err)
	}
	d.Do(func() {})
	d.Shows("Cancelled", "Continue")
	d.Do(func() { d.Page.onBack(d.Context(), noEvent) })
	d.Shows("nothing is written yet")
}

// serviceAnswer is an error of the service, for a transaction.
func serviceAnswer(status int, code, message string) client.Response {
	return client.Response{Status: status, Body: payload.AppendError(nil, code, message)}
}

var noEvent app.Event
