package server_test

import (
	"strings"
	"testing"

	"sandtable/engine"
)

func TestServicePropertiesOfOldVersions(t *testing.T) {
	const (
		target = "/?restype=service&comp=properties"
		old    = "x-ms-version: 2012-02-12"
		kept   = "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
		log    = "<Logging><Version>1.0</Version><Read>true</Read><Write>false</Write><Delete>false</Delete>" + kept + "</Logging>"
		on     = "<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>" + kept
		off    = "<Version>1.0</Version><Enabled>false</Enabled>" + kept
	)
	root := func(inner string) string {
		return "<StorageServiceProperties>" + inner + "</StorageServiceProperties>"
	}
	f := newFixture(t)
	f.do("PUT", target, root("<MinuteMetrics>"+on+"</MinuteMetrics>")).wantStatus(202)
	f.do("PUT", target, root(log+"<Metrics>"+on+"</Metrics>"), old).wantStatus(202)
	const head = "\uFEFF" + `<?xml version="1.0" encoding="utf-8"?>`
	f.do("GET", target, "", old).wantStatus(200).wantBody(head + root(log+"<Metrics>"+on+"</Metrics>"))
	f.do("GET", target, "").wantBody(head + root(log+"<HourMetrics>"+on+"</HourMetrics><MinuteMetrics>"+on+"</MinuteMetrics><Cors />"))
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

// TestServicePropertiesThatCannotBeRead: corrupt properties can be replaced.
func TestServicePropertiesThatCannotBeRead(t *testing.T) {
	const target = "/?restype=service&comp=properties"
	f := newFixture(t)
	f.putAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.OpenAccess, Properties: "<x"})
	f.do("PUT", target, "<StorageServiceProperties><Cors /></StorageServiceProperties>").wantStatus(202)
	f.do("GET", target, "").wantStatus(200)
}
