//go:build !js

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func testEmbed(t *testing.T, engine string) site {
	t.Helper()
	s, err := generateEmbed(testSources(t, engine))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGenerateEmbed(t *testing.T) {
	s := testEmbed(t, "\x00asm engine")
	for _, name := range []string{"sandtable.js", "sandtable.d.ts", "sandtable-worker.js", "README.md"} {
		if len(s[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	program := regexp.MustCompile(`const PROGRAM = "(.*)";`).FindSubmatch(s["sandtable-worker.js"])
	if program == nil || s[string(program[1])] == nil {
		t.Errorf("the worker loads %q, which is not there", program)
	}
	if !bytes.Contains(s["sandtable-worker.js"], []byte("// loader")) {
		t.Error("the worker lacks Go's loader")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

func TestGenerateNode(t *testing.T) {
	s, err := generateNode(testSources(t, "\x00asm engine"))
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile(`new URL\("(.*)", import.meta.url\)`).FindSubmatch(s["node.js"])
	if program == nil || s[string(program[1])] == nil {
		t.Errorf("the module loads %q, which is not there", program)
	}
	if len(s["node.d.ts"]) == 0 {
		t.Error("no types")
	}
	for name, content := range s {
		if bytes.Contains(content, []byte(version)) || bytes.Contains(content, []byte("{{.")) {
			t.Errorf("%s has a placeholder left", name)
		}
	}
}

func TestGenerateEmbedIsRepeatable(t *testing.T) {
	first, second := testEmbed(t, "\x00asm engine"), testEmbed(t, "\x00asm engine")
	if !maps.EqualFunc(first, second, bytes.Equal) {
		t.Error("two builds differ")
	}
}

func TestAnotherEngineIsAnotherWorker(t *testing.T) {
	first, second := testEmbed(t, "\x00asm engine"), testEmbed(t, "\x00asm better engine")
	if bytes.Equal(first["sandtable-worker.js"], second["sandtable-worker.js"]) {
		t.Error("browsers would not see that there is another engine")
	}
}

// TestAllPartsAreUsed finds parts that no script has.
func TestAllPartsAreUsed(t *testing.T) {
	used := slices.Concat(appWorkerParts, embedWorkerParts, clientParts, nodeParts, nodeProgramParts)
	used = append(used, "client/copy.js") // a command of the npm package
	for _, pattern := range []string{"../js/*.js", "../js/client/*.js"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			name, err := filepath.Rel("../js", file)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(used, filepath.ToSlash(name)) {
				t.Errorf("%s is in no script", name)
			}
		}
	}
}

func TestGenerateEmbedFails(t *testing.T) {
	tests := []struct {
		name string
		harm func(*sources)
	}{
		{"no engine", func(in *sources) { in.engine += ".none" }},
		{"no loader", func(in *sources) { in.exec += ".none" }},
		{"no script", func(in *sources) { in.worker += "/none" }},
		{"no client", func(in *sources) {
			folder := t.TempDir()
			for _, part := range embedWorkerParts {
				if err := os.WriteFile(filepath.Join(folder, part), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			in.worker = folder
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSources(t, "\x00asm engine")
			test.harm(&in)
			if _, err := generateEmbed(in); err == nil {
				t.Error("files came of it")
			}
		})
	}
}
