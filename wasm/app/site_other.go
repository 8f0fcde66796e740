//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// sources are the files that a web app is made of.
type sources struct {
	engine, nodeEngine string // files
	app, exec          string // files
	worker, assets     string // folders
	lessons            string // folder
}

// site is a web app: its files by their paths, which have slashes.
type site map[string][]byte

// Placeholders for the version, the files that the worker caches and the pages of the
// app, in files that are written before those are known. They consist of letters, so
// no escaping changes them.
const (
	version    = "versionOfThisBuild"
	keptFiles  = "filesOfThisBuild"
	namesPages = "pagesOfThisBuild"
)

// names are the files of a site that load each other. Executable ones have the hash of
// their content or the build's version in their name, so that a name refers to exactly
// this content or to nothing.
type names struct {
	page, engine, exec string   // WebAssembly, and Go's loader of it
	loader             string   // app.js
	pages              []string // the HTML files
}

// check finds the files that the worker will cache: without one of them, no worker
// could be installed.
func (s site) check(handler *app.Handler) error {
	icon := handler.Icon
	kept := slices.Concat([]string{icon.Default, icon.Large, icon.Maskable, icon.SVG},
		handler.Styles, handler.Scripts, handler.Fonts, handler.CacheableResources)
	for _, name := range kept {
		name, _, _ = strings.Cut(name, " ") // how it is loaded
		if s[strings.TrimPrefix(name, "/")] == nil {
			return fmt.Errorf("the app needs %s, which is missing", name)
		}
	}
	return nil
}

// addFolder adds all files below a folder.
func (s site) addFolder(prefix, folder string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) == ".go" || path.Ext(name) == ".md" {
			return err
		}
		s[path.Join(prefix, name)], err = os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		return err
	})
}

// addHashed adds a file under a name that contains the hash of its content, and
// returns that name.
func (s site) addHashed(name, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return s.hash(name, content), nil
}

// hash adds content under a name that contains its hash, and returns that name.
func (s site) hash(name string, content []byte) string {
	sum := sha256.Sum256(content)
	extension := path.Ext(name)
	name = strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:8]) + extension
	s[name] = content
	return name
}

// addPages adds what go-app generates: the pages, their loader, the worker's
// script, the manifest.
func (s site) addPages(handler *app.Handler) error {
	folder, err := os.MkdirTemp("", "sandtable-app")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := app.GenerateStaticWebsite(folder, handler); err != nil {
		return err
	}
	return s.addFolder("", folder)
}

// finish stamps the files with their version and lists in the worker's script the
// files to cache.
func (s site) finish(n names) error {
	s["404.html"] = s["index.html"]
	s.stamp()
	for placeholder, value := range map[string]any{keptFiles: s.digests(), namesPages: n.addresses()} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		s[workerName] = bytes.Replace(s[workerName], []byte(`"`+placeholder+`"`), text, 1)
	}
	return nil
}

// stamp replaces the version's placeholder with the hash of all files.
func (s site) stamp() {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(hash, "%s %d\n", name, len(s[name]))
		hash.Write(s[name])
	}
	build := []byte(hex.EncodeToString(hash.Sum(nil)[:8]))
	for name, content := range maps.Clone(s) {
		if path.Ext(name) != ".wasm" {
			delete(s, name)
			s[strings.ReplaceAll(name, version, string(build))] = bytes.ReplaceAll(content, []byte(version), build)
		}
	}
}

// addresses returns the paths where hosts serve the app's pages, with and without
// their extension.
func (n names) addresses() []string {
	var all []string
	for _, page := range slices.Sorted(slices.Values(n.pages)) {
		if page != "404.html" {
			all = append(all, "/"+page, "/"+strings.TrimSuffix(page, ".html"))
		}
	}
	return all
}

const workerName = "app-worker.js"

// digests returns the paths that the worker caches, with the digests that fetch
// checks. The page has none, see wasm/js/shell.js.
func (s site) digests() map[string]string {
	all := map[string]string{"/": ""}
	for name, content := range s {
		page := path.Ext(name) == ".html"
		if !page && name != workerName && (strings.HasPrefix(name, "web/") || path.Dir(name) == "." && !strings.HasPrefix(name, ".")) {
			all["/"+name] = digest(content)
		}
	}
	return all
}

// digest returns the digest of a file, as fetch checks it.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
