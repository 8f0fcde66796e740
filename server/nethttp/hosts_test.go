package nethttp_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sandtable/server/nethttp"
)

// TestOnlyHosts: foreign host names are refused, against DNS rebinding (issue 16
// §1.6).
func TestOnlyHosts(t *testing.T) {
	h := nethttp.OnlyHosts(http.NotFoundHandler(), func(host string) bool { return host == "given.example" })
	for host, status := range map[string]int{
		"localhost": 404, "LOCALHOST:10002": 404, "localhost.": 404, "account.localhost:1": 404, "127.0.0.1": 404, "127.3.2.1:80": 404, "[::1]:10002": 404,
		"[::ffff:127.0.0.1]": 404, "given.example:10002": 404, "GIVEN.example.": 404, "": 404,
		"evil.example": 403, "127.0.0.1.evil.example:10002": 403, "localhost.evil.example": 403, "evillocalhost": 403, "192.168.1.2": 403,
		"0.0.0.0": 403, "sub.given.example": 403, "[2001:db8::1]:80": 403, strings.Repeat("a", 100_000): 403,
		strings.Repeat("a", 300) + ".localhost": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%.40s: status %d, want %d", host, w.Code, status)
		}
		if w.Body.Len() > 1000 {
			t.Errorf("%.40s: a response of %d bytes", host, w.Body.Len())
		}
	}
}

func TestTrustProxies(t *testing.T) {
	var seen string
	h := nethttp.TrustProxies(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		seen = fmt.Sprint(host, " ", r.TLS != nil)
	}), []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")})
	for _, c := range []struct{ name, peer, proto, forwarded, want string }{
		{"a stranger", "192.0.2.1:5", "https", "198.51.100.1", "192.0.2.1 false"},
		{"a proxy", "10.1.2.3:5", "https", "198.51.100.1", "198.51.100.1 true"},
		{"a proxy, over IPv6", "[::1]:5", "https", "2001:db8::7", "2001:db8::7 true"},
		{"a proxy for plain HTTP", "10.1.2.3:5", "http", "198.51.100.1", "198.51.100.1 false"},
		{"a proxy without headers", "10.1.2.3:5", "", "", "10.1.2.3 false"},
		{"two proxies", "10.1.2.3:5", "https", "198.51.100.1, 10.9.9.9", "198.51.100.1 true"},
		{"a client that forges its address", "10.1.2.3:5", "https", "127.0.0.1, 198.51.100.1", "198.51.100.1 true"},
		{"a client that forges https", "10.1.2.3:5", "https, http", "198.51.100.1", "198.51.100.1 false"},
		{"a proxy that adds ports", "10.1.2.3:5", "https", "198.51.100.1:50123, 10.9.9.9:443", "198.51.100.1 true"},
		{"a proxy that adds ports, over IPv6", "10.1.2.3:5", "https", "[2001:db8::7]:50123", "2001:db8::7 true"},
		{"nonsense", "10.1.2.3:5", "https", "localhost", "10.1.2.3 true"},
		{"no address", "pipe", "https", "198.51.100.1", " false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = c.peer
			if c.proto != "" {
				r.Header.Set("X-Forwarded-Proto", c.proto)
			}
			if c.forwarded != "" {
				r.Header.Set("X-Forwarded-For", c.forwarded)
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			if seen != c.want {
				t.Errorf("seen as %q, want %q", seen, c.want)
			}
		})
	}
	over := httptest.NewRequest("GET", "/", nil)
	over.RemoteAddr, over.TLS = "10.1.2.3:5", &tls.ConnectionState{}
	h.ServeHTTP(httptest.NewRecorder(), over)
	if seen != "10.1.2.3 true" {
		t.Errorf("over TLS seen as %q", seen)
	}
}

// TestLimitListener: a connection beyond the limit waits until another ends.
func TestLimitListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := nethttp.LimitListener(inner, 2)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- conn
		}
	}()
	for range 3 {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection was accepted")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // frees one slot only
	third := <-accepted
	// All slots are in use again: Close must end an Accept that waits for one.
	listener.Close()
	if err := <-ended; err == nil {
		t.Error("it accepts after Close")
	}
	second.Close()
	third.Close()
}
