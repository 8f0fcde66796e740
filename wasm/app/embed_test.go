//go:build !js

package main

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandtable/web"
)

func testEmbed(t *testing.T, engine string) site {
	t.Helper()
	s, err := generateEmbed(testSources(t, engine))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGenerateEmbed(t *testing.T) {
	s := testEmbed(t, "\x00asm engine")
	for _, name := range []string{"sandtable.js", "sandtable.d.ts", "error.d.ts", "events.d.ts", "sandbox.d.ts", "snapshot.d.ts", "testing.d.ts", "elements.js", "elements.d.ts", "sandtable-worker.js", "README.md", "explorer/index.html", "editor/codemirror.js", "sandbox/host.js", "sandbox/azure-data-tables.js"} {
		if len(s[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	program := regexp.MustCompile(`new URL\("(engine.*)", HERE\)`).FindSubmatch(s["sandtable-worker.js"])
	if program == nil || s[string(program[1])] == nil {
		t.Errorf("the worker loads %q, which is missing", program)
	}
	if !bytes.Contains(s["sandtable-worker.js"], []byte("loader()")) {
		t.Error("the worker lacks Go's loader")
	}
	if elements := string(s["elements.js"]); !strings.Contains(elements, `from "./sandtable.js"`) || strings.Contains(elements, "navigator.serviceWorker") {
		t.Error("the elements do not use the page's client")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

func TestGenerateNode(t *testing.T) {
	sources := testSources(t, "\x00asm engine of browsers")
	sources.nodeEngine = testSources(t, "\x00asm engine of Node.js").engine
	s, err := generateNode(sources)
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile(`new URL\("(.*)", import.meta.url\)`).FindSubmatch(s["node.js"])
	if program == nil || s[string(program[1])] == nil {
		t.Errorf("the module loads %q, which is missing", program)
	} else if got := string(s[string(program[1])]); got != "\x00asm engine of Node.js" {
		t.Errorf("the module loads %q", got)
	}
	if len(s["node.d.ts"]) == 0 {
		t.Error("no types")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

func TestGenerateEmbedIsRepeatable(t *testing.T) {
	first, second := testEmbed(t, "\x00asm engine"), testEmbed(t, "\x00asm engine")
	if !maps.EqualFunc(first, second, bytes.Equal) {
		t.Error("two builds differ")
	}
}

func TestAnotherEngineIsAnotherWorker(t *testing.T) {
	first, second := testEmbed(t, "\x00asm engine"), testEmbed(t, "\x00asm better engine")
	if bytes.Equal(first["sandtable-worker.js"], second["sandtable-worker.js"]) {
		t.Error("browsers would not notice the new engine")
	}
}

// TestExplorerOfEmbeddingSites holds what distinguishes it from the web app: it
// registers no worker, loads its connection before its program, has a policy of its
// own, as its host sends none, and teaches nothing.
func TestExplorerOfEmbeddingSites(t *testing.T) {
	s := testEmbed(t, "\x00asm engine")
	index := string(s["explorer/index.html"])
	for _, want := range []string{"'wasm-unsafe-eval'; ", `src="./web/js/explorer.js"`} {
		if !strings.Contains(index, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, unwanted := range []string{"Lessons", "Playground", "playground.js"} {
		if strings.Contains(index, unwanted) {
			t.Errorf("the page has %s", unwanted)
		}
	}
	loaders := 0
	for name, content := range s {
		switch {
		case strings.Contains(name, "engine") && strings.HasPrefix(name, "explorer/"), strings.Contains(name, "explorer/web/sandbox"), strings.Contains(name, "lessons.json"):
			t.Errorf("it contains %s", name)
		case strings.HasPrefix(name, "explorer/app.") && strings.HasSuffix(name, ".js"):
			loaders++
			if strings.Contains(string(content), "goappInitServiceWorker();") || !strings.Contains(index, path.Base(name)) {
				t.Errorf("%s registers a worker, or is not loaded", name)
			}
			if !strings.Contains(string(content), `"`+web.EmbeddedEnv+`":"1"`) {
				t.Errorf("%s does not say that it is embedded", name)
			}
		}
	}
	if loaders != 1 {
		t.Errorf("%d loaders", loaders)
	}
}

// TestEveryModuleIsUsed finds modules that no script imports.
func TestEveryModuleIsUsed(t *testing.T) {
	// The commands of the npm package, which cli.js chooses from.
	used := map[string]bool{"client/cli.js": true, "client/copy.js": true, "client/serve.js": true}
	for _, s := range []script{appWorker, embedWorker, pageModule, explorerScript, portScript, elementsModule, nodeModule} {
		used[s.entry] = true
	}
	var modules []string
	for _, folder := range []string{"", "client", "elements"} {
		files, err := filepath.Glob(filepath.Join("../js", folder, "*.js"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d modules, %v", folder, len(files), err)
		}
		for _, file := range files {
			modules = append(modules, path.Join(folder, filepath.Base(file)))
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range regexp.MustCompile(`(?m)^(?:import|export) .* from "(\..*)";$`).FindAllSubmatch(content, -1) {
				used[path.Join(folder, string(found[1]))] = true
			}
		}
	}
	for _, name := range modules {
		if !used[name] {
			t.Errorf("%s is in no script", name)
		}
	}
}

func TestGenerateEmbedFails(t *testing.T) {
	tests := []struct {
		name string
		harm func(*sources)
	}{
		{"no engine", func(in *sources) { in.engine += ".none" }},
		{"no loader", func(in *sources) { in.exec += ".none" }},
		{"no script", func(in *sources) { in.worker += "/none" }},
		{"a broken script", func(in *sources) {
			in.worker = t.TempDir()
			if err := os.WriteFile(filepath.Join(in.worker, embedWorker.entry), []byte("import {"), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSources(t, "\x00asm engine")
			test.harm(&in)
			if _, err := generateEmbed(in); err == nil {
				t.Error("no error")
			}
		})
	}
}
