package control_test

import (
	"encoding/base64"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/auth"
)

// TestRegenerateKey: signatures with the old key are refused, signatures with the
// other key are not.
func TestRegenerateKey(t *testing.T) {
	f := newFixture(t)
	type keys struct{ Primary, Secondary string }
	var before, after keys
	f.control("GET", "accounts/strictaccount/keys", "").decode(&before)
	if before != (keys{Primary: server.WellKnownKey}) {
		t.Fatalf("got the keys %+v", before)
	}
	f.control("POST", "accounts/strictaccount/keys", `{"regenerate":"secondary"}`).decode(&before)
	if len(before.Secondary) != base64.StdEncoding.EncodedLen(64) || before.Primary != server.WellKnownKey {
		t.Errorf("got the keys %+v", before)
	}
	f.control("POST", "accounts/strictaccount/keys", `{"regenerate":"primary"}`).decode(&after)
	if after.Primary == before.Primary || after.Secondary != before.Secondary {
		t.Errorf("primary: before %+v, after %+v", before, after)
	}
	for key, status := range map[string]int{before.Primary: 403, after.Primary: 200, after.Secondary: 200} {
		secret, err := base64.StdEncoding.DecodeString(key)
		if err != nil {
			t.Fatal(err)
		}
		f.do("GET", "https://strictaccount.table.core.windows.net/Tables?"+auth.AccountSAS("strictaccount", secret, f.now.Add(time.Hour)), "").wantStatus(status)
	}
	f.control("POST", "accounts/strictaccount/keys", "").wantControlError(400, "InvalidInput", "regenerate is missing")
	f.control("POST", "accounts/strictaccount/keys", `{"regenerate":"third"}`).wantControlError(400, "InvalidInput", "primary or secondary")
	f.control("GET", "accounts/nobody/keys", "").wantControlError(404, "ResourceNotFound", "no account")
}

// TestKeysOfTheWellKnownAccount: created again, it has its well-known key, but not where
// accounts are strict.
func TestKeysOfTheWellKnownAccount(t *testing.T) {
	for strict, kept := range map[bool]bool{false: true, true: false} {
		f := newFixtureWith(t, func(o *options) { o.StrictAccounts = strict })
		before := f.control("GET", "accounts/"+testAccount+"/keys", "").wantStatus(200).body
		f.control("DELETE", "accounts/"+testAccount, "").wantStatus(204)
		f.control("POST", "accounts", `{"name":"`+testAccount+`"}`).wantStatus(201)
		if after := f.control("GET", "accounts/"+testAccount+"/keys", "").wantStatus(200).body; (after == before) != kept {
			t.Errorf("strict %t: the keys were %s and are %s", strict, before, after)
		}
	}
}
