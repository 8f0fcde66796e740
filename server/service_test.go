package server_test

import (
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server"
)

func TestServicePropertiesOfOldVersions(t *testing.T) {
	const (
		target = "/?restype=service&comp=properties"
		old    = "x-ms-version: 2012-02-12"
		first  = "x-ms-version: 2013-08-15" // with today's properties
		kept   = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
		log    = "<Logging><Version>1.0</Version><Read>true</Read><Write>false</Write><Delete>false</Delete>" + kept + "</Logging>"
		on     = "<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>" + kept
		off    = "<Version>1.0</Version><Enabled>false</Enabled>" + kept
	)
	root := func(inner string) string {
		return "<StorageServiceProperties>" + inner + "</StorageServiceProperties>"
	}
	f := newFixture(t)
	f.do("PUT", target, root("<MinuteMetrics>"+on+"</MinuteMetrics>"), first).wantStatus(202)
	f.do("PUT", target, root(log+"<Metrics>"+on+"</Metrics>"), old).wantStatus(202)
	const head = "\uFEFF" + `<?xml version="1.0" encoding="utf-8"?>`
	f.do("GET", target, "", old).wantStatus(200).wantBody(head + root(log+"<Metrics>"+on+"</Metrics>"))
	f.do("GET", target, "", first).wantBody(head + root(log+"<HourMetrics>"+on+"</HourMetrics><MinuteMetrics>"+on+"</MinuteMetrics><Cors />"))
	for name, inner := range map[string]string{
		"logging alone": log,
		"metrics alone": "<Metrics>" + off + "</Metrics>",
		"newer metrics": log + "<Metrics>" + off + "</Metrics><MinuteMetrics>" + off + "</MinuteMetrics>",
		"rules":         log + "<Metrics>" + off + "</Metrics><Cors />",
	} {
		if got := f.do("PUT", target, root(inner), old); got.status != 400 || !strings.Contains(got.body, "InvalidXmlDocument") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// TestDocumentsThatCannotBeRead: corrupt documents of the store are no fault of the request
// that reads them, and can be replaced.
func TestDocumentsThatCannotBeRead(t *testing.T) {
	const target = "/?restype=service&comp=properties"
	f := newFixture(t)
	f.putAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.OpenAccess, Properties: "<x"})
	get := func(target string) *response { return f.do("GET", target, "") }
	get(target).wantStatus(500).wantHeader("x-ms-error-code", "InternalError")
	f.do("PUT", target, "<StorageServiceProperties><Cors /></StorageServiceProperties>").wantStatus(202)
	get(target).wantStatus(200)

	f.createTable("things")
	err := f.store.Update(t.Context(), &server.Scope{Account: testAccount, Table: "things"}, func(tx server.Tx) error {
		table, err := tx.Table()
		if err == nil {
			err = table.SetPolicies("<x")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	get("/things?comp=acl").wantStatus(500).wantHeader("x-ms-error-code", "InternalError")
	f.do("PUT", "/things?comp=acl", "<SignedIdentifiers />").wantStatus(204)
	get("/things?comp=acl").wantStatus(200)
}
