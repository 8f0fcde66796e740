package control_test

import (
	"strings"
	"testing"
)

const controlToken = "a-token-of-the-control-api-0123456789"

func newGuarded(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, func(o *options) { o.Token = controlToken })
}

// TestControlToken: without the token every path and method of the control API is
// refused.
func TestControlToken(t *testing.T) {
	f := newGuarded(t)
	for _, c := range []struct {
		name, path, authorization string
		status                    int
	}{
		{"none", "status", "", 401},
		{"none, unknown path", "nothing", "", 401},
		{"an empty one", "status", "Authorization: Bearer ", 401},
		{"another one", "status", "Authorization: Bearer " + controlToken + "x", 401},
		{"a prefix of it", "status", "Authorization: Bearer " + controlToken[:20], 401},
		{"another scheme", "status", "Authorization: Basic " + controlToken, 401},
		{"another one in the query", "status?token=x", "", 401},
		{"the right one in the query, another in the header", "status?token=" + controlToken, "Authorization: Bearer x", 401},
		{"the right one", "status", "Authorization: Bearer " + controlToken, 200},
		{"the right one, in other case", "status", "Authorization: bearer " + controlToken, 200},
		{"the right one in the query", "status?token=" + controlToken, "", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var headers []string
			if c.authorization != "" {
				headers = append(headers, c.authorization)
			}
			r := f.do("GET", "http://127.0.0.1:10002/_sandtable/"+c.path, "", headers...).wantStatus(c.status)
			if c.status == 401 {
				r.wantHeader("Www-Authenticate", `Bearer realm="sandtable"`).wantControlError(401, "TokenRequired", "token")
			}
			if strings.Contains(r.body, controlToken) {
				t.Error("the response contains the token")
			}
		})
	}
	for _, method := range []string{"POST", "OPTIONS", "DELETE"} {
		r := f.do(method, "http://127.0.0.1:10002/_sandtable/reset", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST",
			"Access-Control-Request-Headers: authorization").wantStatus(401)
		for name := range r.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: another site's page can read %s", method, name)
			}
		}
	}
}

// TestControlHost: foreign host names are refused even with the token, against DNS
// rebinding.
func TestControlHost(t *testing.T) {
	f := newGuarded(t)
	for host, status := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:10002": 200, "127.3.2.1": 200, "localhost": 200, "LOCALHOST:8080": 200, "[::1]": 200, "[::1]:10002": 200,
		"[::ffff:127.0.0.1]:80": 200,
		"evil.example":          403, "127.0.0.1.evil.example:10002": 403, "localhost.evil.example": 403, "192.168.1.2": 403, "10.0.0.1:80": 403,
		"devstoreaccount1.table.core.windows.net": 403, "0.0.0.0": 403, "[2001:db8::1]:80": 403, "x.localhost": 403, "localhost.": 403,
	} {
		r := f.do("GET", "http://"+host+"/_sandtable/status?token="+controlToken, "")
		if r.status != status {
			t.Errorf("%s: status %d, want %d", host, r.status, status)
		}
		if status == 403 {
			r.wantControlError(403, "HostNotAllowed", "127.0.0.1")
		}
	}
}

// TestControlGuarded: the token does not affect the service, and connection strings
// are for this address.
func TestControlGuarded(t *testing.T) {
	f := newGuarded(t)
	f.do("GET", "http://127.0.0.1:10002/table/devstoreaccount1/Tables", "").wantStatus(404)
	f.do("GET", "http://127.0.0.1:10002/devstoreaccount1/Tables", "").wantStatus(200)
	var c struct{ Account, Endpoint, SAS, ConnectionString, SASURL string }
	f.do("GET", "http://127.0.0.1:10002/_sandtable/accounts/strictaccount/connection?token="+controlToken, "").decode(&c)
	if c.Endpoint != "http://127.0.0.1:10002/strictaccount" {
		t.Errorf("got %+v", c)
	}
	f.do("POST", c.Endpoint+"/Tables?"+c.SAS, `{"TableName":"lesson"}`).wantStatus(201)
}

// TestControlRefusesOtherSites: forms and navigations that another site causes
// change nothing.
func TestControlRefusesOtherSites(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"JSON", []string{"Content-Type: application/json"}, 200},
		{"JSON with a charset", []string{"Content-Type: Application/JSON; charset=utf-8"}, 200},
		{"JSON Lines", []string{"Content-Type: application/x-ndjson"}, 200},
		{"our own header", []string{"X-Sandtable: 1"}, 200},
		{"from our own page", []string{"Content-Type: application/json", "Sec-Fetch-Site: same-origin"}, 200},
		{"by the user", []string{"Content-Type: application/json", "Sec-Fetch-Site: none"}, 200},
		{"a form", []string{"Content-Type: application/x-www-form-urlencoded"}, 403},
		{"a form with files", []string{"Content-Type: multipart/form-data; boundary=b"}, 403},
		{"a form of plain text", []string{"Content-Type: text/plain"}, 403},
		{"a form that imitates JSON", []string{"Content-Type: text/plain; application/json"}, 403},
		{"no type", []string{"Content-Type:"}, 403},
		{"another site", []string{"Content-Type: application/json", "Sec-Fetch-Site: cross-site"}, 403},
		{"another host of the site", []string{"Content-Type: application/json", "X-Sandtable: 1", "Sec-Fetch-Site: same-site"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, guarded := range []bool{false, true} {
				f := newFixtureWith(t, func(o *options) {
					if guarded {
						o.Token = controlToken
					}
				})
				f.createTable("things")
				r := f.do("POST", "http://localhost/_sandtable/reset?token="+controlToken, `{"what":"all"}`, c.headers...).wantStatus(c.status)
				if c.status != 200 {
					r.wantControlError(403, "CrossSiteRequest", "")
				}
				want := map[int]string{200: `"tables":0`, 403: `"tables":1`}[c.status]
				if got := f.control("GET", "status?token="+controlToken, "").body; !strings.Contains(got, want) {
					t.Errorf("with a token %v: %s", guarded, got)
				}
			}
		})
	}
}

// TestEveryMutatingMethodIsChecked: only GET, HEAD and OPTIONS skip the check.
func TestEveryMutatingMethodIsChecked(t *testing.T) {
	f := newFixture(t)
	for method, status := range map[string]int{"POST": 403, "PATCH": 403, "DELETE": 403, "PUT": 403, "BREW": 403, "GET": 200, "HEAD": 405, "OPTIONS": 405} {
		f.do(method, "http://localhost/_sandtable/accounts/"+testAccount, "", "Sec-Fetch-Site: cross-site", "Content-Type: application/json").wantStatus(status)
	}
}
