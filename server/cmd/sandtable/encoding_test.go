//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestAcceptedCoding(t *testing.T) {
	all := []string{"br", "gzip", identity}
	tests := []struct {
		name   string
		header []string
		there  []string
		want   string
	}{
		{"no header", nil, all, identity},
		{"empty", []string{""}, all, identity},
		{"a browser", []string{"gzip, deflate, br, zstd"}, all, "br"},
		{"a browser without https", []string{"gzip, deflate"}, all, "gzip"},
		{"in separate header lines", []string{"gzip", "br"}, all, "br"},
		{"capitals and blanks", []string{" GZIP ; Q=1 "}, all, "gzip"},
		{"the old name", []string{"x-gzip"}, all, "gzip"},
		{"weights", []string{"br;q=0.1, gzip;q=0.9"}, all, "gzip"},
		{"identity preferred", []string{"identity, gzip;q=0.5"}, all, identity},
		{"identity with a low weight", []string{"identity;q=0.1, gzip;q=0.5"}, all, "gzip"},
		{"refused", []string{"br;q=0, gzip"}, all, "gzip"},
		{"refused with zeros", []string{"br;q=0.000, gzip;q=0.00"}, all, identity},
		{"all others refused", []string{"gzip, *;q=0"}, all, "gzip"},
		{"anything", []string{"*"}, all, "br"},
		{"any coding but one", []string{"*, br;q=0"}, all, "gzip"},
		{"nothing", []string{"*;q=0"}, all, ""},
		{"identity refused", []string{"identity;q=0, zstd"}, all, ""},
		{"not available", []string{"br"}, []string{"gzip", identity}, identity},
		{"only identity available", []string{"br, gzip"}, []string{identity}, identity},
		{"only what the client cannot read", []string{"gzip"}, []string{"br"}, ""},
		{"malformed weights", []string{"br;q=x, gzip;q=2, *;q=-1"}, all, identity},
		{"another parameter", []string{"br;level=3"}, all, identity},
		{"commas", []string{",, ,gzip,"}, all, "gzip"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := acceptedCoding(test.header, test.there); got != test.want {
				t.Errorf("%q of %q is %q, want %q", test.header, test.there, got, test.want)
			}
		})
	}
}

func FuzzAcceptedCoding(f *testing.F) {
	f.Add("gzip, deflate, br;q=0.5, *;q=0")
	f.Add(";;=,q=")
	f.Fuzz(func(t *testing.T, header string) {
		switch got := acceptedCoding([]string{header}, []string{"br", "gzip", identity}); got {
		case "", "br", "gzip", identity:
		default:
			t.Errorf("%q gives %q", header, got)
		}
	})
}

func gzipped(t *testing.T, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packedFiles are files as the build packs them. The br forms have distinctive
// contents that are never unpacked here, so that a test can tell the forms apart.
func packedFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{
		"index.html":         {Data: []byte("<p>start")},
		"404.html.br":        {Data: []byte("the app in br")},
		"404.html.gz":        {Data: gzipped(t, "<p>app")},
		"web/app.wasm.br":    {Data: []byte("wasm in br")},
		"web/app.wasm.gz":    {Data: gzipped(t, "\x00asm")},
		"web/harmed.css.gz":  {Data: []byte("no gzip")},
		"web/both.js":        {Data: []byte("plain")},
		"web/both.js.gz":     {Data: gzipped(t, "plain")},
		"web/brotli.json.br": {Data: []byte("json in br")},
	}
}

func TestWebAppServesWhatIsPacked(t *testing.T) {
	app, err := newWebApp(packedFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	const browser = "gzip, deflate, br"
	wasm, page := string(gzipped(t, "\x00asm")), string(gzipped(t, "<p>app"))
	tests := []struct {
		name, method, path, accepted string
		status                       int
		encoding, vary, contentType  string
		body                         string
	}{
		{"brotli", "GET", "/web/app.wasm", browser, 200, "br", "Accept-Encoding", "application/wasm", "wasm in br"},
		{"gzip", "GET", "/web/app.wasm", "gzip", 200, "gzip", "Accept-Encoding", "application/wasm", wasm},
		{"gzip, since brotli is refused", "GET", "/web/app.wasm", "br;q=0, *", 200, "gzip", "Accept-Encoding", "application/wasm", wasm},
		{"identity", "GET", "/web/app.wasm", "", 200, "", "Accept-Encoding", "application/wasm", "\x00asm"},
		{"identity accepted", "GET", "/web/app.wasm", "identity", 200, "", "Accept-Encoding", "application/wasm", "\x00asm"},
		{"HEAD", "HEAD", "/web/app.wasm", browser, 200, "br", "Accept-Encoding", "application/wasm", ""},
		{"no form accepted", "GET", "/web/app.wasm", "*;q=0", 406, "", "Accept-Encoding", "text/plain; charset=utf-8",
			"the file is available only as br, gzip, identity\n"},
		{"never packed", "GET", "/", browser, 200, "", "", "text/html; charset=utf-8", "<p>start"},
		{"next to its packed form", "GET", "/web/both.js", "", 200, "", "Accept-Encoding", "text/javascript; charset=utf-8", "plain"},
		{"only in brotli", "GET", "/web/brotli.json", "gzip", 406, "", "", "text/plain; charset=utf-8", "the file is available only as br\n"},
		{"broken gzip", "GET", "/web/harmed.css", "", 500, "", "Accept-Encoding", "text/plain; charset=utf-8",
			"unpack the file: unexpected EOF\n"},
		{"page of the app", "GET", "/tables", browser, 404, "br", "Accept-Encoding", "text/html; charset=utf-8", "the app in br"},
		{"page of the app in gzip", "GET", "/tables", "gzip", 404, "gzip", "Accept-Encoding", "text/html; charset=utf-8", page},
		{"a packed form by its own name", "GET", "/web/app.wasm.br", browser, 404, "br", "Accept-Encoding", "text/html; charset=utf-8", "the app in br"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Accept", "text/html")
			r.Header.Set("Accept-Encoding", test.accepted)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != test.status || w.Body.String() != test.body {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			h := w.Header()
			if h.Get("Content-Encoding") != test.encoding || h.Get("Vary") != test.vary || h.Get("Content-Type") != test.contentType {
				t.Errorf("headers %v", h)
			}
		})
	}
}

// TestWebAppFormsHaveTheirOwnETags: a cached file in one coding does not validate
// against another.
func TestWebAppFormsHaveTheirOwnETags(t *testing.T) {
	app, err := newWebApp(packedFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	get := func(accepted, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/web/app.wasm", nil)
		r.Header.Set("Accept-Encoding", accepted)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		return w
	}
	codings := []string{"br", "gzip", "identity"}
	for _, kept := range codings {
		tag := get(kept, "").Header().Get("ETag")
		for _, accepted := range codings {
			want := http.StatusOK
			if accepted == kept {
				want = http.StatusNotModified
			}
			got := get(accepted, tag)
			if got.Code != want {
				t.Errorf("%s with the tag of %s: %d", accepted, kept, got.Code)
			}
			if got.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("%d: headers %v", got.Code, got.Header())
			}
		}
	}
}

func TestWebAppServesRangesOfAForm(t *testing.T) {
	app, err := newWebApp(packedFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/web/app.wasm", nil)
	r.Header.Set("Accept-Encoding", "br")
	r.Header.Set("Range", "bytes=5-6")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code != http.StatusPartialContent || w.Body.String() != "in" || w.Header().Get("Content-Encoding") != "br" {
		t.Errorf("got %d %q, headers %v", w.Code, w.Body, w.Header())
	}
}
