package access

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/sas"
)

var noon = time.Date(2026, 11, 20, 12, 0, 30, 0, time.UTC)

func open(t *testing.T, f client.Transport, r page.Route) *pagetest.Driver[*Page] {
	t.Helper()
	d := pagetest.Open(t, f, r, func(p page.Props) *Page { return &Page{Props: p} })
	d.Do(func() {
		d.Page.now = func() time.Time { return noon }
		d.Page.builder.preset("st", "-5m", noon)
		d.Page.builder.preset("se", "168h", noon)
	})
	return d
}

// reads fails the test unless the page's text contains all texts. Blanks do not
// count, since elements begin on lines of their own.
func reads(t *testing.T, d *pagetest.Driver[*Page], texts ...string) {
	t.Helper()
	shown := regexp.MustCompile(`(?s)<[^>]*>|\s+`).ReplaceAllString(d.HTML(), "")
	for _, text := range texts {
		if !strings.Contains(shown, strings.ReplaceAll(text, " ", "")) {
			t.Errorf("the page does not read %q", text)
		}
	}
}

var customers = page.Route{Account: pagetest.Account, Table: "Customers", Page: "access"}

func TestBuilder(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	reads(t, d, "Anyone with this link can query entities in Customers, over HTTPS only")
	d.Shows("6 d 23 h 59 min 30 s",
		`value="2026-11-20 11:55:00 UTC"`, `value="2026-11-27 12:00:00 UTC"`)
	d.Do(func() {
		d.Page.builder.token.Permissions = sas.Toggle(sas.Toggle("r", "d", sas.TablePermissions), "a", sas.TablePermissions)
		d.Page.builder.set("spk", "EU <b>")
		d.Page.builder.set("epk", "EU <b>")
	})
	reads(t, d, "query, add and delete entities in Customers, only in partition EU &lt;b&gt;", "sp=rad", "spk=EU%20%3Cb%3E")
	d.Do(func() { d.Page.builder.set("se", "2026-11-20 12:30 UTC") })
	d.Shows(`class="countdown ending"`, "29 min 30 s")
	d.Do(func() { d.Page.builder.set("se", "2026-11-20 12:00 UTC") })
	d.Shows(`class="countdown expired"`, "30 s ago")
	d.Do(func() { d.Page.builder.set("se", "tomorrow") })
	d.Shows("Not a time", "The link appears here once")
	d.Hides("sig=")
}

func TestBuilderForTheAccount(t *testing.T) {
	d := open(t, pagetest.Filled(1), page.Route{Account: pagetest.Account, Page: "access"})
	reads(t, d, "Applies to", "entities in all tables", "srt=sco")
	d.Hides("Stored access policies", "From keys")
}

// TestPolicyFixesFields: what the policy sets is shown, cannot be changed and is
// not in the link.
func TestPolicyFixesFields(t *testing.T) {
	f := pagetest.Filled(1)
	address := "/table/devstoreaccount1/Customers?comp=acl"
	f.Sent = map[string]string{address: string(client.PoliciesXML([]sas.Policy{{ID: "sync", Permissions: "ru", Expiry: "2026-12-01"}}))}
	d := open(t, f, customers)
	d.Shows("1 of 5", "sync", "active", "… – 2026-12-01")
	all, _ := d.Page.policies.loaded.Data()
	d.Do(func() { d.Page.builder.token.Policy = all[0] })
	reads(t, d, "can query and update entities", "sv=2019-02-02&amp;st=2026-11-20T11%3A55%3A00Z&amp;spr=https&amp;tn=customers&amp;si=sync&amp;sig=")
	d.Shows(`value="2026-12-01 00:00:00 UTC"`, "disabled")

	d.Do(func() { d.Page.deletePolicy(0) })
	d.Answer(true)
	if got := f.Sent[address]; strings.Contains(got, "sync") {
		t.Errorf("sent %s", got)
	}
	reads(t, d, "0 of 5", "&amp;sp=r&amp;spr=https&amp;tn=customers&amp;sig=")
}

// TestCountsOfWhatWasRead: a list that could not be read has no count.
func TestCountsOfWhatWasRead(t *testing.T) {
	endpoint, down := pagetest.Filled(1), true
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if down && strings.Contains(r.URL, "comp=") {
			return client.Response{}, client.ErrNoAnswer
		}
		return endpoint.Do(t.Context(), r)
	}), customers)
	reads(t, d, "The endpoint does not answer.", "for the whole account")
	d.Hides(" of 5")
	down = false
	d.Do(func() { d.Page.loadPolicies(); d.Page.loadRules() })
	reads(t, d, "Stored access policies 0 of 5", "CORS rules 0 of 5 · for the whole account")
}

func TestPolicyIsAdded(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, customers)
	d.Do(func() {
		d.Page.policies.edit = &policyEdit{policy: sas.Policy{ID: "partner"}}
		d.Page.policies.edit.set("expiry", "soon")
	})
	d.Shows("Not a time.")
	f.Deny = "InvalidXmlDocument"
	d.Do(d.Page.savePolicy)
	d.Shows("InvalidXmlDocument", "not syntactically valid")
	f.Deny = ""
	d.Do(func() { d.Page.policies.edit.set("expiry", "2027-01-31"); d.Page.savePolicy() })
	d.Shows("1 of 5", "partner", "2027-01-31")
	d.Hides("Save policy")
	if got := f.Sent["/table/devstoreaccount1/Customers?comp=acl"]; !strings.Contains(got, "<Id>partner</Id><AccessPolicy><Expiry>2027-01-31T00:00:00Z</Expiry>") {
		t.Errorf("sent %s", got)
	}
}

// TestPolicyStates: a policy without an end begins nevertheless.
func TestPolicyStates(t *testing.T) {
	p := &Page{now: func() time.Time { return noon }}
	for _, test := range []struct{ start, expiry, want string }{
		{"", "", "active"},
		{"2026-11-20 12:00:00 UTC", "", "active"},
		{"2026-11-20 12:01:00 UTC", "", "not yet"},
		{"2026-11-20 12:01:00 UTC", "2026-12-01", "not yet"},
		{"", "2026-11-20 13:00:00 UTC", "ending"},
		{"", "2026-11-20", "expired"},
	} {
		if got, _ := policyState(sas.Policy{ID: "p", Start: test.start, Expiry: test.expiry}, p); got != test.want {
			t.Errorf("from %q to %q: %s, want %s", test.start, test.expiry, got, test.want)
		}
	}
}

func TestPolicyProblems(t *testing.T) {
	others := []sas.Policy{{ID: "a"}, {ID: "b"}}
	for name, c := range map[string]struct {
		edit  policyEdit
		field string
	}{
		"no identifier":      {policyEdit{}, "id"},
		"a taken identifier": {policyEdit{policy: sas.Policy{ID: "a"}}, "id"},
		"another's":          {policyEdit{before: others[0], policy: sas.Policy{ID: "b"}}, "id"},
		"too long":           {policyEdit{policy: sas.Policy{ID: strings.Repeat("x", 65)}}, "id"},
		"backwards":          {policyEdit{policy: sas.Policy{ID: "c", Start: "2027-01-01", Expiry: "2026-01-01"}}, "expiry"},
		"its own name":       {policyEdit{before: others[0], policy: sas.Policy{ID: "a"}}, ""},
	} {
		got := c.edit.problems(others)
		if (c.field == "" && len(got) > 0) || (c.field != "" && got[c.field] == "") {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestRules(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, customers)
	d.Shows("0 of 5 · for the whole account", "rules only matter once the account is served")
	d.Do(func() {
		d.Page.onAddRule(d.Context(), app.Event{})
		d.Page.cors.edit.set("AllowedOrigins", "app.contoso.com")
	})
	d.Shows("An origin begins with https://")
	d.Do(func() { d.Page.cors.edit.set("AllowedOrigins", "https://app.contoso.com"); d.Page.saveRule() })
	d.Shows("1 of 5", "https://app.contoso.com", "cached for 3,600 s")
	sent := f.Sent["/table/devstoreaccount1/?restype=service&comp=properties"]
	if !strings.Contains(sent, "<AllowedOrigins>https://app.contoso.com</AllowedOrigins>") || strings.Contains(sent, "Logging") {
		t.Errorf("sent %s", sent)
	}
}

func TestKeys(t *testing.T) {
	f := pagetest.Filled(1)
	d := open(t, f, customers)
	d.Shows(hiddenKey, "Create")
	d.Hides("c2VjcmV0<")
	d.Do(func() { d.Page.shown["primary"] = true })
	d.Shows("c2VjcmV0")
	d.Do(func() { d.Page.askRegenerate("primary") })
	if d.Question == nil || !strings.Contains(d.Question.Text, "stops working") {
		t.Fatalf("asked %+v", d.Question)
	}
	d.Answer(true)
	d.Notified("new primary key")
}

// TestKeysThatAreAnsweredLate: keys that were requested before one was regenerated do not
// replace it.
func TestKeysThatAreAnsweredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, key := pagetest.Filled(1), "b2xk"
		slow := &pagetest.Slow{Transport: pagetest.Transport(func(r client.Request) (client.Response, error) {
			switch {
			case !strings.Contains(r.URL, "/keys"):
				return f.Do(context.Background(), r)
			case r.Method != client.MethodGet:
				key = "bmV3"
			case key == "bmV3":
				return client.Response{}, client.ErrNoAnswer
			}
			return client.Response{Status: 200, Body: []byte(`{"primary":"` + key + `"}`)}, nil
		})}
		d := open(t, slow, customers)
		d.Do(func() {
			slow.During(d.Page.refreshKeys)
			d.Page.regenerate("primary")
		})
		if c, _ := d.Page.credentials.Data(); c.keys.Primary != "bmV3" {
			t.Errorf("the page has the key %s", c.keys.Primary)
		}
	})
}

// TestConnectedWithoutKey: with a SAS no other one can be made.
func TestConnectedWithoutKey(t *testing.T) {
	f := pagetest.Filled(1)
	d := pagetest.Open(t, f, page.Route{Account: "a"}, func(p page.Props) *Page { return &Page{Props: p} })
	d.Remotes = map[string]client.Remote{"acc@host": {Account: "acc", Endpoint: "http://host/table/devstoreaccount1", SAS: "sig=x"}}
	d.Do(func() { d.Route = page.Route{Account: "acc@host", Table: "Customers"} })
	d.Shows("No key to sign with", "Keys of a connected account are regenerated where the account lives.")
	d.Hides("Unsigned requests", "sas-form")
}

// TestLinkIsTried: the outcome is shown for the link that was tried, and no other.
func TestLinkIsTried(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	d.Do(d.Page.try)
	reads(t, d, "The link works: it has just read the table Customers.")
	d.Do(func() { d.Page.builder.token.Permissions = "d" })
	reads(t, d, "reads the table Customers with the link alone")
	d.Hides("The link works")
}

// TestLinkToACosmosTable: Cosmos DB allows names that have to be escaped.
func TestLinkToACosmosTable(t *testing.T) {
	odd := customers
	odd.Table = "50% a&b"
	d := open(t, pagetest.Filled(1), odd)
	if got := d.Page.url(credentials{endpoint: "https://x"}); got != "https://x/50%25%20a%26b" {
		t.Errorf("the URL is %s", got)
	}
	resource, name, _ := trialResource(d.Page.builder.token, nil)
	if resource != "/50%25%20a%26b()?$top=1" || name != "the table 50% a&b" {
		t.Errorf("%s reads %s", resource, name)
	}
	resource, _, _ = trialResource(sas.Token{ResourceTypes: "o"}, []client.Table{{Name: odd.Table}})
	if resource != "/50%25%20a%26b()?$top=1" {
		t.Errorf("an account's link reads %s", resource)
	}
}

func TestTrialOutcome(t *testing.T) {
	refused := func(code string) error { return &client.ServiceError{Status: 403, Code: code, Message: "m"} }
	for code, want := range map[string]struct {
		text string
		good bool
	}{
		"AuthorizationPermissionMismatch":   {"The signature is valid", true},
		"AuthorizationResourceTypeMismatch": {"The signature is valid", true},
		"AuthorizationProtocolMismatch":     {"HTTPS only", false},
		"AuthorizationSourceIPMismatch":     {"address of this computer", false},
		"AuthenticationFailed":              {"expired", false},
		"AuthorizationFailure":              {"does not allow it", false},
		"TableNotFound":                     {"TableNotFound: m", false},
	} {
		if text, good := trialOutcome(refused(code), "x"); !strings.Contains(text, want.text) || good != want.good {
			t.Errorf("%s: got %q, %v", code, text, good)
		}
	}
	if text, good := trialOutcome(client.ErrNoAnswer, "x"); good || text == "" {
		t.Errorf("no answer: got %q, %v", text, good)
	}
}

func TestPastedLink(t *testing.T) {
	d := open(t, pagetest.Filled(1), customers)
	made := sas.Token{Account: pagetest.Account, Table: "Customers", Permissions: "ru", Expiry: "2026-11-21"}
	d.Do(func() { d.Page.pasted = "https://x/Customers?" + sas.Query(made.Signed([]byte("secret"))) })
	reads(t, d, "query and update entities in customers", "Signed with the primary key of devstoreaccount1.")
	d.Do(func() {
		d.Page.pasted = "https://x/?" + sas.Query(sas.Token{Account: "o", Permissions: "l", ResourceTypes: "c", Expiry: "2020-01-01"}.Signed([]byte("x")))
	})
	reads(t, d, "can list tables of its account", "Not signed with a present key", "expired")
	d.Do(func() { d.Page.pasted = "<b>" })
	d.Shows("There is no signature")
}
