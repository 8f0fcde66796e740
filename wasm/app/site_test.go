//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandtable/web"
)

// testSources are small stand-ins for compiled files, with the real
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
		exec:   file("wasm_exec.js", "globalThis.Go = loader();"),
		worker: "../js",
		assets: "../../web/assets",

		lessons: "../../web/lesson/lessons",
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
	found := regexp.MustCompile(`build: "([0-9a-f]{16})"`).FindSubmatch(s["app-worker.js"])
	if found == nil {
		t.Fatalf("no version in the worker's script")
	}
	return string(found[1])
}

func TestGenerate(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	for _, name := range []string{
		"index.html", "404.html", "gallery.html", "app-worker.js", "manifest.webmanifest",
		"web/img/icon.svg",
	} {
		if len(s[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	joined := slices.DeleteFunc(slices.Collect(maps.Keys(s)), func(name string) bool { ok, _ := path.Match("web/js/page.*.js", name); return !ok })
	if len(joined) != 1 || !bytes.Contains(s["index.html"], []byte(joined[0])) {
		t.Errorf("the page does not name one script: %q", joined)
	}
	for _, page := range []string{"index.html", "404.html", "gallery.html"} {
		head, _, _ := bytes.Cut(s[page], []byte("</head>"))
		first, _, _ := bytes.Cut(head, []byte("<link"))
		if bytes.Count(first, []byte("<script>(()=>{")) != 3 || bytes.Contains(s[page], []byte("theme.js")) {
			t.Errorf("%s does not run three scripts of its own before it loads anything:\n%s", page, first)
		}
		if bytes.Count(head, []byte("<style>")) != 1 || !bytes.Contains(head, []byte(".boot")) || bytes.Contains(head, []byte("stylesheet")) {
			t.Errorf("%s does not contain its styles:\n%s", page, head)
		}
	}
	if _, ok := s[".nojekyll"]; !ok {
		t.Error("no .nojekyll")
	}
	build := versionOf(t, s)
	if !bytes.Contains(s["app."+build+".js"], []byte(`"GOAPP_VERSION":"`+build+`"`)) {
		t.Error("page and worker have different versions")
	}
	if !bytes.Contains(s["index.html"], []byte(`<meta name="sandtable-build" content="`+build+`">`)) &&
		!bytes.Contains(s["index.html"], []byte(`<meta content="`+build+`" name="sandtable-build">`)) {
		t.Error("the page does not name its build")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) && name == "app-worker.js" {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

// TestWorkerKeepsWhatThereIs reads the script as a browser does: each file that it
// will fetch exists and has the digest that it requires.
func TestWorkerKeepsWhatThereIs(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	script := string(s["app-worker.js"])
	var files map[string]string
	var pages []string
	kept := regexp.MustCompile(`new Shell\(scope, "[0-9a-f]{16}", ({.*?}), (\[.*?\])\)`).FindStringSubmatch(script)
	if kept == nil {
		t.Fatal("no files and pages in the script")
	}
	for i, value := range []any{&files, &pages} {
		if err := json.Unmarshal([]byte(kept[i+1]), value); err != nil {
			t.Fatalf("%s: %v", kept[i+1], err)
		}
	}
	for name, digest := range files {
		if name == "/" {
			continue
		}
		content, ok := s[name[1:]]
		sum := sha256.Sum256(content)
		if want := "sha256-" + base64.StdEncoding.EncodeToString(sum[:]); !ok || digest != want {
			t.Errorf("%s: there: %t, digest %s, want %s", name, ok, digest, want)
		}
	}
	program := regexp.MustCompile(`shell.file\("(.*)"\)`).FindStringSubmatch(script)[1]
	if _, ok := files["/"+program]; !ok || len(files) < 12 {
		t.Errorf("%s is not among the %d files", program, len(files))
	}
	if want := []string{"/gallery.html", "/gallery", "/index.html", "/index"}; !slices.Equal(pages, want) {
		t.Errorf("pages %q", pages)
	}
}

// TestWhatRunsIsOfOneBuild follows the page to all executable files: each has the hash
// of its content or the build in its name, so that no cache or host can return another
// build's.
func TestWhatRunsIsOfOneBuild(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	build := versionOf(t, s)
	runs := []string{"app." + build + ".js"}
	for name := range s {
		if strings.HasPrefix(name, "web/") && (strings.HasSuffix(name, ".wasm") || strings.Contains(name, "wasm_exec")) {
			if !regexp.MustCompile(`\.[0-9a-f]{16}\.`).MatchString(name) {
				t.Errorf("%s is not referenced", name)
			}
			if !strings.Contains(name, "engine") {
				runs = append(runs, name)
			}
		}
	}
	from := string(s["index.html"]) + string(s["app."+build+".js"])
	for _, name := range runs {
		if !strings.Contains(from, name) {
			t.Errorf("the page does not load %s", name)
		}
	}
	if len(runs) != 3 || strings.Contains(from, `"./app.js"`) || strings.Contains(from, `"./wasm_exec.js"`) || strings.Contains(from, "app.wasm") {
		t.Errorf("the page may load another build's files, want %q", runs)
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

// TestNothingIsAtTheRoot: a host can serve the app from any folder.
func TestNothingIsAtTheRoot(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	rooted := regexp.MustCompile(`(?:href|src|start_url|scope)"?[=:]"/[^/]`)
	for _, name := range []string{"index.html", "404.html", "manifest.webmanifest"} {
		if found := rooted.Find(s[name]); found != nil {
			t.Errorf("%s has %s", name, found)
		}
	}
	loader := s["app."+versionOf(t, s)+".js"]
	if bytes.Contains(loader, []byte(`"/web`)) || bytes.Contains(loader, []byte(`"/app`)) {
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
				t.Error("it built a site")
			}
		})
	}
}

func TestRelocateNoticesAnotherGoApp(t *testing.T) {
	s := testSite(t, "\x00asm engine")
	if err := s.relocate(names{pages: []string{"index.html"}}); err == nil {
		t.Error("replacing nothing is no error")
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
		t.Errorf("an unchanged file was rewritten (%v)", err)
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
		t.Error("it was accepted")
	}
}
