package control_test

import (
	"errors"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server/control"
)

// restart creates another handler for the same database.
func (f *fixture) restart(change func(*options)) {
	f.Helper()
	o := options{Options: control.Options{Store: "indexeddb", Durability: engine.Relaxed, RecordBodies: true}}
	change(&o)
	f.handler = control.New(f.db, o.service, o.Options)
	f.Cleanup(f.handler.Close)
}

// TestSettings: settings take effect at once and survive a restart.
func TestSettings(t *testing.T) {
	var durability string
	switchable := func(o *options) {
		o.SetDurability = func(d engine.Durability) error { durability = d.String(); return nil }
	}
	f := newFixtureWith(t, switchable)
	f.control("GET", "settings", "").wantStatus(200).wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	f.control("PATCH", "settings", `{}`).wantStatus(200).wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	f.do("GET", "/Tables", "", "Origin: https://page.example").wantHeader("Access-Control-Allow-Origin", "")
	f.control("PATCH", "settings", `{"permissiveCORS":true}`).wantStatus(200).wantBody(`{"durability":"relaxed","permissiveCORS":true,"recordBodies":true,"tableDeletion":"0s"}`)
	f.do("GET", "/Tables", "", "Origin: https://page.example").wantHeader("Access-Control-Allow-Origin", "*")
	if durability != "" {
		t.Error("the durability was set without a request")
	}
	f.control("PATCH", "settings", `{"durability":"strict","recordBodies":false}`).wantStatus(200)
	if durability != "strict" {
		t.Errorf("the durability is %q", durability)
	}
	want := `{"durability":"strict","permissiveCORS":true,"recordBodies":false,"tableDeletion":"0s"}`
	f.control("GET", "settings", "").wantBody(want)

	durability = ""
	f.restart(switchable)
	f.control("GET", "settings", "").wantBody(want)
	if durability != "strict" {
		t.Errorf("after a restart the durability is %q", durability)
	}
	if status := f.control("GET", "status", "").body; !strings.Contains(status, `"durability":"strict","persisted"`) || !strings.Contains(status, `"settings":`+want) {
		t.Errorf("status %s", status)
	}
	f.control("PATCH", "settings", `{"permissiveCORS":false}`).wantStatus(200)
	f.do("GET", "/Tables", "", "Origin: https://page.example").wantHeader("Access-Control-Allow-Origin", "")

	// The host's option applies until the setting is changed.
	f.restart(func(o *options) {
		switchable(o)
		o.Overrides, o.service.PermissiveCORS = []string{"durability", "permissiveCORS"}, true
	})
	f.control("GET", "settings", "").wantBody(`{"durability":"relaxed","permissiveCORS":true,"recordBodies":false,"tableDeletion":"0s"}`)
	f.control("PATCH", "settings", `{"durability":"strict"}`).wantStatus(200).wantBody(`{"durability":"strict","permissiveCORS":true,"recordBodies":false,"tableDeletion":"0s"}`)

	// Names of deleted tables are blocked from the change on, which outlives a restart, and
	// free again after a reset or with another account of that name.
	f.control("PATCH", "settings", `{"tableDeletion":"40s"}`).wantStatus(200)
	f.restart(switchable)
	f.createTable("Things")
	f.do("DELETE", "/Tables('Things')", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"Things"}`).wantStatus(409)
	f.control("DELETE", "accounts/strictaccount", "").wantStatus(204)
	f.do("POST", "/Tables", `{"TableName":"Things"}`).wantStatus(409)
	f.control("DELETE", "accounts/devstoreaccount1", "").wantStatus(204)
	f.control("POST", "accounts", `{"name":"devstoreaccount1","access":"open"}`).wantStatus(201)
	f.createTable("Things")
	f.do("DELETE", "/Tables('Things')", "").wantStatus(204)
	f.control("POST", "reset", `{"what":"account","account":"devstoreaccount1"}`).wantStatus(200)
	f.createTable("Things")
	f.do("DELETE", "/Tables('Things')", "").wantStatus(204)
	f.control("PATCH", "settings", `{"tableDeletion":"0s"}`).wantStatus(200)
	f.createTable("Things")

	// A reset keeps the settings.
	f.restart(switchable)
	f.control("POST", "reset", `{"what":"all"}`).wantStatus(200)
	f.restart(switchable)
	f.control("GET", "settings", "").wantBody(`{"durability":"strict","permissiveCORS":false,"recordBodies":false,"tableDeletion":"0s"}`)
}

// TestSettingsFail: a setting that cannot be applied or stored has no effect.
func TestSettingsFail(t *testing.T) {
	var fault error
	durability := "relaxed"
	f := newFixtureWith(t, func(o *options) {
		o.SetDurability = func(d engine.Durability) error {
			if fault == nil {
				durability = d.String()
			}
			return fault
		}
	})
	fault = errors.New("the disk is on fire")
	f.control("PATCH", "settings", `{"durability":"strict","recordBodies":false}`).wantControlError(507, "InsufficientStorage", "")
	f.control("GET", "settings", "").wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	fault = nil
	f.db.Close()
	f.control("PATCH", "settings", `{"durability":"strict","recordBodies":false}`).wantControlError(503, "ServerBusy", "")
	f.control("GET", "settings", "").wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	if durability != "relaxed" {
		t.Errorf("the storage is %s", durability)
	}
}

// TestSettingsOfAnotherVersion: a newer version's settings are kept.
func TestSettingsOfAnotherVersion(t *testing.T) {
	f := newFixture(t)
	for _, document := range []string{`{"color":"red"}`, `nonsense`, `{"durability":"eternal"}`} {
		f.update(func(tx *engine.Tx) error { return tx.SetSettings(document) })
		f.restart(func(*options) {})
		f.control("GET", "settings", "").wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	}
}
