//go:build !js

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// replacement replaces text that go-app generated.
type replacement struct{ file, old, new string }

// go-app generates addresses from the root of a host. A static host may serve the
// app from a folder, so they become relative: to the page in pages and in the
// manifest, to the script itself in the loader. Names of scripts, which go-app
// keeps the same, become those of one build.
//
// A replacement that finds nothing fails the build: go-app has changed.
func (n names) replacements() []replacement {
	all := []replacement{
		{"app.js", `"GOAPP_ROOT_PREFIX":"/"`, `"GOAPP_ROOT_PREFIX":goappRoot.pathname`},
		{"app.js", `"GOAPP_STATIC_RESOURCES_URL":"/web"`, `"GOAPP_STATIC_RESOURCES_URL":goappRoot.pathname+"web"`},
		{"app.js", `"/app-worker.js"`, `goappRoot + "app-worker.js"`},
		{"app.js", `"/web/app.wasm"`, `goappRoot + "` + n.page + `"`},
		{"app.js", `const goappEnv =`, "const goappRoot = new URL(\".\", document.currentScript.src);\n" + unregistered + "const goappEnv ="},
		// The page handles its worker itself: it says why a worker is missing, and asks
		// before another version is activated.
		{"app.js", `console.error("goapp service worker registration failed: ", err);`, `sandtableUnregister(err.message);`},
		{"app.js", `goappSetupNotifyUpdate(registration);`, ``},
		// shell.css draws a bar with it.
		{"app.js", `const showProgress = (progress) => {`, `const showProgress = (progress) => {
      loader.style.setProperty("--loaded", progress + "%");`},
		{"manifest.webmanifest", `"scope":"/"`, `"scope":"./"`},
		{"manifest.webmanifest", `"start_url":"/"`, `"start_url":"./"`},
		{"manifest.webmanifest", `"src":"/`, `"src":"./`},
	}
	for _, page := range n.pages {
		all = append(all,
			replacement{page, `"/app.js"`, `"/` + n.loader + `"`},
			replacement{page, `"/wasm_exec.js"`, `"/` + n.exec + `"`})
	}
	return all
}

// unregistered makes the loader remember why there is no worker: it could not be
// registered or, as it reports itself, installed.
const unregistered = `function sandtableUnregister(why) {
  window.sandtableUnregistered = why;
  dispatchEvent(new Event("sandtable-unregistered"));
}
navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data?.sandtable && data.type === "install failed") {
    sandtableUnregister(data.message);
  }
});
`

// relocate makes these replacements, and further ones.
func (s site) relocate(n names, further ...replacement) error {
	for _, r := range append(n.replacements(), further...) {
		if !bytes.Contains(s[r.file], []byte(r.old)) {
			return fmt.Errorf("%s has no %s", r.file, r.old)
		}
		s[r.file] = bytes.ReplaceAll(s[r.file], []byte(r.old), []byte(r.new))
	}
	for _, page := range n.pages {
		content := s[page]
		for _, attribute := range []string{"href", "src"} {
			content = bytes.ReplaceAll(content, []byte(attribute+`="/`), []byte(attribute+`="./`))
		}
		before, after, ok := bytes.Cut(tag.ReplaceAllFunc(content, sortAttributes), []byte(loaderStyles))
		if !ok {
			return fmt.Errorf("%s has no %s", page, loaderStyles)
		}
		s[page] = append(bytes.TrimRight(before, " "), bytes.TrimPrefix(after, []byte("\n"))...)
	}
	delete(s, "app.css")
	s[n.loader] = s["app.js"]
	delete(s, "app.js")
	return nil
}

// loaderStyles are those of go-app's loader, of which shell.css has its own.
const loaderStyles = `<link href="./app.css" rel="stylesheet" type="text/css">`

// go-app writes a tag's attributes in random order.
var (
	tag       = regexp.MustCompile(`<[a-z][a-z0-9-]*(?: [a-z][a-z0-9:_-]*(?:="[^"]*")?)+>`)
	attribute = regexp.MustCompile(` [a-z][a-z0-9:_-]*(?:="[^"]*")?`)
)

// sortAttributes sorts the attributes of a tag, so that builds are reproducible.
func sortAttributes(tag []byte) []byte {
	name, rest, _ := bytes.Cut(tag, []byte(" "))
	attributes := attribute.FindAll(append([]byte(" "), rest...), -1)
	slices.SortFunc(attributes, bytes.Compare)
	return slices.Concat(name, bytes.Join(attributes, nil), []byte(">"))
}
