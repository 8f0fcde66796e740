//go:build !js

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPageIsSmall keeps large packages out of our part of the page, whose copy of go-app
// does without them: docs/decisions/0024-page-size.md.
func TestPageIsSmall(t *testing.T) {
	never := []string{"net/http", "regexp", "crypto/tls", "crypto/x509", "encoding/xml", "html/template", "text/template", "log/slog", "testing"}
	command := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}} {{join .Imports \" \"}}", ".")
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		if !strings.HasPrefix(fields[0], "sandtable/") {
			continue
		}
		ours++
		for _, name := range never {
			if slices.Contains(fields[2:], name) {
				t.Errorf("%s imports %s", fields[0], name)
			}
		}
		// What a test reads itself is what its kept result depends on.
		if _, err := os.ReadDir(fields[1]); err != nil {
			t.Error(err)
		}
	}
	if ours < 10 {
		t.Errorf("go list found no more than %d packages of ours", ours)
	}
}
