//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// contentTypes are the media types of the app's files. The operating system's table
// may lack WebAssembly or differ.
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

// hashed matches names with a hash of their content, which therefore never changes.
var hashed = regexp.MustCompile(`\.[0-9a-f]{16}\.`)

const (
	indexName    = "index.html"
	notFoundName = "404.html"
)

// contentPolicy restricts the app's pages and workers. Scripts and WebAssembly must be
// files of the site; requests may go to any table endpoint; no page of another origin
// may frame the app, because a same-site page would share its storage. The frame that
// runs code of strangers inherits the policy, so its script is allowed by its hash, and
// so are the scripts in the pages, which run before anything is painted.
const contentPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'%s; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; connect-src 'self' http: https:; worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

// sandboxName is the script of the frame that runs code of strangers.
const sandboxName = "web/sandbox/frame.js"

// webApp serves files by name. They do not change while it runs.
type webApp map[string]*webFile

// webFile is a file in one or more content codings.
type webFile struct {
	contentType string
	cache       string
	policy      string   // the Content-Security-Policy
	codings     []string // the keys of forms, the preferred one first
	forms       map[string]func() (webForm, error)
}

// webForm is a file in one coding. Forms are different representations and have
// different ETags.
type webForm struct {
	content []byte
	etag    string
}

// newWebApp reads all files. A coding's suffix makes a file a form of the one without
// it. It returns errNoApp if there is no start page.
func newWebApp(files fs.FS) (webApp, error) {
	app := webApp{}
	for _, coding := range codings {
		err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || codingOf(name) != coding.name {
				return err
			}
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
			app.file(strings.TrimSuffix(name, coding.suffix)).add(coding.name, newWebForm(content))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, file := range app {
		file.addIdentity()
	}
	if app[indexName] == nil {
		return nil, errNoApp
	}
	return app, app.setPolicy()
}

// inlineScript is a script in a page.
var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// setPolicy gives all files the policy, with the hashes of the sandbox's script and of
// those in the start page, which are in the other pages, too.
func (a webApp) setPolicy() error {
	sandbox, err := a.content(sandboxName)
	if err != nil {
		return err
	}
	page, err := a.content(indexName)
	if err != nil {
		return err
	}
	var scripts [][]byte
	if sandbox != nil {
		scripts = append(scripts, sandbox)
	}
	for _, found := range inlineScript.FindAllSubmatch(page, -1) {
		scripts = append(scripts, found[1])
	}
	hashes := ""
	for _, script := range scripts {
		sum := sha256.Sum256(script)
		hashes += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	for _, file := range a {
		file.policy = fmt.Sprintf(contentPolicy, hashes)
	}
	return nil
}

// content returns the bytes of a file, or nil if there is no such file.
func (a webApp) content(name string) ([]byte, error) {
	file := a[name]
	if file == nil {
		return nil, nil
	}
	form, err := file.forms[identity]()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return form.content, nil
}

func codingOf(name string) string {
	for _, coding := range codings {
		if strings.HasSuffix(name, coding.suffix) {
			return coding.name
		}
	}
	return identity
}

// file returns the file with a name; it adds a missing one.
func (a webApp) file(name string) *webFile {
	if file := a[name]; file != nil {
		return file
	}
	file := &webFile{contentType: contentTypes[path.Ext(name)], forms: map[string]func() (webForm, error){}}
	if file.contentType == "" {
		file.contentType = "application/octet-stream"
	}
	file.cache = "no-cache" // may be stored, but must be revalidated
	if hashed.MatchString(path.Base(name)) {
		file.cache = "public, max-age=31536000, immutable"
	}
	a[name] = file
	return file
}

func (f *webFile) add(coding string, form webForm) {
	f.codings = append(f.codings, coding)
	f.forms[coding] = func() (webForm, error) { return form, nil }
}

// addIdentity adds the unpacked form of a file that exists only as gzip. The first of
// the few clients that need it triggers the unpacking.
func (f *webFile) addIdentity() {
	packed := f.forms["gzip"]
	if f.forms[identity] != nil || packed == nil {
		return
	}
	f.codings = append(f.codings, identity)
	f.forms[identity] = sync.OnceValues(func() (webForm, error) {
		form, err := packed()
		if err != nil {
			return webForm{}, err
		}
		unpacker, err := gzip.NewReader(bytes.NewReader(form.content))
		if err != nil {
			return webForm{}, err
		}
		content, err := io.ReadAll(unpacker)
		return newWebForm(content), err
	})
}

func newWebForm(content []byte) webForm {
	sum := sha256.Sum256(content)
	return webForm{content: content, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// ServeHTTP serves files to GET and HEAD. Other paths get the 404 page, which is the
// app: it has more pages than there are files.
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
	for _, name := range []string{name, name + ".html"} { // like static hosts
		if file := a[name]; file != nil {
			file.serve(w, r)
			return
		}
	}
	a.notFound(w, r)
}

func (f *webFile) serve(w http.ResponseWriter, r *http.Request) {
	form, ok := f.negotiate(w, r)
	if !ok {
		return
	}
	w.Header().Set("ETag", form.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(form.content))
}

// negotiate returns the form that the client prefers and writes the response's header,
// or responds with 406.
func (f *webFile) negotiate(w http.ResponseWriter, r *http.Request) (form webForm, ok bool) {
	h := w.Header()
	if len(f.codings) > 1 {
		h.Set("Vary", "Accept-Encoding")
	}
	coding := acceptedCoding(r.Header.Values("Accept-Encoding"), f.codings)
	if coding == "" {
		http.Error(w, "the file is available only as "+strings.Join(f.codings, ", "), http.StatusNotAcceptable)
		return webForm{}, false
	}
	form, err := f.forms[coding]()
	if err != nil {
		http.Error(w, "unpack the file: "+err.Error(), http.StatusInternalServerError)
		return webForm{}, false
	}
	if coding != identity {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", f.policy)
	h.Set("Referrer-Policy", "no-referrer")
	return form, true
}

// notFound responds to a path without a file, perhaps a table request of a page
// without a service worker.
func (a webApp) notFound(w http.ResponseWriter, r *http.Request) {
	page := a[notFoundName]
	if page == nil || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	form, ok := page.negotiate(w, r)
	if !ok {
		return
	}
	w.WriteHeader(http.StatusNotFound)
	if r.Method == http.MethodGet {
		_, _ = w.Write(form.content) // an error means that the client has gone
	}
}
