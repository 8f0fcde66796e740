//go:build !js

package client

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"sandtable/web/sas"
)

const policiesDocument = "\uFEFF" + `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers><SignedIdentifier><Id>a&lt;b</Id><AccessPolicy>` +
	`<Start>2026-11-01T00:00:00.0000000Z</Start><Expiry>2027-01-31T00:00:00.1230000Z</Expiry><Permission>ra</Permission></AccessPolicy></SignedIdentifier>` +
	`<SignedIdentifier><Id>bare</Id></SignedIdentifier></SignedIdentifiers>`

func TestPolicies(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PUT" {
			w.WriteHeader(204)
			return
		}
		io.WriteString(w, policiesDocument)
	})
	got, err := c.Policies(context.Background(), "Customers")
	want := []sas.Policy{{ID: "a<b", Start: "2026-11-01 00:00:00 UTC", Expiry: "2027-01-31 00:00:00.123 UTC", Permissions: "ra"}, {ID: "bare"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := c.SetPolicies(context.Background(), "Customers", got); err != nil {
		t.Error(err)
	}
	wantSeen(t, *seen, "GET /table/acc/Customers?comp=acl", `PUT /table/acc/Customers?comp=acl | <?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>`+
		`<SignedIdentifier><Id>a&lt;b</Id><AccessPolicy><Start>2026-11-01T00:00:00Z</Start><Expiry>2027-01-31T00:00:00.123Z</Expiry><Permission>ra</Permission></AccessPolicy></SignedIdentifier>`+
		`<SignedIdentifier><Id>bare</Id><AccessPolicy></AccessPolicy></SignedIdentifier></SignedIdentifiers>`)
}

const propertiesDocument = `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Logging><Version>1.0</Version><Read>false</Read><Write>true</Write><Delete>true</Delete>` +
	`<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>` +
	`<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics><MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled>` +
	`</RetentionPolicy></MinuteMetrics><Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>*</AllowedOrigins><AllowedHeaders>x-ms-*</AllowedHeaders>` +
	`<ExposedHeaders /><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>`

// TestPoliciesOfACosmosTable: Cosmos DB allows names that have to be escaped.
func TestPoliciesOfACosmosTable(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, policiesDocument) })
	ctx := context.Background()
	if _, err := c.Policies(ctx, "50% ä&b"); err != nil {
		t.Error(err)
	}
	if err := c.SetPolicies(ctx, "a%20b", nil); err != nil {
		t.Error(err)
	}
	wantSeen(t, *seen, "GET /table/acc/50%25%20%C3%A4%26b?comp=acl", `PUT /table/acc/a%2520b?comp=acl | <?xml version="1.0" encoding="utf-8"?><SignedIdentifiers></SignedIdentifiers>`)
}

func TestProperties(t *testing.T) {
	c, seen := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PUT" {
			w.WriteHeader(202)
			return
		}
		io.WriteString(w, propertiesDocument)
	})
	stored, err := c.Properties(context.Background())
	want := Properties{
		Logging: Logging{Write: true, Delete: true, Retention: Retention{true, "7"}},
		Hour:    Metrics{Enabled: true, APIs: true},
		CORS:    []CORSRule{{Origins: "*", Methods: "GET,PUT", AllowedHeaders: "x-ms-*", MaxAge: "60"}},
	}
	if err != nil || !reflect.DeepEqual(stored, want) {
		t.Fatalf("got %+v, %v", stored, err)
	}
	if changes := stored.Changes(want); len(changes) > 0 {
		t.Errorf("nothing has changed: %v", changes)
	}
	want.Logging.Read, want.CORS = true, nil
	if err := c.SetProperties(context.Background(), want.Changes(stored)); err != nil {
		t.Error(err)
	}
	wantSeen(t, *seen, "GET /table/acc/?restype=service&comp=properties", `PUT /table/acc/?restype=service&comp=properties | <?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>`+
		`<Logging><Version>1.0</Version><Delete>true</Delete><Read>true</Read><Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging><Cors></Cors></StorageServiceProperties>`)
}

func TestDocumentsThatAreNotTheRightOnes(t *testing.T) {
	for _, body := range []string{"", "<html>", "{}", "<a/>", "<SignedIdentifiers>"} {
		c, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
		if got, err := c.Policies(context.Background(), "T"); err == nil {
			t.Errorf("%q: policies %v", body, got)
		}
		if got, err := c.Properties(context.Background()); err == nil {
			t.Errorf("%q: properties %v", body, got)
		}
	}
}

func TestRetentionProblem(t *testing.T) {
	for days, ok := range map[string]bool{"1": true, "365": true, " 7 ": true, "0": false, "366": false, "": false, "a week": false, "-1": false} {
		if got := (Retention{true, days}).Problem(); (got == "") != ok {
			t.Errorf("%q: got %q", days, got)
		}
	}
	if got := (Retention{false, "many"}).Problem(); got != "" {
		t.Errorf("switched off: %q", got)
	}
}

func TestCORSRuleProblems(t *testing.T) {
	good := CORSRule{Origins: "https://app.contoso.com, *", Methods: "GET,MERGE", AllowedHeaders: "*", Exposed: "etag,x-ms-*", MaxAge: "3600"}
	if got := good.Problems(); len(got) > 0 {
		t.Errorf("a good rule: %v", got)
	}
	for element, change := range map[string]func(*CORSRule){
		"AllowedOrigins":  func(r *CORSRule) { r.Origins = "app.contoso.com" },
		"AllowedMethods":  func(r *CORSRule) { r.Methods = "get" },
		"MaxAgeInSeconds": func(r *CORSRule) { r.MaxAge = "an hour" },
		"AllowedHeaders":  func(r *CORSRule) { r.AllowedHeaders = "a*,b*,c*" },
	} {
		rule := good
		change(&rule)
		if got := rule.Problems(); len(got) != 1 || got[element] == "" {
			t.Errorf("%s: got %v", element, got)
		}
	}
	if got := (CORSRule{Origins: "https://a.com/path", Methods: "GET", MaxAge: "1"}).Problems()["AllowedOrigins"]; !strings.Contains(got, "no path") {
		t.Errorf("a path: %q", got)
	}
}
