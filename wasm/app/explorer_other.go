//go:build !js

package main

import (
	"fmt"
	"os"
	"path"

	"sandtable/web"
)

// explorerFolder is where embedding sites have the explorer, next to the worker.
const explorerFolder = "explorer"

// unusedByExplorer are files of the web app that the explorer of an embedding site
// does not need.
var unusedByExplorer = []string{"app-worker.js", "wasm_exec.js", "gallery.html", "web/js/playground.js"}

// addExplorer adds the explorer's page for embedding sites: the page of the web app
// without its service worker, and with a script that connects it to theirs.
func (s site) addExplorer(in sources) error {
	page := site{}
	if err := page.addFolder("web", in.assets); err != nil {
		return err
	}
	n := names{loader: "app." + version + ".js", pages: []string{"index.html"}}
	var err error
	if n.page, err = page.addHashed("web/app.wasm", in.app); err != nil {
		return err
	}
	if n.exec, err = page.addHashed("web/wasm_exec.js", in.exec); err != nil {
		return err
	}
	if err := page.addVendored(in, "web/js", "codemirror.js"); err != nil {
		return err
	}
	if page["web/js/explorer.js"], err = explorerScript.bundle(in, ""); err != nil {
		return err
	}
	if err := page.addEmbeddedPages(len(page[n.page])); err != nil {
		return err
	}
	for _, name := range unusedByExplorer {
		delete(page, name)
	}
	if err := page.relocate(n, explorerReplacements...); err != nil {
		return err
	}
	for name, content := range page {
		s[path.Join(explorerFolder, name)] = content
	}
	return nil
}

// addEmbeddedPages adds what go-app generates.
func (s site) addEmbeddedPages(wasmSize int) error {
	os.Setenv(web.EmbeddedEnv, "1") // for the pages that are drawn beforehand
	defer os.Unsetenv(web.EmbeddedEnv)
	handler := web.Embedded(version)
	handler.WasmContentLength = fmt.Sprint(wasmSize)
	if err := s.join(handler); err != nil {
		return err
	}
	handler.Scripts = append(handler.Scripts, "/web/js/explorer.js")
	if err := s.addPages(handler); err != nil {
		return err
	}
	return s.check(handler)
}

// explorerPolicy is the page's Content-Security-Policy, because its host sets none.
const explorerPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; connect-src 'self' http: https:; worker-src 'self'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'"

// explorerReplacements are made in addition to those of [names.replacements].
var explorerReplacements = []replacement{
	{"app.js", "goappInitServiceWorker();\ngoapp", "goapp"},
	{"index.html", `<meta charset="UTF-8">`, `<meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="` + explorerPolicy + `">`},
}
