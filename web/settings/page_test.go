package settings

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/remote"
	"sandtable/web/sas"
)

var (
	account   = page.Route{Account: pagetest.Account, Page: "settings"}
	customers = page.Route{Account: pagetest.Account, Table: "Customers", Page: "settings"}
)

const address = "/table/devstoreaccount1/?restype=service&comp=properties"

func open(t *testing.T, f *pagetest.Endpoint, r page.Route) *pagetest.Driver[*Page] {
	t.Helper()
	return pagetest.Open(t, f, r, func(p page.Props) *Page { return &Page{Props: p, kept: &kept{jobs: page.Jobs{}}} })
}

func TestOnlyChangesAreSent(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, account)
	d.Hides("Will be sent")
	d.Do(func() { d.Page.form.tick("log-read"); d.Page.form.keep("log", "7") })
	d.Shows("Will be sent", "2 changes not saved", "Read was off, Keep logs was without limit", "<mark>&lt;Read&gt;true&lt;/Read&gt;</mark>", "<mark>&lt;Days&gt;7&lt;/Days&gt;</mark>")
	d.Hides("<mark>&lt;Write", "<mark>&lt;Version")
	// A change of what is kept says what was.
	before := client.Properties{}
	before.Hour.Retention = client.Retention{Enabled: true, Days: "1"}
	d.Do(func() { d.Page.stored = remote.Value[client.Properties]{}.Answered(before, nil) })
	d.Shows("Keep hour metrics was 1 day")
	d.Hides("1 days")
	d.Do(d.Page.loadProperties)
	d.Do(func() { d.Page.form.keep("log", " ") })
	d.Hides("not saved")
	d.Do(func() { d.Page.form.tick("log-read"); d.Page.form.keep("log", "7") })
	d.Do(d.Page.save)
	d.Notified("The service properties were saved")
	d.Hides("Will be sent")
	if sent := f.Sent[address]; !strings.Contains(sent, "<Read>true</Read>") || strings.Contains(sent, "Metrics") {
		t.Errorf("sent %s", sent)
	}
}

func TestDaysOutOfRangeAreNotSent(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, account)
	d.Do(func() { d.Page.form.metrics("hour").Enabled = true; d.Page.form.keep("hour", "366"); d.Page.save() })
	d.Shows("1 to 365 days.")
	if f.Sent[address] != "" {
		t.Errorf("sent %s", f.Sent[address])
	}
}

func TestRefusalStaysInTheForm(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, account)
	f.Deny = "InvalidXmlDocument"
	d.Do(func() { d.Page.form.tick("log-delete"); d.Page.save() })
	d.Shows("InvalidXmlDocument", "Will be sent")
	d.Do(func() { stored, _ := d.Page.stored.Data(); d.Page.take(stored, nil) })
	d.Hides("InvalidXmlDocument", "Will be sent")
}

func TestWhatIsKnownOfTheTable(t *testing.T) {
	f := pagetest.Filled(1)
	f.Sent = map[string]string{"/table/devstoreaccount1/Customers?comp=acl": string(client.PoliciesXML([]sas.Policy{{ID: "readers"}, {ID: "writers"}}))}
	d := open(t, f, customers)
	d.Shows("2 of 5")
	d.Hides("Created", "Holds")
	d.Do(func() {
		d.Accounts.Tables = map[string]remote.Value[[]client.Table]{pagetest.Account: remote.Of([]client.Table{
			{Name: "Customers", Created: time.Date(2026, 11, 18, 9, 12, 44, 0, time.UTC)}})}
		d.Page.partitions = remote.Of(control.Partitions{All: 34, Entities: 2501, Bytes: 600 << 10})
	})
	d.Shows("2026-11-18 09:12:44 UTC", "2,501 entities in 34 partitions, 600 KiB")
}

func TestAddressOfACosmosTable(t *testing.T) {
	d := open(t, pagetest.Filled(1), page.Route{Account: pagetest.Account, Table: "50% a&b"})
	d.Shows("/50%25%20a%26b")
}

func TestDeletionNeedsTheName(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, customers)
	d.Shows("Delete table", "The snapshot can bring them back")
	for _, typed := range []string{"", "customers", "Customers "} {
		d.Do(func() { d.Page.removal.typed = typed; d.Page.remove() })
	}
	if _, there := f.Tables["Customers"]; !there {
		t.Fatal("deleted without its name")
	}
	d.Do(func() { d.Page.removal.typed = "Customers"; d.Page.remove() })
	if _, there := f.Tables["Customers"]; there {
		t.Error("not deleted")
	}
	if !slices.Contains(f.Requests, "POST /_sandtable/accounts/devstoreaccount1/snapshots") {
		t.Errorf("no snapshot was taken: %s", f.Requests)
	}
	if want := (page.Route{Account: pagetest.Account}); d.Route != want {
		t.Errorf("at %+v", d.Route)
	}
}

// TestLeavingDuringTheDeletion: the user stays where they are by then, and is told.
func TestLeavingDuringTheDeletion(t *testing.T) {
	for _, c := range []struct{ refuse, says string }{
		{"", `The table "Customers" was deleted`},
		{client.MethodDelete, `The table "Customers" was not deleted: `},
	} {
		f := pagetest.Filled(1)
		f.Refuse = c.refuse
		d := pagetest.Open(t, f, customers, func(p page.Props) *Page { return &Page{Props: p, kept: &kept{jobs: page.Jobs{}}} })
		d.LeaveDuring(func() {
			d.Page.removal.typed = "Customers"
			d.Page.remove()
		})
		d.Notified(c.says)
		if d.Route != pagetest.Elsewhere {
			t.Errorf("at %+v", d.Route)
		}
	}
}

// TestLeavingDuringAChange: what was not changed is reported.
func TestLeavingDuringAChange(t *testing.T) {
	for says, change := range map[string]func(*Page){
		"The account was not changed: InternalError": func(p *Page) { p.setAccess("signed") },
		"The setting was not changed: InternalError": func(p *Page) { p.set(control.Settings{}) },
		"The service properties were not saved: InvalidXmlDocument": func(p *Page) {
			p.form.tick("log-delete")
			p.save()
		},
	} {
		f := pagetest.Filled(1)
		f.Refuse, f.Deny = client.MethodPatch, "InvalidXmlDocument"
		d := open(t, f, customers)
		d.LeaveDuring(func() { change(d.Page) })
		d.Notified(says)
	}
}

// TestTheLastChoiceWins, also where the endpoint takes longer with the one before.
func TestTheLastChoiceWins(t *testing.T) {
	for name, choose := range map[string]func(p *Page, choice string){
		"unsigned requests": (*Page).setAccess,
		"deleted names":     func(p *Page, delay string) { p.set(control.Settings{TableDeletion: &delay}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, sent := pagetest.Filled(1), make(chan string, 2)
				transport := pagetest.Transport(func(r client.Request) (client.Response, error) {
					if r.Method == client.MethodPatch {
						if strings.Contains(string(r.Body), "first") {
							time.Sleep(time.Second)
						}
						sent <- string(r.Body)
					}
					return f.Do(t.Context(), r)
				})
				d := pagetest.Open(t, transport, account, func(p page.Props) *Page { return &Page{Props: p, kept: &kept{jobs: page.Jobs{}}} })
				d.Do(func() { choose(d.Page, "first"); choose(d.Page, "second") })
				if <-sent; !strings.Contains(<-sent, "second") {
					t.Error("the first choice was sent last")
				}
			})
		})
	}
}

// noSnapshots is an endpoint without space for another snapshot.
type noSnapshots struct {
	*pagetest.Endpoint
	asked *string // the last request's body
}

func (e noSnapshots) Do(c context.Context, r client.Request) (client.Response, error) {
	if strings.HasSuffix(r.URL, "/snapshots") {
		*e.asked = string(r.Body)
		return client.Response{Status: 409, Body: []byte(`{"error":{"code":"TooManySnapshots","message":"An account has 32 snapshots at most."}}`)}, nil
	}
	return e.Endpoint.Do(c, r)
}

func TestWithoutTheSnapshotNothingIsDeleted(t *testing.T) {
	f, asked := pagetest.Filled(1), ""
	d := pagetest.Open(t, noSnapshots{f, &asked}, customers, func(p page.Props) *Page { return &Page{Props: p, kept: &kept{jobs: page.Jobs{}}} })
	d.Do(func() { d.Page.removal.typed = "Customers"; d.Page.remove() })
	d.Shows("TooManySnapshots", "Nothing was deleted.")
	if want := `{"kind":"delete","name":"before deleting Customers"}`; asked != want {
		t.Errorf("requested %s, want %s", asked, want)
	}
	if _, there := f.Tables["Customers"]; !there {
		t.Fatal("deleted")
	}
	d.Do(func() { d.Page.onSnapshot(d.Context(), app.Event{}) })
	d.Shows("cannot be undone")
	f.Refuse = "DELETE"
	d.Do(d.Page.remove)
	d.Shows("InternalError")
	d.Hides("Nothing was deleted.")
	f.Refuse = ""
	d.Do(d.Page.remove)
	if _, there := f.Tables["Customers"]; there {
		t.Error("not deleted without a snapshot")
	}
}

func TestTheOnlyAccountStays(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, account)
	d.Shows("This is the only account.")
	d.Hides("Type the name")
	d.Do(func() {
		d.Accounts.Accounts = remote.Of([]control.Account{{Name: pagetest.Account}, {Name: "other"}})
		d.Page.removal.typed = pagetest.Account
		d.Page.remove()
	})
	if !slices.Contains(f.Requests, "DELETE /_sandtable/accounts/devstoreaccount1") {
		t.Errorf("sent %q", f.Requests)
	}
}

// TestConnectedAccount: what only this browser's accounts have is not offered.
func TestConnectedAccount(t *testing.T) {
	d := open(t, pagetest.Filled(1), account)
	d.Remotes = map[string]client.Remote{"acc@host": {Account: "acc", Endpoint: "http://host/table/devstoreaccount1", SAS: "sig=x"}}
	d.Do(func() { d.Page.Route = page.Route{Account: "acc@host", Page: "settings"}; d.Page.loadProperties() })
	if !d.Page.Connected() || d.Page.drawAccount() != nil {
		t.Error("settings of this browser are offered for an account elsewhere")
	}
}

// TestEmptyTable deletes the entities and keeps the table, after a question.
func TestEmptyTable(t *testing.T) {
	f := pagetest.Filled(250)
	d := open(t, f, customers)
	d.Do(d.Page.askToEmpty)
	if q := d.Question; q == nil || q.Title != "Delete all entities of Customers?" || q.Choice == nil || !*q.Choice {
		t.Fatalf("asked %+v", q)
	}
	d.Answer(false)
	if n := len(f.Tables["Customers"]); n != 250 {
		t.Errorf("%d of 250 entities are left after “Cancel”", n)
	}
	f.Requests = nil
	d.Do(d.Page.askToEmpty)
	d.Answer(true)
	left, kept := f.Tables["Customers"]
	if len(left) != 0 || !kept {
		t.Errorf("%d entities are left, the table is kept: %v", len(left), kept)
	}
	if !slices.Contains(f.Requests, "POST /_sandtable/accounts/devstoreaccount1/snapshots") {
		t.Errorf("no snapshot was taken: %q", f.Requests)
	}
	d.Notified("Deleted 250 entities of Customers")
}

// TestEmptyingFails: the page says so, or a message if another page is shown by then.
func TestEmptyingFails(t *testing.T) {
	for _, left := range []bool{false, true} {
		f := pagetest.Filled(250)
		var d *pagetest.Driver[*Page]
		d = pagetest.Open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
			if !strings.HasSuffix(r.URL, "/$batch") {
				return f.Do(t.Context(), r)
			}
			if left {
				d.Page.kept.page = nil
			}
			return client.Response{}, client.ErrNoAnswer
		}), customers, func(p page.Props) *Page { return &Page{Props: p, kept: &kept{jobs: page.Jobs{}}} })
		d.Do(d.Page.askToEmpty)
		d.Answer(true)
		d.Shows("0 entities deleted.")
		const message = "Not all entities of Customers were deleted: 0 entities deleted."
		if said := slices.Contains(d.Notices, message); said != left {
			t.Errorf("left %v: messages %q", left, d.Notices)
		}
	}
}
