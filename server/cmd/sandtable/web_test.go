//go:build !js

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var appFiles = fstest.MapFS{
	"index.html":                         {Data: []byte("<p>start")},
	"404.html":                           {Data: []byte("<p>app")},
	"gallery.html":                       {Data: []byte("<p>gallery")},
	"app-worker.js":                      {Data: []byte("// worker")},
	"manifest.webmanifest":               {Data: []byte("{}")},
	"web/app.wasm":                       {Data: []byte("\x00asm")},
	"web/engine.0123456789abcdef.wasm":   {Data: []byte("\x00asm")},
	"web/css/tokens.0123456789abcde.css": {Data: []byte(":root{}")},
	"web/unknown.bin":                    {Data: []byte("?")},
}

func TestWebApp(t *testing.T) {
	app, err := newWebApp(appFiles)
	if err != nil {
		t.Fatal(err)
	}
	const checked, forever = "no-cache", "public, max-age=31536000, immutable"
	tests := []struct {
		name, method, path, accept string
		status                     int
		contentType, cache, body   string
	}{
		{"start", "GET", "/", "", 200, "text/html; charset=utf-8", checked, "<p>start"},
		{"by its name", "GET", "/index.html", "", 200, "text/html; charset=utf-8", checked, "<p>start"},
		{"page", "GET", "/gallery", "text/html", 200, "text/html; charset=utf-8", checked, "<p>gallery"},
		{"HEAD", "HEAD", "/", "", 200, "text/html; charset=utf-8", checked, ""},
		{"worker", "GET", "/app-worker.js", "", 200, "text/javascript; charset=utf-8", checked, "// worker"},
		{"manifest", "GET", "/manifest.webmanifest", "", 200, "application/manifest+json", checked, "{}"},
		{"wasm of a fixed name", "GET", "/web/app.wasm", "", 200, "application/wasm", checked, "\x00asm"},
		{"hashed name", "GET", "/web/engine.0123456789abcdef.wasm", "", 200, "application/wasm", forever, "\x00asm"},
		{"almost a hash", "GET", "/web/css/tokens.0123456789abcde.css", "", 200, "text/css; charset=utf-8", checked, ":root{}"},
		{"unknown type", "GET", "/web/unknown.bin", "", 200, "application/octet-stream", checked, "?"},
		{"page of the app", "GET", "/tables", "text/html", 404, "text/html; charset=utf-8", checked, "<p>app"},
		{"HEAD of a page of the app", "HEAD", "/tables", "text/html", 404, "text/html; charset=utf-8", checked, ""},
		{"no such file", "GET", "/web/none.js", "*/*", 404, "text/plain; charset=utf-8", "", "no such file\n"},
		{"folder", "GET", "/web/", "*/*", 404, "text/plain; charset=utf-8", "", "no such file\n"},
		{"above the folder", "GET", "/../web.go", "*/*", 404, "text/plain; charset=utf-8", "", "no such file\n"},
		{"a request for a table", "POST", "/table/devstoreaccount1/Tables", "", 405, "text/plain; charset=utf-8", "",
			"only files are served here; the tables are in the browser\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, test.path, nil)
			r.Header.Set("Accept", test.accept)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != test.status || w.Body.String() != test.body {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
			if got := w.Header(); got.Get("Content-Type") != test.contentType || got.Get("Cache-Control") != test.cache {
				t.Errorf("headers %v", got)
			}
		})
	}
}

// TestWebAppPolicy: only the site's scripts run, and no other site can frame the app
// (issue 16 §1.11).
func TestWebAppPolicy(t *testing.T) {
	app, err := newWebApp(appFiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/gallery", "/tables", "/app-worker.js"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept", "text/html")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		policy := w.Header().Get("Content-Security-Policy")
		for _, want := range []string{"script-src 'self' 'wasm-unsafe-eval';", "frame-ancestors 'self'", "object-src 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q lacks %q", path, policy, want)
			}
		}
	}
}

// TestWebAppPolicyNamesScripts: the inline scripts that may run are the sandbox's and
// those of the page.
func TestWebAppPolicyNamesScripts(t *testing.T) {
	page := []byte("<script src=\"a.js\"></script><script>if (1 < 2)\n  page()</script>")
	files := fstest.MapFS{"index.html": {Data: page}, sandboxName: {Data: []byte("frame()")}}
	app, err := newWebApp(files)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	// printf 'frame()' | openssl dgst -sha256 -binary | base64, and the same for the page's
	const want = "script-src 'self' 'wasm-unsafe-eval' 'sha256-EVJGYNZWcCtsLDOPRMdhUr5/amcWYlCtaoDVHnUITUU=' 'sha256-ytLnKS3ieufArrLFOlYkA3RVC20Vq/DfHqypK4DXGFA=';"
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, want) {
		t.Errorf("the policy %q lacks %q", got, want)
	}
}

func TestWebAppIsAskedWhetherAFileIsTheSame(t *testing.T) {
	app, err := newWebApp(appFiles)
	if err != nil {
		t.Fatal(err)
	}
	first := httptest.NewRecorder()
	app.ServeHTTP(first, httptest.NewRequest("GET", "/", nil))
	again := httptest.NewRequest("GET", "/", nil)
	again.Header.Set("If-None-Match", first.Header().Get("ETag"))
	second := httptest.NewRecorder()
	app.ServeHTTP(second, again)
	if second.Code != http.StatusNotModified || second.Body.Len() != 0 {
		t.Errorf("got %d with %d bytes", second.Code, second.Body.Len())
	}
}

func TestWebAppMissing(t *testing.T) {
	_, err := newWebApp(fstest.MapFS{"README.md": {Data: []byte("# The web app")}})
	if !errors.Is(err, errNoApp) {
		t.Errorf("error %v", err)
	}
}

func TestWebAddress(t *testing.T) {
	tests := []struct{ name, addr, ip, want string }{
		{"localhost", "localhost:0", "127.0.0.1", "http://localhost:8080"},
		{"all interfaces", ":8080", "::", "http://localhost:8080"},
		{"one interface", "192.0.2.1:8080", "192.0.2.1", "http://192.0.2.1:8080"},
		{"six", "[::1]:8080", "::1", "http://[::1]:8080"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := webAddress(test.addr, &net.TCPAddr{IP: net.ParseIP(test.ip), Port: 8080}); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestRunWeb serves on a free port and stops on cancellation.
func TestRunWeb(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := runWeb(ctx, []string{"-addr", "localhost:0"}, stdout, io.Discard)
		stdout.CloseWithError(err)
		done <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if errors.Is(err, errNoApp) {
		t.Log("without a web app, the error is what is tested")
		stop()
		return
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Sandtable is at http://localhost:")
	if err != nil || !ok {
		t.Fatalf("printed %q, error %v", line, err)
	}
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get("http://localhost:" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	client.CloseIdleConnections()
	if response.StatusCode != http.StatusOK {
		t.Errorf("status %s", response.Status)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestRunWebRefusesArguments(t *testing.T) {
	for _, args := range [][]string{{"folder"}, {"-port", "1"}, {"-addr", "localhost:http:x"}} {
		if err := runWeb(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
