//go:build !js

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// The sandbox's scripts, next to each other in the site. The server names frame.js
// by its hash in the policy of the app's pages.
const sandboxFolder = "web/sandbox"

// What embedding sites have next to the client: the sandbox, and the elements' editor.
const (
	embeddedSandbox = "sandbox"
	embeddedEditor  = "editor"
)

var sandboxScripts = map[string]script{
	"host.js":    {"sandbox/host.js", "// Sandtable's sandbox for code of strangers, the page's side, bundled from wasm/js.", api.FormatESModule},
	"frame.js":   {"sandbox/frame.js", "// The script of the sandbox's frame.", api.FormatIIFE},
	"runtime.js": {"sandbox/runtime.js", "// The first part of every sandboxed program.", api.FormatIIFE},
}

// addSandbox adds the sandbox's scripts and the packages that programs import.
func (s site) addSandbox(in sources, folder string) (err error) {
	for name, script := range sandboxScripts {
		if s[path.Join(folder, name)], err = script.bundle(in, ""); err != nil {
			return err
		}
	}
	return s.addVendored(in, folder, "azure-data-tables.js")
}

// addPolicy adds what a page's Content-Security-Policy needs for the sandbox: the
// frame's script, by its hash, and the worker that it starts from a blob.
func (s site) addPolicy(folder string) {
	frame := digest(s[path.Join(folder, "frame.js")])
	s[path.Join(folder, "policy.txt")] = fmt.Appendf(nil, "script-src 'self' 'wasm-unsafe-eval' '%s'; worker-src 'self' blob:\n", frame)
}

// addEditor adds the code editor that the elements load.
func (s site) addEditor(in sources) (err error) {
	for _, name := range []string{"editor-view.js", "http-mode.js"} {
		if s[path.Join(embeddedEditor, name)], err = os.ReadFile(filepath.Join(in.assets, "js", name)); err != nil {
			return err
		}
	}
	return s.addVendored(in, embeddedEditor, "codemirror.js")
}

// addVendored adds a bundle of npm packages, see wasm/js/vendor.
func (s site) addVendored(in sources, folder, name string) (err error) {
	s[path.Join(folder, name)], err = os.ReadFile(filepath.Join(in.worker, "vendor", name))
	return err
}
