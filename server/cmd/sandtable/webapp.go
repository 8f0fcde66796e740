//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

// contentTypes are those of the app's files. The tables of the operating
// system are not asked: they may lack WebAssembly, or know better.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".md":          "text/markdown; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

// hashed are names with the hash of their content: what they name never changes.
var hashed = regexp.MustCompile(`\.[0-9a-f]{16}\.`)

const (
	indexName    = "index.html"
	notFoundName = "404.html"
)

// webApp serves files that do not change while it runs.
type webApp map[string]*webFile

type webFile struct {
	content     []byte
	contentType string
	cache       string
	etag        string
}

// newWebApp reads all files. It returns errNoApp where there is no start page.
func newWebApp(files fs.FS) (webApp, error) {
	app := webApp{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		app[name] = newWebFile(name, content)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if app[indexName] == nil {
		return nil, errNoApp
	}
	return app, nil
}

func newWebFile(name string, content []byte) *webFile {
	sum := sha256.Sum256(content)
	file := &webFile{content: content, contentType: contentTypes[path.Ext(name)], etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
	if file.contentType == "" {
		file.contentType = "application/octet-stream"
	}
	file.cache = "no-cache" // keep it, but ask whether it is still the same
	if hashed.MatchString(path.Base(name)) {
		file.cache = "public, max-age=31536000, immutable"
	}
	return file
}

// ServeHTTP answers a GET or HEAD of a file. Unknown addresses get the 404
// page, which is the app: it knows more addresses than there are files.
func (a webApp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only files are served here; the tables are in the browser", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += indexName
	}
	for _, name := range []string{name, name + ".html"} { // static hosts leave ".html" out, too
		if file := a[name]; file != nil {
			file.serve(w, r)
			return
		}
	}
	a.notFound(w, r)
}

func (f *webFile) serve(w http.ResponseWriter, r *http.Request) {
	f.writeHeader(w)
	w.Header().Set("ETag", f.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

func (f *webFile) writeHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", f.contentType)
	w.Header().Set("Cache-Control", f.cache)
	w.Header().Set("X-Content-Type-Options", "nosniff")
}

// notFound answers an address that no file has, such as one of the tables'
// asked for by a page that has no service worker.
func (a webApp) notFound(w http.ResponseWriter, r *http.Request) {
	page := a[notFoundName]
	if page == nil || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	page.writeHeader(w)
	w.WriteHeader(http.StatusNotFound)
	if r.Method == http.MethodGet {
		_, _ = w.Write(page.content) // the caller is gone, if this fails
	}
}
