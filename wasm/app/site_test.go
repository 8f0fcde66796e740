//go:build !js

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandtable/web"
)

// testSources are small files in the place of compiled ones, with the real
// script and assets.
func testSources(t *testing.T, engine string) sources {
	t.Helper()
	folder := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return sources{
		engine: file("engine.wasm", engine),
		app:    file("app.wasm", "\x00asm page"),
		exec:   file("wasm_exec.js", "// loader"),
		worker: "../js",
		assets: "../../web/assets",
	}
}

func TestMain(m *testing.M) {
	web.Routes()
	os.Exit(m.Run())
}

func testSite(t *testing.T, engine string) site {
	t.Helper()
	s, err := generate(testSources(t, engine), web.Handler(version))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// versionOf reads the version from the worker's script.
func versionOf(t *testing.T, s site) string {
	t.Helper()
	found := regexp.MustCompile(`const VERSION = "([0-9a-f]{16})";`).FindSubmatch(s["app-worker.js"])
	if found == nil {
		t.Fatalf("no version in the worker's script")
	}
	return string(found[1])
}

func TestGenerate(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	for _, name := range []string{
		"index.html", "404.html", "app.js", "app.css", "app-worker.js", "manifest.webmanifest", "wasm_exec.js",
		"web/app.wasm", "web/css/tokens.css", "web/img/icon.svg",
	} {
		if len(s[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	if _, ok := s[".nojekyll"]; !ok {
		t.Error("no .nojekyll")
	}
	build := versionOf(t, s)
	if !bytes.Contains(s["app.js"], []byte(`"GOAPP_VERSION":"`+build+`"`)) {
		t.Error("page and worker are of two versions")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) && name == "app-worker.js" {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

// TestWorkerKeepsWhatThereIs reads the script as the browser will: each file
// that it is going to fetch exists.
func TestWorkerKeepsWhatThereIs(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	script := string(s["app-worker.js"])
	list := regexp.MustCompile(`const RESOURCES = \[(.*)\];`).FindStringSubmatch(script)
	if list == nil {
		t.Fatal("no list of files")
	}
	names := strings.Split(strings.ReplaceAll(list[1], `"`, ""), ",")
	names = append(names, "/"+regexp.MustCompile(`const PROGRAM = "(.*)";`).FindStringSubmatch(script)[1])
	names = append(names, "/"+regexp.MustCompile(`importScripts\("(.*)"\)`).FindStringSubmatch(script)[1])
	for _, name := range names {
		if name = strings.TrimPrefix(name, "/"); name != "" && s[name] == nil {
			t.Errorf("%s is not there", name)
		}
	}
	if len(names) < 12 {
		t.Errorf("only %d files: %q", len(names), names)
	}
}

func TestGenerateIsRepeatable(t *testing.T) {
	first, second := testSite(t, "\x00asm engine"), testSite(t, "\x00asm engine")
	if !bytes.Contains(first["index.html"], []byte("data-testid")) {
		t.Error("the page was not rendered")
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs between two builds", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}
}

func TestAnotherEngineIsAnotherVersion(t *testing.T) {
	first, second := testSite(t, "\x00asm engine"), testSite(t, "\x00asm better engine")
	if versionOf(t, first) == versionOf(t, second) {
		t.Error("the versions are the same")
	}
}

// TestNothingIsAtTheRoot shows that a host can have the app in any folder.
func TestNothingIsAtTheRoot(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	rooted := regexp.MustCompile(`(?:href|src|start_url|scope)"?[=:]"/[^/]`)
	for _, name := range []string{"index.html", "404.html", "manifest.webmanifest"} {
		if found := rooted.Find(s[name]); found != nil {
			t.Errorf("%s has %s", name, found)
		}
	}
	if bytes.Contains(s["app.js"], []byte(`"/web`)) || bytes.Contains(s["app.js"], []byte(`"/app`)) {
		t.Error("app.js names a path from the root")
	}
}

func TestGenerateFails(t *testing.T) {
	tests := []struct {
		name string
		harm func(*sources)
	}{
		{"no engine", func(in *sources) { in.engine += ".none" }},
		{"no page", func(in *sources) { in.app += ".none" }},
		{"no loader", func(in *sources) { in.exec += ".none" }},
		{"no script", func(in *sources) { in.worker += "/none" }},
		{"no assets", func(in *sources) { in.assets += "/none" }},
		{"assets missing", func(in *sources) { in.assets = in.worker }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSources(t, "\x00asm engine")
			test.harm(&in)
			if _, err := generate(in, web.Handler(version)); err == nil {
				t.Error("a site came of it")
			}
		})
	}
}

func TestRelocateNoticesAnotherGoApp(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	if err := s.relocate(); err == nil {
		t.Error("a second time there is nothing to replace, and nobody said so")
	}
}

func TestSortAttributes(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"several", `<a href="/x" class="b c" download>x</a>`, `<a class="b c" download href="/x">x</a>`},
		{"a bracket in a value", `<p title="a > b" class="c">`, `<p class="c" title="a > b">`},
		{"like attributes in a value", `<p title=" z b='1'" class="c">`, `<p class="c" title=" z b='1'">`},
		{"one", `<p class="c">`, `<p class="c">`},
		{"none", `<p>a b</p>`, `<p>a b</p>`},
		{"not a tag", `<!doctype html> a < b c="d"`, `<!doctype html> a < b c="d"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(tag.ReplaceAllFunc([]byte(test.html), sortAttributes)); got != test.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	write := func(s site) {
		t.Helper()
		if err := s.write(folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("stays"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(site{"index.html": []byte("1"), "web/engine.1.wasm": []byte("1")})
	before, err := os.Stat(filepath.Join(folder, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	write(site{"index.html": []byte("1"), "web/engine.2.wasm": []byte("2")})

	after, err := os.Stat(filepath.Join(folder, "index.html"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a file that is the same was written again (%v)", err)
	}
	for name, there := range map[string]bool{"README.md": true, "web/engine.1.wasm": false, "web/engine.2.wasm": true} {
		if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != there {
			t.Errorf("%s is there: %t", name, err == nil)
		}
	}
}

func TestWriteRefusesAListThatIsNone(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, listName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (site{}).write(folder); err == nil {
		t.Error("it was taken")
	}
}
