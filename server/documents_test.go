package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/servertest"
)

const onePolicy = `<SignedIdentifiers><SignedIdentifier><Id>read</Id><AccessPolicy><Expiry>2030-01-01</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`

func TestTableACL(t *testing.T) {
	const head = "\uFEFF" + `<?xml version="1.0" encoding="utf-8"?>`
	f := newFixture(t)
	f.createTable("things")
	f.do("GET", "/things?comp=acl", "", "Accept:").wantStatus(200).wantBody(head+"<SignedIdentifiers />").
		wantHeader("Content-Type", "application/xml").wantHeader("Cache-Control", "").wantHeader("X-Content-Type-Options", "")
	f.do("PUT", "/Things?comp=acl", onePolicy, "Accept:", "Content-Type: application/xml").wantStatus(204).wantBody("").
		wantHeader("Content-Type", "").wantHeader("Cache-Control", "").wantHeader("X-Content-Type-Options", "")
	f.do("GET", "/things?comp=acl", "").wantStatus(200).
		wantBody(head + strings.Replace(onePolicy, "2030-01-01", "2030-01-01T00:00:00.0000000Z", 1))
	f.do("PUT", "/things?comp=acl", "").wantStatus(204)
	f.do("GET", "/things?comp=acl", "").wantBody(head + "<SignedIdentifiers />")
}

// wantDocumentError checks an error of an XML document operation.
func (r *response) wantDocumentError(status int, code, message string) *response {
	r.Helper()
	r.wantStatus(status).wantHeader("Content-Type", "application/xml").wantHeader("x-ms-error-code", code).wantHeader("Cache-Control", "")
	return r.wantBody(`<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>` + code +
		`</m:code><m:message xml:lang="en-US">` + message + "\nRequestId:" + r.header.Get("x-ms-request-id") +
		"\nTime:2026-11-20T18:44:02.0000000Z</m:message></m:error>")
}

func TestDocumentsRefused(t *testing.T) {
	const properties = "https://" + testHost + "/?restype=service&comp=properties"
	const queryValue = "Value for one of the query parameters specified in the request URI is invalid."
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		code, message              string
	}{
		{"policies of a missing table", "GET", "/missing?comp=acl", "", 404, "TableNotFound", "The table specified does not exist."},
		{"six policies", "PUT", "/things?comp=acl", "<SignedIdentifiers>" + strings.Repeat("<SignedIdentifier><Id>x</Id></SignedIdentifier>", 6) + "</SignedIdentifiers>",
			400, "InvalidXmlDocument", "XML specified is not syntactically valid."},
		{"an unknown permission", "PUT", "/things?comp=acl", strings.Replace(onePolicy, ">r<", ">w<", 1),
			400, "InvalidXmlNodeValue", "The value for one of the XML nodes is not in the correct format."},
		{"no properties", "PUT", properties, "<StorageServiceProperties />", 400, "InvalidXmlDocument", "XML specified is not syntactically valid."},
		{"a rule without a max age", "PUT", properties, "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods><ExposedHeaders /><AllowedHeaders /></CorsRule></Cors></StorageServiceProperties>",
			400, "MissingRequiredXmlNode", "A required XML node was not specified in the request body."},
		{"statistics at the primary endpoint", "GET", "/?restype=service&comp=stats", "", 400, "InvalidQueryParameterValue", queryValue},
		{"an unknown component", "GET", "/things?comp=metadata", "", 400, "InvalidQueryParameterValue", queryValue},
		{"an unknown component of the service", "GET", "/?restype=service&comp=acl", "", 400, "InvalidQueryParameterValue", queryValue},
		{"properties of something else", "GET", "/?restype=account&comp=properties", "", 400, "InvalidQueryParameterValue", queryValue},
		{"another verb", "POST", "/things?comp=acl", "", 405, "UnsupportedHttpVerb", "The resource doesn't support specified Http Verb."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.do(c.method, c.target, c.body).wantDocumentError(c.status, c.code, c.message)
		})
	}
	t.Run("versions without an error code header", func(t *testing.T) {
		newFixture(t).do("GET", "/missing?comp=acl", "", "x-ms-version: 2017-04-17").wantStatus(404).wantHeader("x-ms-error-code", "")
	})
}

func TestServiceProperties(t *testing.T) {
	const target = "/?restype=service&comp=properties"
	f := newFixture(t)
	fresh := f.do("GET", target, "", "Accept:").wantStatus(200)
	if !strings.HasPrefix(fresh.body, "\uFEFF<?xml") || !strings.Contains(fresh.body, "<Cors />") {
		t.Errorf("fresh: %s", fresh.body)
	}
	f.do("PUT", target, "<StorageServiceProperties>"+corsRules("https://a.example", "x-ms-*")+"</StorageServiceProperties>").wantStatus(202).wantBody("")
	f.do("PUT", target, "<StorageServiceProperties><MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></MinuteMetrics></StorageServiceProperties>").wantStatus(202)
	got := f.do("GET", target, "").wantStatus(200).body
	for _, part := range []string{"<AllowedOrigins>https://a.example</AllowedOrigins>", "<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days>", "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled>"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
}

func TestServiceStats(t *testing.T) {
	r := newFixture(t).do("GET", "https://devstoreaccount1-secondary.table.core.windows.net/?restype=service&comp=stats", "", "Accept:")
	r.wantStatus(200).wantBody("\uFEFF" + `<?xml version="1.0" encoding="utf-8"?><StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>Fri, 20 Nov 2026 18:44:02 GMT</LastSyncTime></GeoReplication></StorageServiceStats>`)
}

// tableSAS signs a table SAS of the strict account.
func tableSAS(parameters url.Values) string {
	lines := []string{parameters.Get("sp"), parameters.Get("st"), parameters.Get("se"), "/table/strictaccount/things", parameters.Get("si"), "", "", "2019-02-02",
		parameters.Get("spk"), parameters.Get("srk"), parameters.Get("epk"), parameters.Get("erk")}
	parameters.Set("sv", "2019-02-02")
	parameters.Set("tn", "things")
	parameters.Set("sig", auth.Sign(testKey, strings.Join(lines, "\n")))
	return parameters.Encode()
}

const strictBase = "https://strictaccount.table.core.windows.net"

// signed sends a request signed with the strict account's key.
func (f *fixture) signed(method, path, body string) *response {
	f.Helper()
	r := httptest.NewRequest(method, strictBase+path, strings.NewReader(body))
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Set("x-ms-version", testVersion)
	servertest.Sign(r, "strictaccount", testKey, f.now)
	return f.send(r)
}

func TestStoredAccessPolicy(t *testing.T) {
	f := newFixture(t)
	f.signed("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	f.signed("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
	f.signed("PUT", "/things?comp=acl", onePolicy).wantStatus(204)
	byPolicy := tableSAS(url.Values{"si": {"read"}})
	f.do("GET", strictBase+"/things?"+byPolicy, "").wantStatus(200)
	f.do("DELETE", strictBase+"/things(PartitionKey='p',RowKey='r')?"+byPolicy, "", "If-Match: *").
		wantError(403, "AuthorizationPermissionMismatch", "This request is not authorized to perform this operation using this permission.")
	twice := tableSAS(url.Values{"si": {"read"}, "sp": {"r"}})
	f.do("GET", strictBase+"/things?"+twice, "").wantStatus(400)
	unknown := tableSAS(url.Values{"si": {"write"}})
	f.do("GET", strictBase+"/things?"+unknown, "").wantError(403, "AuthenticationFailed", textAuthFailed)
	f.do("GET", strictBase+"/things?comp=acl&"+byPolicy, "").wantDocumentError(403, "AuthorizationFailure", "This request is not authorized to perform this operation.")
	f.signed("PUT", "/things?comp=acl", "").wantStatus(204)
	f.do("GET", strictBase+"/things?"+byPolicy, "").wantError(403, "AuthenticationFailed", textAuthFailed)
}

func TestKeyRangeOfASignature(t *testing.T) {
	f := newFixture(t)
	f.signed("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	for _, rk := range []string{"1", "2", "3"} {
		f.signed("POST", "/things", `{"PartitionKey":"p","RowKey":"`+rk+`"}`).wantStatus(201)
	}
	sas := tableSAS(url.Values{"sp": {"raud"}, "se": {"2030-01-01"}, "spk": {"p"}, "srk": {"2"}, "epk": {"p"}, "erk": {"2"}})
	if got := f.do("GET", strictBase+"/things?"+sas, "").rowKeys(); got != "2" {
		t.Errorf("a query sees %s", got)
	}
	f.do("GET", strictBase+"/things(PartitionKey='p',RowKey='2')?"+sas, "").wantStatus(200)
	f.do("GET", strictBase+"/things(PartitionKey='p',RowKey='1')?"+sas, "").wantError(404, "ResourceNotFound", textNotFound)
	const refused = "This request is not authorized to perform this operation."
	f.do("POST", strictBase+"/things?"+sas, `{"PartitionKey":"p","RowKey":"4"}`).wantError(403, "AuthorizationFailure", refused)
	f.do("PUT", strictBase+"/things(PartitionKey='p',RowKey='3')?"+sas, `{}`).wantError(403, "AuthorizationFailure", refused)
	f.do("DELETE", strictBase+"/things(PartitionKey='p',RowKey='3')?"+sas, "", "If-Match: *").wantError(403, "AuthorizationFailure", refused)
	if got := f.signed("GET", "/things", "").rowKeys(); got != "1 2 3" {
		t.Errorf("remaining: %s", got)
	}
}

func TestBearer(t *testing.T) {
	const token = "Authorization: Bearer e30.e30.x"
	f := newFixture(t)
	f.createTable("things")
	f.do("GET", "/things", "", token).wantStatus(200)
	f.do("GET", "/things?comp=acl", "", token).wantDocumentError(404, "ResourceNotFound", textNotFound)
	f.do("GET", "/things", "", token, "x-ms-version: 2017-11-09").wantStatus(200)
	f.do("GET", "/things", "", token, "x-ms-version: 2017-07-29").wantError(403, "AuthenticationFailed", textAuthFailed)
	f.do("GET", "http://"+testHost+"/things", "", token).wantError(403, "AuthenticationFailed", textAuthFailed)
	f.do("GET", strictBase+"/things", "", token, "x-ms-version: 2020-12-06").wantError(401, "InvalidAuthenticationInfo",
		"Server failed to authenticate the request. Please refer to the information in the www-authenticate header.")
}

func corsRules(origins, exposed string) string {
	return "<Cors><CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>GET,POST</AllowedMethods><MaxAgeInSeconds>300</MaxAgeInSeconds><ExposedHeaders>" +
		exposed + "</ExposedHeaders><AllowedHeaders>x-ms-*,Accept</AllowedHeaders></CorsRule></Cors>"
}

func (f *fixture) setCors(origins, exposed string) {
	f.Helper()
	f.do("PUT", "/?restype=service&comp=properties", "<StorageServiceProperties>"+corsRules(origins, exposed)+"</StorageServiceProperties>").wantStatus(202)
}

func TestPreflight(t *testing.T) {
	for _, c := range []struct {
		name, origins           string
		origin, method, headers string
		status                  int
		allowed                 string
	}{
		{"no rules", "", "https://a.example", "GET", "", 403, ""},
		{"exact", "https://a.example", "https://a.example", "POST", "X-MS-Date,accept", 200, "https://a.example"},
		{"anyone", "*", "https://a.example", "GET", "", 200, "*"},
		{"a subdomain", "https://*.example", "https://a.example", "GET", "", 200, "https://a.example"},
		{"a subdomain of another domain", "https://*.example", "https://a.example.org", "GET", "", 403, ""},
		{"another case", "https://a.example", "https://A.example", "GET", "", 403, ""},
		{"another method", "*", "https://a.example", "DELETE", "", 403, ""},
		{"another header", "*", "https://a.example", "GET", "x-ms-date,if-match", 403, ""},
		{"no origin", "*", "", "GET", "", 400, ""},
		{"no method", "*", "https://a.example", "", "", 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.origins != "" {
				f.setCors(c.origins, "")
			}
			r := f.do("OPTIONS", "/missing", "", "Accept: application/json", "x-ms-version:", "Origin: "+c.origin,
				"Access-Control-Request-Method: "+c.method, "Access-Control-Request-Headers: "+c.headers).wantStatus(c.status)
			r.wantHeader("Access-Control-Allow-Origin", c.allowed)
			if c.status != 200 {
				if !strings.HasPrefix(r.body, "<?xml") {
					t.Errorf("body %s", r.body)
				}
				return
			}
			credentials := "true"
			if c.allowed == "*" {
				credentials = ""
			}
			r.wantHeader("Access-Control-Allow-Methods", c.method).wantHeader("Access-Control-Allow-Headers", c.headers).
				wantHeader("Access-Control-Max-Age", "300").wantHeader("Access-Control-Allow-Credentials", credentials).wantBody("")
		})
	}
}

// TestActualRequests: the CORS headers depend on the stored rules and the page's
// origin.
func TestActualRequests(t *testing.T) {
	for _, c := range []struct {
		name, origins, origin, method string
		allowed, vary                 string
	}{
		{"no rules", "", "https://a.example", "GET", "", ""},
		{"rules, no origin", "https://a.example", "", "GET", "", "Origin"},
		{"exact", "https://a.example", "https://a.example", "GET", "https://a.example", "Origin"},
		{"exact, not a read", "https://a.example", "https://a.example", "POST", "https://a.example", ""},
		{"anyone", "*", "https://a.example", "GET", "*", ""},
		{"anyone, no origin", "*", "", "GET", "*", ""},
		{"anyone, no origin, not a read", "*", "", "POST", "", ""},
		{"no match", "https://a.example", "https://b.example", "GET", "", "Origin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			if c.origins != "" {
				f.setCors(c.origins, "*")
			}
			r := f.do(c.method, "/missing", `{"PartitionKey":"p","RowKey":"r"}`, "Origin: "+c.origin).wantStatus(404)
			r.wantHeader("Access-Control-Allow-Origin", c.allowed).wantHeader("Vary", c.vary)
			exposed := ""
			if c.allowed != "" {
				exposed = "x-ms-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,Content-Type,Content-Length,Date,Transfer-Encoding"
			}
			r.wantHeader("Access-Control-Expose-Headers", exposed)
		})
	}
}

func TestExposedHeaders(t *testing.T) {
	for _, c := range []struct{ name, exposed, method, path, want string }{
		{"a name and a pattern", "ETag,x-ms-*", "POST", "/things", "ETag,x-ms-request-id,x-ms-version"},
		{"a name that a pattern matches", "x-ms-version,x-ms-*", "POST", "/things", "x-ms-version,x-ms-request-id"},
		{"names that the response lacks", "x-ms-meta-mine,x-ms-meta-data*", "POST", "/things", "x-ms-meta-mine"},
		{"what is no header's name", "x-mine,two words,☃,two\nlines,x-too", "POST", "/things", "x-mine,x-too"},
		{"all of an XML document", "*", "GET", "/things?comp=acl", "x-ms-request-id,Server,x-ms-version,Content-Length,Date,Transfer-Encoding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.setCors("*", c.exposed)
			f.createTable("things")
			f.do(c.method, c.path, `{"PartitionKey":"p","RowKey":"r"}`, "Origin: https://a.example").
				wantHeader("Access-Control-Expose-Headers", c.want)
		})
	}
}

func TestPermissiveCORS(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{PermissiveCORS: true, Now: func() time.Time { return f.now }})
	f.do("OPTIONS", "/things", "", "Origin: https://a.example", "Access-Control-Request-Method: MERGE", "Access-Control-Request-Headers: x-any").
		wantStatus(http.StatusOK).wantHeader("Access-Control-Allow-Origin", "*")
	f.do("GET", "/Tables", "", "Origin: https://a.example").wantStatus(200).wantHeader("Access-Control-Allow-Origin", "*")
	f.setCors("https://b.example", "")
	f.do("GET", "/Tables", "", "Origin: https://a.example").wantHeader("Access-Control-Allow-Origin", "")
}
