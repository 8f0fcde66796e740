package server_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/auth"
)

// TestHTTPSIsTLS: an absolute request target can claim https, and so can a
// header; neither makes the connection one, except from a trusted proxy.
func TestHTTPSIsTLS(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	const http, https = "http://" + testHost, "https://" + testHost
	for _, c := range []struct {
		name, target string // httptest sets TLS for https
		tls          bool
		trusted      []netip.Prefix
		remote       string
		proto        string
		allowed      bool
	}{
		{"TLS", https, true, nil, "", "", true},
		{"plain", http, false, nil, "", "", false},
		{"plain, with an https target", https, false, nil, "", "", false},
		{"plain, with a header", http, false, nil, "10.1.2.3:5", "https", false},
		{"through a proxy", http, false, proxies, "10.1.2.3:5", "https", true},
		{"through another proxy", http, false, proxies, "11.1.2.3:5", "https", false},
		{"plain to the proxy", https, true, proxies, "10.1.2.3:5", "http", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixtureWith(t, func(o *server.Options) { o.TrustedProxies = c.trusted })
			sas, err := auth.SAS{Permissions: "l", Expiry: f.now.Add(time.Hour), Protocol: "https"}.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			for _, credentials := range []string{"sas", "bearer"} {
				r := httptest.NewRequest("GET", c.target+"/Tables", nil)
				if !c.tls {
					r.TLS = nil
				}
				r.RemoteAddr = c.remote
				r.Header.Set("Accept", "application/json")
				r.Header.Set("x-ms-version", testVersion)
				if c.proto != "" {
					r.Header.Set("X-Forwarded-Proto", c.proto)
				}
				if credentials == "sas" {
					r.URL.RawQuery = sas
				} else {
					r.Header.Set("Authorization", "Bearer token")
				}
				if got := f.send(r).status == 200; got != c.allowed {
					t.Errorf("%s: allowed %v, want %v", credentials, got, c.allowed)
				}
			}
		})
	}
}

// TestForwardedAddress: behind trusted proxies sip is about the caller's
// address, and what a caller writes in front of it does not count.
func TestForwardedAddress(t *testing.T) {
	for forwarded, allowed := range map[string]bool{
		"1.2.3.4": true, "1.2.3.4, 10.9.9.9": true, "5.5.5.5": false, "1.2.3.4, 5.5.5.5": false, "1.2.3.4, x": false, "": false,
	} {
		f := newFixtureWith(t, func(o *server.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
		sas, err := auth.SAS{Permissions: "l", Expiry: f.now.Add(time.Hour), IP: "1.2.3.4"}.Sign(testAccount, testKey)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "https://"+testHost+"/Tables?"+sas, nil)
		r.RemoteAddr = "10.1.2.3:5"
		r.Header.Set("Accept", "application/json")
		r.Header.Set("X-Forwarded-For", forwarded)
		if got := f.send(r).status == 200; got != allowed {
			t.Errorf("%q: allowed %v, want %v", forwarded, got, allowed)
		}
	}
}

// blockedBody gives one byte, reports that it is being read and then waits.
type blockedBody struct {
	reading chan<- struct{}
	release <-chan struct{}
	body    io.Reader
}

func (b *blockedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p[:min(len(p), 1)])
	if b.reading != nil {
		close(b.reading)
		b.reading = nil
		<-b.release
	}
	return n, err
}

// TestBodyMemoryIsBounded: a body beyond the memory of all bodies in flight is
// refused, and accepted once the others are gone.
func TestBodyMemoryIsBounded(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.BodyMemory = 100 })
	f.createTable("things")
	insert := func(rk string) []byte {
		return []byte(`{"PartitionKey":"p","RowKey":"` + rk + `","a":"` + strings.Repeat("x", 40) + `"}`)
	}
	request := func(body io.Reader, length int64) *http.Request {
		r := httptest.NewRequest("POST", "https://"+testHost+"/things", body)
		r.ContentLength = length
		r.Header.Set("Accept", "application/json;odata=minimalmetadata")
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	for _, length := range []int64{int64(len(insert("1"))), -1} {
		reading, release, first := make(chan struct{}), make(chan struct{}), make(chan int)
		go func() {
			w := httptest.NewRecorder()
			body := &blockedBody{reading, release, bytes.NewReader(insert("1"))}
			f.handler.ServeHTTP(w, request(body, int64(len(insert("1")))))
			first <- w.Code
		}()
		<-reading
		f.send(request(bytes.NewReader(insert("2")), length)).wantError(503, "ServerBusy", "The server is busy.")
		close(release)
		if got := <-first; got != 201 {
			t.Errorf("the first body: %d, want 201", got)
		}
		f.send(request(bytes.NewReader(insert("2")), length)).wantStatus(201)
		for _, rk := range []string{"1", "2"} {
			f.do("DELETE", "/things(PartitionKey='p',RowKey='"+rk+"')", "", "If-Match: *").wantStatus(204)
		}
	}
}

type failingBody struct{}

func (failingBody) Read([]byte) (int, error) { return 0, errors.New("broken off") }

// TestBodyMemoryIsReleased: bodies that are refused or break off do not count.
func TestBodyMemoryIsReleased(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.BodyMemory = 100 })
	f.createTable("things")
	for range 3 {
		for _, length := range []int64{90, -1} {
			r := httptest.NewRequest("POST", "https://"+testHost+"/things", failingBody{})
			r.ContentLength = length
			r.Header.Set("Accept", "application/json")
			r.Header.Set("Content-Type", "application/json")
			f.send(r).wantStatus(400)
		}
		f.do("POST", "/things", `{"`+strings.Repeat("x", 90)+`":1}`).wantStatus(400)
	}
}
