//go:build !js

package transfer_test

import (
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server/transfer"
)

const policies = `<SignedIdentifiers><SignedIdentifier><Id>readers</Id><AccessPolicy><Start>2026-01-01T00:00:00Z</Start><Expiry>2027-01-01T00:00:00Z</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`

// storedPolicies returns the policies of a table as they are stored.
func (e *endpoint) storedPolicies(t *testing.T, table string) (stored string) {
	t.Helper()
	err := e.db.View(func(tx *engine.Tx) error {
		of, err := tx.Table(e.Account, table)
		if err == nil {
			stored = of.Policies()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func (e *endpoint) setPolicies(t *testing.T, table, document string) {
	t.Helper()
	err := e.db.Update(func(tx *engine.Tx) error {
		of, err := tx.Table(e.Account, table)
		if err != nil {
			return err
		}
		return of.SetPolicies(document)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (e *endpoint) account(t *testing.T) (a engine.Account) {
	t.Helper()
	if err := e.db.View(func(tx *engine.Tx) (err error) { a, err = tx.Account(e.Account); return err }); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestSettings: policies and service properties are copied, keys are not, and what the
// source does not have stays in the target.
func TestSettings(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	for _, e := range []*endpoint{from, to} {
		e.insert(t, "With")
		e.insert(t, "Without")
	}
	from.setPolicies(t, "With", policies)
	other := strings.ReplaceAll(policies, "readers", "others")
	to.setPolicies(t, "Without", other)
	source := from.account(t)
	source.Properties = `<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>https://example.com</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>5</MaxAgeInSeconds><ExposedHeaders>*</ExposedHeaders><AllowedHeaders>*</AllowedHeaders></CorsRule></Cors></StorageServiceProperties>`
	if err := from.db.Update(func(tx *engine.Tx) error { return tx.PutAccount(source) }); err != nil {
		t.Fatal(err)
	}
	before := to.account(t)
	copySettings := func(options transfer.Options) {
		t.Helper()
		if n, err := transfer.CopyPolicies(t.Context(), from.Client, to.Client, options); n != 1 || err != nil {
			t.Errorf("policies of %d tables, %v", n, err)
		}
		if err := transfer.CopyProperties(t.Context(), from.Client, to.Client, options); err != nil {
			t.Error(err)
		}
	}
	copySettings(transfer.Options{DryRun: true})
	if got := to.storedPolicies(t, "With") + to.account(t).Properties; got != before.Properties {
		t.Errorf("a dry run wrote %s", got)
	}
	copySettings(transfer.Options{})
	if got := to.storedPolicies(t, "With"); !strings.Contains(got, "<Id>readers</Id>") || !strings.Contains(got, "<Permission>r</Permission>") {
		t.Errorf("policies %s", got)
	}
	if got := to.storedPolicies(t, "Without"); got != other {
		t.Errorf("policies of a table that has none in the source: %s", got)
	}
	after := to.account(t)
	if !strings.Contains(after.Properties, "https://example.com") {
		t.Errorf("properties %s", after.Properties)
	}
	if string(after.Keys[0]) != string(before.Keys[0]) {
		t.Error("the key was changed")
	}
}

// TestSettingsRefused: errors name what was copied.
func TestSettingsRefused(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	from.insert(t, "With")
	from.setPolicies(t, "With", policies)
	if _, err := transfer.CopyPolicies(t.Context(), from.Client, to.Client, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "write the access policies of table With: 404") {
		t.Errorf("policies of a table that the target lacks: %v", err)
	}
	from.Key = []byte("wrong")
	if err := transfer.CopyProperties(t.Context(), from.Client, to.Client, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "read the service properties: 403") {
		t.Errorf("properties with a wrong key: %v", err)
	}
}
