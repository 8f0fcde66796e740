//go:build !js

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWorkerIsSmall keeps large packages, such as net/http, out of the WebAssembly
// that every visitor downloads: docs/measurements/worker-size.md lists their sizes.
func TestWorkerIsSmall(t *testing.T) {
	never := map[string]bool{
		"net": true, "net/http": true, "net/textproto": true, "crypto/tls": true, "crypto/x509": true,
		"encoding/json": true, "encoding/xml": true, "encoding/gob": true, "html/template": true, "text/template": true,
		"sandtable/engine/filestorage": true, // only with -tags node
		"mime":                         true, "mime/multipart": true, "regexp": true, "log/slog": true, "testing": true, "compress/gzip": true,
	}
	command := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", ".")
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 10 {
		t.Fatalf("go list found no more than %q", lines)
	}
	for _, line := range lines {
		name, folder, _ := strings.Cut(line, " ")
		if never[name] || strings.HasPrefix(name, "github.com/jackc/") {
			t.Errorf("the worker imports %s", name)
		}
		if strings.HasPrefix(name, "sandtable/") {
			// What a test reads itself is what its kept result depends on.
			if _, err := os.ReadDir(folder); err != nil {
				t.Error(err)
			}
		}
	}
}
