package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/nethttp"
	"sandtable/server/servertest"
)

func TestHeadersOfEveryAnswer(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name    string
		headers []string
		version string // in the answer
		echo    string
	}{
		{"current", []string{"x-ms-client-request-id: abc-1"}, testVersion, "abc-1"},
		{"an older version echoes no id", []string{"x-ms-client-request-id: abc-1", "x-ms-version: 2018-11-09"}, "2018-11-09", ""},
		{"the longest id that is echoed", []string{"x-ms-client-request-id: " + strings.Repeat("a", 1022) + " ~"}, testVersion, strings.Repeat("a", 1022) + " ~"},
		{"an id that is too long", []string{"x-ms-client-request-id: " + strings.Repeat("a", 1025)}, testVersion, ""},
		{"an id with another character", []string{"x-ms-client-request-id: a\x7f"}, testVersion, ""},
		{"no version", []string{"x-ms-version:"}, "", ""},
		{"an unknown version", []string{"x-ms-version: 2031-02-03"}, "2031-02-03", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			r := f.do("GET", "/Tables", "", c.headers...).wantStatus(200)
			r.wantHeader("x-ms-version", c.version).wantHeader("x-ms-client-request-id", c.echo)
			r.wantHeader("Server", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0").wantHeader("Date", "Fri, 20 Nov 2026 18:44:02 GMT")
			r.wantHeader("Cache-Control", "no-cache").wantHeader("X-Content-Type-Options", "nosniff")
			id := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]002-00[0-9a-f]{2}-[0-9a-f]{4}-[0-9a-f]{6}000000$`)
			if got := r.header.Get("x-ms-request-id"); !id.MatchString(got) {
				t.Errorf("x-ms-request-id: %s", got)
			}
		})
	}
}

func TestSpellingOfHeaders(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	r := httptest.NewRequest("POST", "https://"+testHost+"/things", strings.NewReader(`{"PartitionKey":"p","RowKey":"r"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Prefer", "return-no-content")
	w := httptest.NewRecorder()
	nethttp.Serve(f.handler, w, r)
	for _, name := range []string{"ETag", "DataServiceId", "Location", "x-ms-request-id", "Preference-Applied", "X-Content-Type-Options"} {
		if len(w.Header()[name]) != 1 {
			t.Errorf("no %s in %v", name, w.Header())
		}
	}
}

func TestNegotiation(t *testing.T) {
	const atom, json, media = "AtomFormatNotSupported", "JsonFormatNotSupported", ""
	for _, c := range []struct {
		name, accept, version string
		status                int
		contentType, code     string
	}{
		{"JSON without a level", "application/json", testVersion, 200, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8", media},
		{"other parameters, blanks and case", "Application/JSON ; ODATA = NoMetadata ; charset=utf-8", testVersion, 200, "application/json;odata=nometadata;streaming=true;charset=utf-8", media},
		{"other parameters first", "application/json;charset=utf-8;odata=nometadata", testVersion, 200, "application/json;odata=nometadata;streaming=true;charset=utf-8", media},
		{"anything", "*/*", testVersion, 200, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8", media},
		{"the first known type", "text/html, application/json;odata=fullmetadata", testVersion, 200, "application/json;odata=fullmetadata;streaming=true;charset=utf-8", media},
		{"nothing", "", testVersion, 415, "application/xml;charset=utf-8", atom},
		{"Atom", "application/atom+xml,application/xml", testVersion, 415, "application/xml;charset=utf-8", atom},
		{"anything in the first version that refuses Atom", "*/*", "2015-12-11", 200, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8", media},
		{"Atom in the first version without it", "application/atom+xml", "2015-12-11", 415, "application/xml;charset=utf-8", atom},
		{"JSON in the first version with it", "application/json;odata=nometadata", "2013-08-15", 200, "application/json;odata=nometadata;streaming=true;charset=utf-8", media},
		{"JSON in a version without JSON", "application/json", "2012-02-12", 415, "", json},
		{"a level of another parameter", "application/json;level=nometadata", testVersion, 200, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8", media},
		{"verbose", "application/json;odata=verbose", testVersion, 415, "application/json;odata=minimalmetadata;streaming=true;charset=utf-8", "JsonVerboseFormatNotSupported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newFixture(t).do("GET", "/Tables", "", "Accept: "+c.accept, "x-ms-version: "+c.version)
			r.wantStatus(c.status).wantHeader("Content-Type", c.contentType)
			if !strings.Contains(r.body, c.code) {
				t.Errorf("no %s in %s", c.code, r.body)
			}
		})
	}
}

func TestErrorInXML(t *testing.T) {
	r := newFixture(t).do("GET", "/Tables", "", "Accept:")
	r.wantStatus(415).wantBody(`<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">` +
		`<code>AtomFormatNotSupported</code><message xml:lang="en-US">Atom format is not supported.` +
		"\nRequestId:" + r.header.Get("x-ms-request-id") + "\nTime:2026-11-20T18:44:02.0000000Z</message></error>")
}

// TestBadVersions: five recordings have the layout of the oldest versions, with
// a byte order mark, and name neither the table service nor the code.
func TestBadVersions(t *testing.T) {
	for _, version := range []string{"latest", "12.0.0b1", "2019-13-02", "20190202"} {
		for _, accept := range []string{"Accept: application/json", "Accept: */*", "Accept:"} {
			f := newFixture(t)
			for _, target := range []string{"/Tables", "/?restype=service&comp=properties"} {
				r := f.do("GET", target, "", "x-ms-version: "+version, accept)
				r.wantStatus(400).wantHeader("x-ms-version", "").wantHeader("x-ms-error-code", "")
				r.wantHeader("Content-Type", "application/xml").wantHeader("Server", "Microsoft-HTTPAPI/2.0")
				r.wantBody("\uFEFF" + oldError(r, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."))
			}
		}
	}
}

// TestErrorInOldXML: a table that exists, in a recording of May 2013, has no
// Content-Type.
func TestErrorInOldXML(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for version, contentType := range map[string]string{"2012-02-12": "", "2013-08-15": "application/xml;charset=utf-8"} {
		r := f.do("POST", "/Tables", entry(`<d:TableName>things</d:TableName>`), "x-ms-version: "+version, atomAccept, atomContent).wantStatus(409)
		r.wantHeader("Content-Type", contentType).wantHeader("Cache-Control", "no-cache")
		if want := oldError(r, "TableAlreadyExists", "The table specified already exists."); (r.body == want) != (contentType == "") {
			t.Errorf("%s: %q", version, r.body)
		}
	}
}

// oldError is the body of an error in versions before 2013-08-15.
func oldError(r *response, code, message string) string {
	return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>` + "\r\n" +
		`<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">` + "\r\n" +
		"  <code>" + code + "</code>\r\n" +
		`  <message xml:lang="en-US">` + message + "\nRequestId:" + r.header.Get("x-ms-request-id") + "\nTime:2026-11-20T18:44:02.0000000Z</message>\r\n</error>"
}

func TestAddressStyles(t *testing.T) {
	for _, c := range []struct{ name, target, location string }{
		{"host", "https://devstoreaccount1.table.core.windows.net/things", ""},
		{"host with a port", "http://devstoreaccount1.table.core.windows.net:8443/things", ""},
		{"another cloud", "https://devstoreaccount1.table.core.chinacloudapi.cn/things", ""},
		{"a custom host", "http://devstoreaccount1.localhost:10002/things", ""},
		{"path", "http://127.0.0.1:10002/devstoreaccount1/things", ""},
		{"path, at a host that begins like an account", "http://nobody.localhost:10002/devstoreaccount1/things", ""},
		{"same origin", "http://localhost:8080/table/devstoreaccount1/things", ""},
		{"same origin, whose host begins like an account", "https://strictaccount.github.io/table/devstoreaccount1/things", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			r := f.do("POST", c.target, `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
			location := c.target + "(PartitionKey='p',RowKey='r')"
			r.wantHeader("Location", location)
			if got, want := r.members()["odata.metadata"], strings.Replace(c.target, "/things", "/$metadata#things/@Element", 1); got != want {
				t.Errorf("odata.metadata %s, want %s", got, want)
			}
			f.do("GET", location, "").wantStatus(200)
		})
	}
}

// TestSameOriginInFolder: a page's folder is part of what the service writes and of
// what clients sign.
func TestSameOriginInFolder(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.SameOrigin = "/my%20site/table" })
	const base = "https://someone.github.io/my%20site/table/strictaccount"
	signed := func(method, resource, body string) *response {
		r := httptest.NewRequest(method, base+resource, strings.NewReader(body))
		r.Header = http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}, "X-Ms-Version": {testVersion}}
		servertest.Sign(r, "strictaccount", testKey, f.now)
		return f.send(r)
	}
	signed("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201).wantHeader("Location", base+"/Tables('things')")
	signed("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201).wantHeader("Location", base+"/things(PartitionKey='p',RowKey='r')")
	signed("GET", "/things(PartitionKey='p',RowKey='r')", "").wantStatus(200)
}

// TestAccountNamedTable: an account may be called "table", like the path prefix on a
// page's own origin.
func TestAccountNamedTable(t *testing.T) {
	f := newFixture(t)
	f.handler = f.newHandler(server.Options{Now: func() time.Time { return f.now }})
	f.putAccount(engine.Account{Name: "table", Access: engine.OpenAccess})
	f.do("POST", "http://127.0.0.1:10002/table/Tables", `{"TableName":"things"}`).wantStatus(201).
		wantHeader("Location", "http://127.0.0.1:10002/table/Tables('things')")
}

const testSecondary = "https://devstoreaccount1-secondary.table.core.windows.net"

func TestSecondaryEndpoint(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"there"}`)
	const entity = `{"PartitionKey":"p","RowKey":"r"}`
	for base, primary := range map[string]string{testSecondary: "", "http://127.0.0.1:10002/devstoreaccount1-secondary": "/devstoreaccount1"} {
		f.do("GET", base+"/things", "").wantStatus(200)
		f.queryBatch(base, primary+"/things(PartitionKey='p',RowKey='there')").wantStatus(202).wantParts("HTTP/1.1 200 OK")
		for _, r := range []*response{
			f.do("POST", base+"/things", entity),
			f.do("POST", base+"/$batch", changeset(insertPart("things", entity)), "Content-Type: multipart/mixed; boundary=batch_1"),
		} {
			r.wantError(403, "InsufficientAccountPermissions", "Write operations are not allowed.")
		}
	}
}

func TestUnknownAccount(t *testing.T) {
	f := newFixture(t)
	f.do("GET", "https://nobody.table.core.windows.net/Tables", "").wantError(404, "ResourceNotFound", textNotFound)
	f.do("GET", "https://nobody.table.core.windows.net/devstoreaccount1/Tables", "").wantError(404, "ResourceNotFound", textNotFound)
	r := httptest.NewRequest("GET", "https://nobody.table.core.windows.net/Tables", nil)
	r.Header.Set("Accept", "application/json")
	servertest.Sign(r, "nobody", testKey, f.now)
	f.send(r).wantStatus(403)
}

const textAuthFailed = "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature."

func TestStrictAccount(t *testing.T) {
	const target = "https://strictaccount.table.core.windows.net/Tables"
	request := func(version string) *http.Request {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept", "application/json;odata=nometadata")
		r.Header.Set("x-ms-version", version)
		return r
	}
	f := newFixture(t)
	t.Run("signed", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		r := request(testVersion)
		servertest.Sign(r, "strictaccount", testKey, f.now)
		f.send(r).wantStatus(200)
	})
	t.Run("wrong key", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		r := request(testVersion)
		servertest.Sign(r, "strictaccount", []byte("wrong"), f.now)
		f.send(r).wantError(403, "AuthenticationFailed", textAuthFailed).
			wantHeader("Content-Type", "application/json").wantHeader("x-ms-error-code", "AuthenticationFailed")
	})
	t.Run("old date", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		r := request(testVersion)
		servertest.Sign(r, "strictaccount", testKey, f.now.Add(-16*time.Minute))
		f.send(r).wantError(403, "AuthenticationFailed", textAuthFailed)
	})
	t.Run("unsigned", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		f.send(request(testVersion)).wantError(404, "ResourceNotFound", textNotFound)
		f.send(request("2020-12-06")).wantError(401, "NoAuthenticationInformation",
			"Server failed to authenticate the request. Please refer to the information in the www-authenticate header.").
			wantHeader("WWW-Authenticate", "Bearer authorization_uri=https://login.microsoftonline.com/common/oauth2/authorize resource_id=https://storage.azure.com")
	})
	t.Run("SAS", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		sas := auth.AccountSAS("strictaccount", testKey, f.now.Add(time.Hour))
		f.do("GET", target+"?"+sas, "").wantStatus(200)
		f.do("GET", target+"?"+strings.Replace(sas, "rwdlacu", "rwdlac", 1), "").wantError(403, "AuthenticationFailed", textAuthFailed)
		f.do("GET", target+"?"+sas, "", "Authorization: SharedKey strictaccount:wrong").wantStatus(403) // C36
	})
	t.Run("SAS for other resources", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		sas, _ := auth.SAS{Permissions: "rl", ResourceTypes: "o", Expiry: f.now.Add(time.Hour)}.Sign("strictaccount", testKey)
		f.do("GET", target+"?"+sas, "").wantError(403, "AuthorizationResourceTypeMismatch",
			"This request is not authorized to perform this operation using this resource type.")
	})
	t.Run("another scheme", func(t *testing.T) {
		f := &fixture{T: t, handler: f.handler, now: f.now}
		f.do("GET", target, "", "Authorization: Basic YTpi").wantError(400, "InvalidAuthenticationInfo",
			"The authentication information was not provided in the correct format. Verify the value of Authorization header.")
	})
}

func TestObserver(t *testing.T) {
	f := newFixture(t)
	f.do("GET", "/Tables?$top=3", "")
	f.do("GET", "/missing", "", "Authorization: SharedKey devstoreaccount1:AAAA", "x-ms-date: Fri, 20 Nov 2026 18:44:02 GMT")
	f.do("PUT", "/missing", "", "If-Match: "+strings.Repeat("a", 100_000))
	if len(f.records) != 3 {
		t.Fatalf("%d records", len(f.records))
	}
	served := f.records[0]
	if served.Time != f.now || served.Request.Method != "GET" || served.Account != testAccount || served.Operation != "Query Tables" ||
		served.Status != 200 || served.RequestID != served.ResponseHeader.Get("x-ms-request-id") && served.RequestID == "" ||
		served.Code != "" || served.Reason != "" || len(served.ResponseBody) == 0 {
		t.Errorf("got %+v", served)
	}
	const signed = "GET\n\n\nFri, 20 Nov 2026 18:44:02 GMT\n/devstoreaccount1/missing"
	if refused := f.records[1]; refused.Code != "AuthenticationFailed" || !strings.Contains(refused.Reason, "signature") || refused.StringToSign != signed {
		t.Errorf("got %+v", refused)
	}
	if long := f.records[2]; len(long.Reason) > 4<<10 {
		t.Errorf("a reason of %d bytes", len(long.Reason))
	}
}

// TestBadInput: malformed requests cause no 500 and leave nothing behind.
func TestBadInput(t *testing.T) {
	for _, c := range []struct{ name, method, target, body, contentType string }{
		{"an unfinished escape in the path", "GET", "/things(PartitionKey='%e',RowKey='r')", "", ""},
		{"a lone quote", "GET", "/'", "", ""},
		{"many parentheses", "GET", "/things" + strings.Repeat("(", 10000), "", ""},
		{"a deep filter", "GET", "/things?$filter=" + strings.Repeat("(", 20000) + "a", "", ""},
		{"a long filter of nots", "GET", "/things?$filter=" + strings.Repeat("not+", 5000) + "a", "", ""},
		{"deep JSON", "POST", "/things", strings.Repeat(`{"a":`, 100000), "application/json"},
		{"no UTF-8", "POST", "/things", "{\"PartitionKey\":\"\xff\",\"RowKey\":\"r\"}", "application/json"},
		{"half a surrogate pair", "POST", "/things", `{"PartitionKey":"\ud800","RowKey":"r"}`, "application/json"},
		{"an annotation that is not a string", "POST", "/things", `{"PartitionKey":"p","RowKey":"r","a@odata.type":5,"a":1}`, "application/json"},
		{"an empty boundary", "POST", "/$batch", "----", "multipart/mixed; boundary="},
		{"an unfinished batch", "POST", "/$batch", "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c", "multipart/mixed; boundary=b"},
		{"an operation without a method", "POST", "/$batch", "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n\r\n--c--\r\n--b--", "multipart/mixed; boundary=b"},
		{"XML", "POST", "/things", "<entry/>", "application/atom+xml"},
		{"an unknown verb", "BREW", "/things", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			r := httptest.NewRequest("GET", "https://"+testHost+"/", strings.NewReader(c.body))
			path, query, _ := strings.Cut(c.target, "?")
			r.Method, r.URL.Path, r.URL.RawPath, r.URL.RawQuery = c.method, path, path, query
			r.ContentLength = int64(len(c.body))
			r.Header.Set("Accept", "application/json")
			r.Header.Set("Content-Type", c.contentType)
			got := f.send(r)
			if got.status < 400 && !strings.Contains(got.body, "HTTP/1.1 400 ") || got.status >= 500 && got.status != 501 {
				t.Errorf("status %d", got.status)
			}
			if got := f.do("GET", "/things", "").rowKeys(); got != "" {
				t.Errorf("stored %q", got)
			}
		})
	}
}
