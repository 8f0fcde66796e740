//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// modules are the parts of the worker's script, in the order in which they
// use each other. They are one file: a worker is updated as a whole, and may
// not import later.
var modules = []string{
	"address.js", "accounts.js", "answers.js", "program.js", "engine.js", "ownership.js", "service.js", "shell.js", "worker.js",
}

// workerScript joins the parts into a template of go-app, which knows the
// version and the files to keep. The names of what the script loads have the
// hashes of their contents, so that another engine is another script.
func workerScript(folder, engine, exec string) (string, error) {
	var b strings.Builder
	b.WriteString("// Sandtable's service worker, joined from wasm/js.\n\"use strict\";\n\n(() => {\n")
	for _, name := range modules {
		module, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n// ---- %s\n\n%s", name, module)
	}
	b.WriteString("})();\n")
	return strings.NewReplacer("{{.Program}}", engine, "{{.WasmExec}}", exec).Replace(b.String()), nil
}
