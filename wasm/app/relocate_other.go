//go:build !js

package main

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
)

// go-app writes addresses that begin at the root of a host. A static host may
// have the app in a folder, so these are made relative: to the page in pages
// and in the manifest, to the script itself in the loader.
//
// A replacement that finds nothing fails the build: go-app has changed then.
var replacements = []struct{ file, old, new string }{
	{"app.js", `"GOAPP_ROOT_PREFIX":"/"`, `"GOAPP_ROOT_PREFIX":goappRoot.pathname`},
	{"app.js", `"GOAPP_STATIC_RESOURCES_URL":"/web"`, `"GOAPP_STATIC_RESOURCES_URL":goappRoot.pathname+"web"`},
	{"app.js", `"/app-worker.js"`, `goappRoot + "app-worker.js"`},
	{"app.js", `"/web/app.wasm"`, `goappRoot + "web/app.wasm"`},
	{"app.js", `const goappEnv =`, "const goappRoot = new URL(\".\", document.currentScript.src);\n" +
		"const goappControlled = Boolean(navigator.serviceWorker?.controller);\nconst goappEnv ="},
	// The first worker of all takes over the page, too: it is not an update.
	{"app.js", `if (!navigator.serviceWorker.controller) {`, `if (!goappControlled) {`},
	{"manifest.webmanifest", `"scope":"/"`, `"scope":"./"`},
	{"manifest.webmanifest", `"start_url":"/"`, `"start_url":"./"`},
	{"manifest.webmanifest", `"src":"/`, `"src":"./`},
}

func (s site) relocate() error {
	for _, r := range replacements {
		if !bytes.Contains(s[r.file], []byte(r.old)) {
			return fmt.Errorf("%s has no %s", r.file, r.old)
		}
		s[r.file] = bytes.ReplaceAll(s[r.file], []byte(r.old), []byte(r.new))
	}
	for name, content := range s {
		if path.Ext(name) == ".html" {
			for _, attribute := range []string{"href", "src"} {
				content = bytes.ReplaceAll(content, []byte(attribute+`="/`), []byte(attribute+`="./`))
			}
			s[name] = tag.ReplaceAllFunc(content, sortAttributes)
		}
	}
	return nil
}

// go-app writes a tag's attributes in any order, another one each time.
var (
	tag       = regexp.MustCompile(`<[a-z][a-z0-9-]*(?: [a-z][a-z0-9:_-]*(?:="[^"]*")?)+>`)
	attribute = regexp.MustCompile(` [a-z][a-z0-9:_-]*(?:="[^"]*")?`)
)

// sortAttributes orders the attributes of a tag, so that a build can be
// repeated.
func sortAttributes(tag []byte) []byte {
	name, rest, _ := bytes.Cut(tag, []byte(" "))
	attributes := attribute.FindAll(append([]byte(" "), rest...), -1)
	slices.SortFunc(attributes, bytes.Compare)
	return slices.Concat(name, bytes.Join(attributes, nil), []byte(">"))
}
