package jshttp

import (
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"sandtable/server/message"
)

func TestNewRequest(t *testing.T) {
	const cloud = "https://devstoreaccount1.table.core.windows.net"
	tests := []struct {
		name       string
		head       string
		body       string
		method     string
		host       string
		requestURI string
		path       string
		header     map[string]string
	}{
		{
			name: "bare", head: "GET " + cloud + "/Tables",
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/Tables", path: "/Tables",
		},
		{
			name: "fetch leaves merge in lower case", head: "merge " + cloud + "/T", body: "{}",
			method: "MERGE", host: "devstoreaccount1.table.core.windows.net", requestURI: "/T", path: "/T",
		},
		{
			name:   "the escaped path stays as it is",
			head:   "GET " + cloud + "/T(PartitionKey='a%2Fb',RowKey='%C3%A9%27%27')?$filter=a%20eq%201&$top=1",
			method: "GET", host: "devstoreaccount1.table.core.windows.net",
			requestURI: "/T(PartitionKey='a%2Fb',RowKey='%C3%A9%27%27')?$filter=a%20eq%201&$top=1",
			path:       "/T(PartitionKey='a/b',RowKey='é''')",
		},
		{
			name: "emulator", head: "GET http://127.0.0.1:10002/devstoreaccount1/Tables#fragment",
			method: "GET", host: "127.0.0.1:10002", requestURI: "/devstoreaccount1/Tables", path: "/devstoreaccount1/Tables",
		},
		{
			name: "no path", head: "GET " + cloud,
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/",
		},
		{
			name: "query without a path", head: "GET " + cloud + "?comp=properties",
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/?comp=properties",
		},
		{
			name:   "a preflight that a script sends",
			head:   "OPTIONS " + cloud + "/T\naccept:a\nx-sandtable-preflight-access-control-request-method:GET\nx-sandtable-preflight-origin:https://shop.example",
			method: "OPTIONS", host: "devstoreaccount1.table.core.windows.net", requestURI: "/T", path: "/T",
			header: map[string]string{"Origin": "https://shop.example", "Access-Control-Request-Method": "GET", "Accept": "a"},
		},
		{
			name:   "the same headers of another request stay as they are",
			head:   "GET " + cloud + "/T\nx-sandtable-preflight-origin:https://shop.example",
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/T", path: "/T",
			header: map[string]string{"X-Sandtable-Preflight-Origin": "https://shop.example"},
		},
		{
			name:   "a date keeps its comma, an empty value stays",
			head:   "GET " + cloud + "/\nx-ms-date:Fri, 20 Nov 2026 21:00:00 GMT\nx-empty:\nif-match:W/\"datetime'2026-01-01T00%3A00%3A00Z'\"",
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/", path: "/",
			header: map[string]string{
				"X-Ms-Date": "Fri, 20 Nov 2026 21:00:00 GMT",
				"X-Empty":   "",
				"If-Match":  "W/\"datetime'2026-01-01T00%3A00%3A00Z'\"",
			},
		},
		{
			name: "characters of a value are bytes", head: "GET " + cloud + "/\nx-name:caf\u00e9",
			method: "GET", host: "devstoreaccount1.table.core.windows.net", requestURI: "/", path: "/",
			header: map[string]string{"X-Name": "caf\xe9"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := newRequest(test.head, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != test.method || r.Host != test.host || r.URL.RequestURI() != test.requestURI || r.URL.Path != test.path {
				t.Errorf("got %s, host %s, URI %s, path %s", r.Method, r.Host, r.URL.RequestURI(), r.URL.Path)
			}
			if len(r.Header) != len(test.header) {
				t.Errorf("headers %v", r.Header)
			}
			for name, value := range test.header {
				if got := r.Header.Values(name); len(got) != 1 || got[0] != value {
					t.Errorf("header %s is %q, want %q", name, got, value)
				}
			}
			checkBody(t, r, test.body)
		})
	}
}

func checkBody(t *testing.T, r *message.Request, want string) {
	t.Helper()
	if want == "" {
		if r.Body != nil || r.ContentLength != 0 {
			t.Errorf("there is a body, of %d bytes", r.ContentLength)
		}
		return
	}
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want || r.ContentLength != int64(len(want)) {
		t.Errorf("body %q of %d bytes, error %v; want %q", got, r.ContentLength, err, want)
	}
}

func TestNewRequestRefuses(t *testing.T) {
	tests := []struct {
		name, head string
		malformed  bool // the head, not the address
	}{
		{"nothing", "", true},
		{"no method", " https://a/", true},
		{"no address", "GET", true},
		{"header without a colon", "GET https://a/\nname", true},
		{"header without a name", "GET https://a/\n:value", true},
		{"blank line", "GET https://a/\n\nname:value", true},
		{"broken percent-encoding", "GET https://a/%zz", false},
		{"an invalid port", "GET https://a:b/", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := newRequest(test.head, nil)
			if err == nil {
				t.Fatalf("built %v", r)
			}
			if errors.Is(err, ErrHead) != test.malformed {
				t.Errorf("error %v", err)
			}
		})
	}
}

// FuzzNewRequest: no head panics, and a URL passes through byte for byte, because
// signatures cover it. Characters that every client escapes keep their meaning.
func FuzzNewRequest(f *testing.F) {
	f.Add("GET", "Tables?$top=1", "accept:*/*")
	f.Add("patch", "T(PartitionKey='p',RowKey='%2F')", "if-match:*\nx-empty:")
	f.Add("", "%zz#x", ":")
	f.Add("G T", "a b?c d", "name")
	f.Fuzz(func(t *testing.T, method, address, fields string) {
		r, err := newRequest(method+" https://host/"+address+"\n"+fields, nil)
		if err != nil || strings.ContainsAny(method, " \n") {
			return
		}
		want, _, _ := strings.Cut(address, "\n")
		want, _, _ = strings.Cut(want, "#")
		path, query, _ := strings.Cut("/"+want, "?")
		if meant, err := url.PathUnescape(path); err != nil || r.URL.Path != meant {
			t.Errorf("path %q from %q", r.URL.Path, path)
		}
		if sent := r.URL.EscapedPath(); sent != path && strings.Trim(path, pathCharacters) == "" {
			t.Errorf("escaped path %q from %q", sent, path)
		}
		if r.URL.RawQuery != query || r.Method != strings.ToUpper(method) || r.Host != "host" {
			t.Errorf("%s with %q at %s from %q", r.Method, r.URL.RawQuery, r.Host, address)
		}
	})
}

// pathCharacters are those that a path can have, with those of its escapes.
//
// Source: RFC 3986, section 3.3.
const pathCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/%"

func BenchmarkNewRequest(b *testing.B) {
	const head = "GET https://devstoreaccount1.table.core.windows.net/Table(PartitionKey='p',RowKey='r')\n" +
		"accept:application/json;odata=minimalmetadata\nx-ms-version:2019-02-02\nx-ms-client-request-id:5c9b1c8e-3a5f-4a39-9d6d-4a3a42b28a5e\n" +
		"dataserviceversion:3.0\nx-ms-useragent:azsdk-js-data-tables/13.3.2"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newRequest(head, nil); err != nil {
			b.Fatal(err)
		}
	}
}
