package access

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/pagetest"
	"sandtable/web/sas"
)

const (
	policiesAt = "/table/devstoreaccount1/Customers?comp=acl"
	rulesAt    = "/table/devstoreaccount1/?restype=service&comp=properties"
)

func storePolicies(f *pagetest.Endpoint, all ...sas.Policy) {
	f.Sent[policiesAt] = string(client.PoliciesXML(all))
}

func storeRules(f *pagetest.Endpoint, origins ...string) {
	f.Sent[rulesAt] = string(client.PropertiesXML(client.Properties{CORS: rules(origins)}.Changes(client.Properties{})))
}

func rules(origins []string) []client.CORSRule {
	var all []client.CORSRule
	for _, origin := range origins {
		all = append(all, client.CORSRule{Origins: origin, Methods: "GET", MaxAge: "0"})
	}
	return all
}

// stored returns what stands between these tags in a document that was sent.
func stored(document, tag string) string {
	var all []string
	for _, part := range strings.Split(document, "<"+tag+">")[1:] {
		text, _, _ := strings.Cut(part, "</"+tag+">")
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// wantStored checks what is stored, that the page shows it, and what the page says.
func wantStored(t *testing.T, d *pagetest.Driver[*Page], got, want, says string) {
	t.Helper()
	if got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	if says != "" && !strings.Contains(d.HTML()+strings.Join(d.Notices, " "), says) {
		t.Errorf("nothing says %q", says)
	}
	reads(t, d, strings.Fields(want)...)
}

// TestPoliciesOfOthersStay: a change of one policy keeps those that were made
// while the page was open, and says so if the policy itself is not as it was.
func TestPoliciesOfOthersStay(t *testing.T) {
	a, b := sas.Policy{ID: "a", Permissions: "r"}, sas.Policy{ID: "b", Permissions: "r"}
	edit := func(d *pagetest.Driver[*Page], id string) {
		d.Do(func() { d.Page.policies.edit = &policyEdit{before: a, policy: a}; d.Page.policies.edit.set("id", id) })
	}
	save := func(d *pagetest.Driver[*Page]) { d.Do(d.Page.savePolicy) }
	for _, c := range []struct {
		name      string
		elsewhere []sas.Policy
		act       func(*pagetest.Driver[*Page])
		want      string
		says      string
	}{
		{"add", []sas.Policy{a, b}, func(d *pagetest.Driver[*Page]) {
			d.Do(func() { d.Page.policies.edit = &policyEdit{policy: sas.Policy{ID: "c"}} })
			save(d)
		}, "a b c", ""},
		{"add one that is there by now", []sas.Policy{a, b}, func(d *pagetest.Driver[*Page]) {
			d.Do(func() { d.Page.policies.edit = &policyEdit{policy: sas.Policy{ID: "b"}} })
			save(d)
		}, "a b", "Another policy has this identifier"},
		{"change", []sas.Policy{b, a}, func(d *pagetest.Driver[*Page]) { edit(d, "a2"); save(d) }, "b a2", ""},
		{"change one that was changed", []sas.Policy{{ID: "a", Permissions: "d"}, b}, func(d *pagetest.Driver[*Page]) { edit(d, "a2"); save(d) }, "a b", "was changed elsewhere"},
		{"change one that was changed, twice", []sas.Policy{{ID: "a", Permissions: "d"}, b}, func(d *pagetest.Driver[*Page]) { edit(d, "a2"); save(d); save(d) }, "a2 b", ""},
		{"change one that was deleted", []sas.Policy{b}, func(d *pagetest.Driver[*Page]) { edit(d, "a2"); save(d) }, "b", "was deleted elsewhere"},
		{"change one that was deleted, twice", []sas.Policy{b}, func(d *pagetest.Driver[*Page]) { edit(d, "a2"); save(d); save(d) }, "b a2", ""},
		{"delete", []sas.Policy{b, a}, func(d *pagetest.Driver[*Page]) { d.Do(func() { d.Page.deletePolicy(0) }); d.Answer(true) }, "b", ""},
		{"delete one that was changed", []sas.Policy{b, {ID: "a", Permissions: "d"}}, func(d *pagetest.Driver[*Page]) { d.Do(func() { d.Page.deletePolicy(0) }); d.Answer(true) }, "b a", "was changed elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := pagetest.Filled(1)
			f.Sent = map[string]string{}
			storePolicies(f, a)
			d := open(t, f, customers)
			storePolicies(f, c.elsewhere...)
			c.act(d)
			wantStored(t, d, stored(f.Sent[policiesAt], "Id"), c.want, c.says)
		})
	}
}

// TestTwoPoliciesDeletedAtOnce: the second deletion does not put back what the first one
// has deleted, however long the answers take, also by a page that was left meanwhile.
func TestTwoPoliciesDeletedAtOnce(t *testing.T) {
	for _, left := range []bool{false, true} {
		twoPoliciesDeletedAtOnce(t, left)
	}
}

func twoPoliciesDeletedAtOnce(t *testing.T, left bool) {
	f := pagetest.Filled(1)
	f.Sent = map[string]string{}
	storePolicies(f, sas.Policy{ID: "a"}, sas.Policy{ID: "b"}, sas.Policy{ID: "c"})
	var reads atomic.Int32
	second := make(chan struct{})
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		if r.Method == client.MethodGet && strings.HasSuffix(r.URL, "comp=acl") {
			if reads.Add(1) == 3 { // the first one is that of the page
				close(second)
			}
		} else if reads.Load() == 2 {
			select { // the first deletion is slow: the other one reads meanwhile, if it does not wait
			case <-second:
			case <-time.After(100 * time.Millisecond):
			}
		}
		return f.Do(context.Background(), r)
	}), customers)
	d.Do(func() {
		first := d.Page
		if left {
			first = &Page{Props: d.Page.Props, policies: policies{table: "Customers"}}
		}
		first.writePolicies(&policyEdit{before: sas.Policy{ID: "a"}})
		d.Page.writePolicies(&policyEdit{before: sas.Policy{ID: "b"}})
	})
	if got := stored(f.Sent[policiesAt], "Id"); got != "c" {
		t.Errorf("left %v: stored %q", left, got)
	}
}

// TestPolicyThatIsNotDeletedAfterLeaving: whoever revokes links and leaves is told that
// they still work.
func TestPolicyThatIsNotDeletedAfterLeaving(t *testing.T) {
	f := pagetest.Filled(1)
	f.Sent, f.Deny = map[string]string{}, "InvalidXmlDocument"
	storePolicies(f, sas.Policy{ID: "a"})
	d := open(t, f, customers)
	d.LeaveDuring(func() { d.Page.writePolicies(&policyEdit{before: sas.Policy{ID: "a"}}) })
	d.Notified("The policies were not saved")
}

// TestKeyThatIsRegeneratedAfterLeaving: both outcomes are reported.
func TestKeyThatIsRegeneratedAfterLeaving(t *testing.T) {
	for refuse, says := range map[string]string{"": "The account has a new primary key", client.MethodPost: "The key was not regenerated: InternalError"} {
		f := pagetest.Filled(1)
		f.Refuse = refuse
		d := open(t, f, customers)
		d.LeaveDuring(func() { d.Page.regenerate("primary") })
		d.Notified(says)
	}
}

// TestRulesOfOthersStay is the same for CORS rules, which have no names.
func TestRulesOfOthersStay(t *testing.T) {
	change := func(d *pagetest.Driver[*Page], origin string) {
		d.Do(func() {
			all, _ := d.Page.cors.loaded.Data()
			d.Page.cors.edit = &ruleEdit{at: 0, before: all.CORS[0], rule: all.CORS[0]}
			d.Page.cors.edit.set("AllowedOrigins", origin)
			d.Page.saveRule()
		})
	}
	for _, c := range []struct {
		name, elsewhere string
		act             func(*pagetest.Driver[*Page])
		want, says      string
	}{
		{"add", "https://a https://b", func(d *pagetest.Driver[*Page]) {
			d.Do(func() {
				d.Page.onAddRule(d.Context(), app.Event{})
				d.Page.cors.edit.set("AllowedOrigins", "https://c")
				d.Page.saveRule()
			})
		}, "https://a https://b https://c", ""},
		{"change", "https://b https://a", func(d *pagetest.Driver[*Page]) { change(d, "https://c") }, "https://b https://c", ""},
		{"change one that is gone", "https://b", func(d *pagetest.Driver[*Page]) { change(d, "https://c") }, "https://b", "was changed or deleted elsewhere"},
		{"change one that is gone, twice", "https://b", func(d *pagetest.Driver[*Page]) { change(d, "https://c"); d.Do(d.Page.saveRule) }, "https://b https://c", ""},
		{"delete", "https://b https://a", func(d *pagetest.Driver[*Page]) { d.Do(func() { d.Page.deleteRule(0) }); d.Answer(true) }, "https://b", ""},
		{"delete one that is gone", "https://b", func(d *pagetest.Driver[*Page]) { d.Do(func() { d.Page.deleteRule(0) }); d.Answer(true) }, "https://b", "was changed or deleted elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := pagetest.Filled(1)
			f.Sent = map[string]string{}
			storeRules(f, "https://a")
			d := open(t, f, customers)
			storeRules(f, strings.Fields(c.elsewhere)...)
			c.act(d)
			wantStored(t, d, stored(f.Sent[rulesAt], "AllowedOrigins"), c.want, c.says)
		})
	}
}

// TestKeyRegeneratedElsewhere: when the shell draws the page again, as it does when the
// user comes back to the tab, links are signed with the key as it is now.
func TestKeyRegeneratedElsewhere(t *testing.T) {
	f := pagetest.Filled(1)
	key := "c2VjcmV0"
	d := open(t, pagetest.Transport(func(r client.Request) (client.Response, error) {
		answer, err := f.Do(context.Background(), r)
		if strings.HasSuffix(r.URL, "/keys") {
			answer.Body = []byte(strings.ReplaceAll(string(answer.Body), "c2VjcmV0", key))
		}
		return answer, err
	}), customers)
	d.Do(func() { d.Page.shown["primary"] = true; d.Page.builder.token.Protocol = "https,http" })
	d.Shows("c2VjcmV0")
	c, _ := d.Page.credentials.Data()
	before := d.Page.signed(c)
	key = "bmV3"
	d.Do(func() {})
	d.Shows("bmV3")
	d.Hides("c2VjcmV0")
	c, _ = d.Page.credentials.Data()
	if slices.Equal(d.Page.signed(c), before) {
		t.Error("the link is still signed with the old key")
	}
	if d.Page.builder.token.Protocol != "https,http" {
		t.Error("a choice of the form is lost")
	}
}

// TestLeavingAsks: a form that was filled in is not dropped without a question.
func TestLeavingAsks(t *testing.T) {
	for name, c := range map[string]struct {
		fill func(*pagetest.Driver[*Page])
		asks bool
	}{
		"nothing": {func(*pagetest.Driver[*Page]) {}, false},
		"empty forms": {func(d *pagetest.Driver[*Page]) {
			d.Page.onAddPolicy(d.Context(), app.Event{})
			d.Page.onAddRule(d.Context(), app.Event{})
		}, false},
		"a new policy": {func(d *pagetest.Driver[*Page]) {
			d.Page.onAddPolicy(d.Context(), app.Event{})
			d.Page.policies.edit.set("id", "a")
		}, true},
		"a new rule": {func(d *pagetest.Driver[*Page]) {
			d.Page.onAddRule(d.Context(), app.Event{})
			d.Page.cors.edit.set("AllowedOrigins", "https://a")
		}, true},
		"a policy that is put back": {func(d *pagetest.Driver[*Page]) {
			a := sas.Policy{ID: "a"}
			d.Page.policies.edit = &policyEdit{before: a, policy: a}
			d.Page.policies.edit.set("id", "b")
			d.Page.policies.edit.set("id", "a")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, pagetest.Filled(1), customers)
			d.Do(func() { c.fill(d) })
			left := false
			d.Do(func() { d.Leave(func() { left = true }) })
			if asked := d.Question != nil; asked != c.asks || left == c.asks {
				t.Errorf("asked %v, left %v", asked, left)
			}
		})
	}
}
