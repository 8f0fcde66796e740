package web

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// importsOf returns the packages that each package below web imports.
func importsOf(t *testing.T, platform string) map[string][]string {
	t.Helper()
	command := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
	command.Env = append(command.Environ(), strings.Fields(platform)...)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", platform, err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		all[names[0]] = names[1:]
	}
	return all
}

// These packages may be imported by pages. Logic has no components in it.
var (
	logic   = []string{"bulk", "client", "control", "draft", "grid", "httpfile", "humanize", "inspect", "jsoncheck", "keydesign", "lesson", "listing", "query", "remote", "sample", "sas", "snippet", "tabular", "zipfile"}
	support = append([]string{"browser", "course", "editor", "page", "ui"}, logic...)
	// parts are placed inside a page by another package.
	parts = map[string]string{"entity": "entities", "bulkedit": "entities"}
)

// TestImports holds the layers: the page stands on odata alone and knows neither
// engine nor server; pages know the contract, components and logic, but neither
// the shell nor each other.
func TestImports(t *testing.T) {
	const ours = "sandtable/web/"
	for _, platform := range []string{"GOOS=js GOARCH=wasm", ""} {
		for path, imports := range importsOf(t, platform) {
			name := strings.TrimPrefix(path, ours)
			for _, imported := range imports {
				if name == "sandtable/web" || !strings.HasPrefix(imported, "sandtable") && !strings.Contains(imported, "go-app") {
					continue
				}
				if !mayImport(name, imported) {
					t.Errorf("%s: %s imports %s", platform, path, imported)
				}
			}
		}
	}
}

// TestPageIsSmall keeps the largest packages that it can do without out of the page's
// download: docs/decisions/0024-page-size.md.
func TestPageIsSmall(t *testing.T) {
	for path, imports := range importsOf(t, "GOOS=js GOARCH=wasm") {
		for _, imported := range imports {
			if imported == "net" || imported == "regexp" || strings.HasPrefix(imported, "net/http") {
				t.Errorf("%s imports %s", path, imported)
			}
		}
	}
}

func mayImport(name, imported string) bool {
	to, inside := strings.CutPrefix(imported, "sandtable/web/")
	isLogic := slices.Contains(logic, strings.Split(name, "/")[0])
	switch {
	case strings.HasPrefix(imported, "sandtable/odata"):
		return true
	case strings.Contains(imported, "go-app"):
		return !isLogic
	case !inside:
		return false
	case isLogic:
		return slices.Contains(logic, to)
	}
	return slices.Contains(support, to) || strings.HasPrefix(to, name+"/") || parts[to] == name
}
