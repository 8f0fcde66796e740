//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// sources are the files that a web app is made of.
type sources struct {
	engine, app, exec string // files
	worker, assets    string // folders
}

// site is a web app: its files by their paths, which have slashes.
type site map[string][]byte

// version stands for the version in files whose content decides it. It has
// only letters, so that it comes through every escape unchanged.
const version = "versionOfThisBuild"

// generate makes the web app. It changes the handler.
func generate(in sources, handler *app.Handler) (site, error) {
	s := site{}
	if err := s.addFolder("web", in.assets); err != nil {
		return nil, err
	}
	pageWasm, err := os.ReadFile(in.app)
	if err != nil {
		return nil, err
	}
	s["web/app.wasm"] = pageWasm
	engine, err := s.addHashed("web/engine.wasm", in.engine)
	if err != nil {
		return nil, err
	}
	exec, err := s.addHashed("web/wasm_exec.js", in.exec)
	if err != nil {
		return nil, err
	}
	script, err := workerScript(in.worker, engine, exec)
	if err != nil {
		return nil, err
	}
	handler.WasmContentLength = strconv.Itoa(len(pageWasm))
	handler.ServiceWorkerTemplate = script
	for name := range s {
		handler.CacheableResources = append(handler.CacheableResources, "/"+name)
	}
	if err := s.addPages(handler); err != nil {
		return nil, err
	}
	s["wasm_exec.js"] = s[exec] // go-app brings that of some other compiler
	s[".nojekyll"] = nil        // GitHub Pages leaves some names out otherwise
	if err := s.check(handler); err != nil {
		return nil, err
	}
	return s, s.finish()
}

// check looks for all files that the worker will keep: with one missing, no
// worker would ever be installed.
func (s site) check(handler *app.Handler) error {
	icon := handler.Icon
	kept := slices.Concat([]string{icon.Default, icon.Large, icon.Maskable, icon.SVG},
		handler.Styles, handler.Scripts, handler.Fonts, handler.CacheableResources)
	for _, name := range kept {
		if s[strings.TrimPrefix(name, "/")] == nil {
			return fmt.Errorf("the app needs %s, which is not there", name)
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

// addHashed adds a file under a name that has the hash of its content, and
// returns that name. Whoever has the name has just this content.
func (s site) addHashed(name, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	extension := path.Ext(name)
	name = strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:8]) + extension
	s[name] = content
	return name, nil
}

// addPages adds what go-app makes: the page, its loader, the worker's script
// from its template, the manifest.
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

// finish makes addresses relative and stamps the files with their version.
func (s site) finish() error {
	if err := s.relocate(); err != nil {
		return err
	}
	s["404.html"] = s["index.html"]
	s.stamp()
	return nil
}

// stamp replaces the version by the hash of all there is.
func (s site) stamp() {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(hash, "%s %d\n", name, len(s[name]))
		hash.Write(s[name])
	}
	build := hex.EncodeToString(hash.Sum(nil)[:8])
	for name, content := range s {
		if path.Ext(name) != ".wasm" {
			s[name] = bytes.ReplaceAll(content, []byte(version), []byte(build))
		}
	}
}
