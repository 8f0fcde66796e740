//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The parts of scripts, in the order in which they use each other. Each script
// is one file: a worker is updated as a whole, and may not import later; and
// one file is what an author copies.
var (
	appWorkerParts = []string{
		"address.js", "navigation.js", "accounts.js", "answers.js", "program.js", "engine.js", "ownership.js", "newlog.js", "service.js", "shell.js", "worker.js",
	}
	embedWorkerParts = []string{
		"protocol.js", "address.js", "navigation.js", "accounts.js", "answers.js", "program.js", "engine.js", "ownership.js", "newlog.js", "service.js", "messages.js", "pulse.js",
		"relay.js", "embed.js",
	}
	clientParts = []string{
		"protocol.js", "address.js", "answers.js", "pulse.js", "client/errors.js", "client/options.js", "client/abortable.js", "client/connection.js",
		"client/http-client.js", "client/archive.js", "client/client.js", "client/patched-fetch.js", "client/updates.js", "client/health.js",
		"client/interception.js", "client/start.js",
	}
	nodeParts = []string{
		"address.js", "client/errors.js", "client/options.js", "client/abortable.js", "client/http-client.js", "client/archive.js", "client/client.js", "client/node.js",
	}
	// nodeProgramParts see a global object of their own.
	nodeProgramParts = []string{"answers.js", "program.js"}
)

// workerScript joins the parts. The names of what the script loads have the
// hashes of their contents, so that another engine is another script.
func workerScript(folder string, n names) (string, error) {
	parts, err := join(folder, appWorkerParts)
	if err != nil {
		return "", err
	}
	script := "// Sandtable's service worker, joined from wasm/js.\n\"use strict\";\n\n(() => {\n" + parts + "})();\n"
	return strings.NewReplacer("{{.Program}}", n.engine, "{{.WasmExec}}", n.exec).Replace(script), nil
}

// embedWorkerScript joins the worker of other people's sites. Go's loader is a
// part of it: there is one file less that may be missing, or of another build.
func embedWorkerScript(folder, engine string, exec []byte) (string, error) {
	parts, err := join(folder, embedWorkerParts)
	if err != nil {
		return "", err
	}
	script := "// Sandtable's worker, for any site: see README.md beside it.\n\"use strict\";\n\n// ---- wasm_exec.js\n\n" + string(exec) + "\n(() => {\n" + parts + "})();\n"
	return strings.NewReplacer("{{.Program}}", engine, "{{.Version}}", version).Replace(script), nil
}

// clientModule joins the module that pages import.
func clientModule(folder string) (string, error) {
	parts, err := join(folder, clientParts)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll("// Sandtable's client for pages, an ES module: see README.md beside it.\n"+parts, "{{.Version}}", version), nil
}

// nodeModule joins the module that programs of Node.js import.
func nodeModule(folder, engine string, exec []byte) (string, error) {
	parts, err := join(folder, nodeParts)
	if err != nil {
		return "", err
	}
	program, err := join(folder, nodeProgramParts)
	if err != nil {
		return "", err
	}
	module := "// Sandtable for Node.js, an ES module: see README.md beside it.\n" +
		"import fs from \"node:fs\";\nimport { fileURLToPath } from \"node:url\";\n\n" +
		"function programIn(globalThis, self) {\n\n// ---- wasm_exec.js\n\n" + string(exec) + "\nconst { Go } = globalThis;\n" + program + "\nreturn { Go, Program };\n}\n" + parts
	return strings.NewReplacer("{{.Program}}", engine, "{{.Version}}", version).Replace(module), nil
}

// join reads parts one after another.
func join(folder string, parts []string) (string, error) {
	var b strings.Builder
	for _, name := range parts {
		part, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n// ---- %s\n\n%s", name, part)
	}
	return b.String(), nil
}
