//go:build !js

package client

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/connection"
	"sandtable/server"
	"sandtable/server/nethttp"
	"sandtable/web/sas"
)

// strict starts a server with a strict account, and returns the account with its
// key.
func strict(t *testing.T) Remote {
	t.Helper()
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	key, err := sas.DecodeKey(connection.WellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *engine.Tx) error {
		return tx.PutAccount(engine.Account{Name: "strictaccount", Keys: [2][]byte{key}, Access: engine.StrictAccess})
	}); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(nethttp.Handler(server.New(db, server.Options{Now: time.Now})))
	t.Cleanup(s.Close)
	r, err := WithKey(s.URL, "strictaccount", connection.WellKnownKey)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// link returns the account as a link with the token reaches it.
func link(r Remote, t sas.Token) *Client {
	t.Account = r.Account
	key, _ := sas.DecodeKey(r.Key)
	return Remote{Account: r.Account, Endpoint: r.Endpoint, SAS: sas.Query(t.Signed(key))}.Client(DefaultTransport())
}

func row(partition, row string) *odata.Entity {
	return &odata.Entity{PartitionKey: partition, RowKey: row}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if code == "" && err != nil || code != "" && !HasCode(err, code) {
		t.Errorf("got %v, want %q", err, code)
	}
}

// TestSharedKeyAgainstTheServer: everything that pages do is accepted when it is
// signed, with keys that have to be escaped.
func TestSharedKeyAgainstTheServer(t *testing.T) {
	ctx := context.Background()
	r := strict(t)
	c := r.Client(DefaultTransport())
	if err := c.Check(ctx, ""); err != nil {
		t.Fatal(err)
	}
	wantCode(t, c.CreateTable(ctx, "Things"), "")
	odd := &odata.Entity{PartitionKey: "a b%'ü+(!)~[x]", RowKey: "1&2=3;@:$,", Properties: []odata.Property{{Name: "A", Value: odata.StringValue("x")}}}
	tag, err := c.Insert(ctx, "Things", odd)
	wantCode(t, err, "")
	if _, err := c.Get(ctx, "Things", odd.Key()); err != nil {
		t.Error(err)
	}
	_, err = c.Replace(ctx, "Things", odd, tag)
	wantCode(t, err, "")
	_, err = c.Transact(ctx, "Things", []Operation{{Write: Insert, Entity: row("p", "1")}, {Write: Merge, Entity: row("p", "2")}})
	wantCode(t, err, "")
	found, err := c.Query(ctx, "Things", Query{Filter: "PartitionKey eq 'p'"})
	if err != nil || len(found.Entities) != 2 {
		t.Errorf("found %v, %v", found.Entities, err)
	}
	wantCode(t, c.SetPolicies(ctx, "Things", []sas.Policy{{ID: "p", Permissions: "r"}}), "")
	properties, err := c.Properties(ctx)
	wantCode(t, err, "")
	properties.CORS = []CORSRule{{Origins: "*", Methods: "GET", MaxAge: "1"}}
	wantCode(t, c.SetProperties(ctx, properties.Changes(Properties{})), "")
	wantCode(t, c.Delete(ctx, "Things", odd.Key(), "*"), "")
	wantCode(t, c.DeleteTable(ctx, "Things"), "")

	r.Key = "d3Jvbmc="
	wantCode(t, r.Client(DefaultTransport()).Check(ctx, ""), "AuthenticationFailed")
}

// TestLinksAgainstTheServer: a link does what its summary says, and nothing else.
func TestLinksAgainstTheServer(t *testing.T) {
	ctx := context.Background()
	r := strict(t)
	owner := r.Client(DefaultTransport())
	for _, table := range []string{"Customers", "Orders"} {
		wantCode(t, owner.CreateTable(ctx, table), "")
		for _, partition := range []string{"a", "b", "c"} {
			_, err := owner.Insert(ctx, table, row(partition, "1"))
			wantCode(t, err, "")
		}
	}
	const later, earlier = "2099-01-01", "2020-01-01"
	wantCode(t, owner.SetPolicies(ctx, "Customers", []sas.Policy{{ID: "read", Permissions: "r", Expiry: later}, {ID: "over", Permissions: "raud", Expiry: earlier}}), "")
	policies, err := owner.Policies(ctx, "Customers")
	if err != nil || len(policies) != 2 {
		t.Fatalf("got %v, %v", policies, err)
	}
	base := sas.Token{Table: "Customers", Permissions: "ra", Expiry: later, Protocol: "https,http"}
	change := func(f func(*sas.Token)) sas.Token { token := base; f(&token); return token }
	for _, c := range []struct {
		name                string
		token               sas.Token
		read, write, remove string // codes of refusals, in partition b
		rows                int
	}{
		{"query and add", base, "", "", "AuthorizationPermissionMismatch", 3},
		{"everything", change(func(t *sas.Token) { t.Permissions = "duar" }), "", "", "", 3},
		{"another partition", change(func(t *sas.Token) { t.Permissions, t.FromPartition, t.ToPartition = "raud", "c", "c" }), "ResourceNotFound", "AuthorizationFailure", "AuthorizationFailure", 1},
		{"up to a row", change(func(t *sas.Token) { t.ToPartition, t.ToRow = "b", "1" }), "", "AuthorizationFailure", "AuthorizationPermissionMismatch", 2},
		{"a policy", change(func(t *sas.Token) { t.Policy = policies[0] }), "", "AuthorizationPermissionMismatch", "AuthorizationPermissionMismatch", 3},
		{"an expired policy", change(func(t *sas.Token) { t.Policy = policies[1] }), "AuthenticationFailed", "AuthenticationFailed", "AuthenticationFailed", 0},
		{"expired", change(func(t *sas.Token) { t.Expiry = earlier }), "AuthenticationFailed", "AuthenticationFailed", "AuthenticationFailed", 0},
		{"not yet", change(func(t *sas.Token) { t.Start = "2098-01-01" }), "AuthenticationFailed", "AuthenticationFailed", "AuthenticationFailed", 0},
		{"https only", change(func(t *sas.Token) { t.Protocol = "https" }), "AuthorizationProtocolMismatch", "AuthorizationProtocolMismatch", "AuthorizationProtocolMismatch", 0},
		{"another address", change(func(t *sas.Token) { t.IP = "203.0.113.7" }), "AuthorizationSourceIPMismatch", "AuthorizationSourceIPMismatch", "AuthorizationSourceIPMismatch", 0},
		{"the account", sas.Token{Permissions: "rad", ResourceTypes: "o", Expiry: later}, "", "", "", 3},
		{"the account's tables", sas.Token{Permissions: "rad", ResourceTypes: "c", Expiry: later}, "AuthorizationResourceTypeMismatch", "AuthorizationResourceTypeMismatch", "AuthorizationResourceTypeMismatch", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if problems := c.token.Problems(); len(problems) > 0 {
				t.Fatal(problems)
			}
			client := link(r, c.token)
			_, err := client.Get(ctx, "Customers", odata.Key{PartitionKey: "b", RowKey: "1"})
			wantCode(t, err, c.read)
			found, err := client.Query(ctx, "Customers", Query{})
			if len(found.Entities) != c.rows {
				t.Errorf("found %d rows, want %d; %v", len(found.Entities), c.rows, err)
			}
			_, err = client.Insert(ctx, "Customers", row("b", "2"))
			wantCode(t, err, c.write)
			wantCode(t, client.Delete(ctx, "Customers", odata.Key{PartitionKey: "b", RowKey: "2"}, "*"), c.remove)
			err = owner.Delete(ctx, "Customers", odata.Key{PartitionKey: "b", RowKey: "2"}, "*")
			if err != nil && !HasCode(err, CodeResourceNotFound) {
				t.Error(err)
			}
			if _, err := client.Query(ctx, "Orders", Query{}); c.token.Table != "" && err == nil {
				t.Error("the link reads another table")
			}
		})
	}
}

// TestServiceErrorsOfDocuments: what the page says at a field is what the service
// refuses.
func TestServiceErrorsOfDocuments(t *testing.T) {
	ctx := context.Background()
	c := strict(t).Client(DefaultTransport())
	wantCode(t, c.CreateTable(ctx, "Things"), "")
	for days, code := range map[string]string{"1": "", "365": "", "0": "InvalidXmlDocument", "366": "InvalidXmlDocument", "": "InvalidXmlDocument", "week": "InvalidXmlDocument"} {
		p := Properties{Logging: Logging{Retention: Retention{true, days}}}
		err := c.SetProperties(ctx, p.Changes(Properties{}))
		var refusal *ServiceError
		if refused := errors.As(err, &refusal); refused != (code != "") || refused != (p.Logging.Retention.Problem() != "") {
			t.Errorf("%q days: got %v; the page says %q", days, err, p.Logging.Retention.Problem())
		}
	}
	six := make([]sas.Policy, MaxPolicies+1)
	for i := range six {
		six[i].ID = string(rune('a' + i))
	}
	wantCode(t, c.SetPolicies(ctx, "Things", six), "InvalidXmlDocument")
	wantCode(t, c.SetPolicies(ctx, "Things", []sas.Policy{{ID: "a", Start: "soon"}}), "InvalidXmlDocument")
	wantCode(t, c.SetPolicies(ctx, "Nothing", nil), "TableNotFound")
}
