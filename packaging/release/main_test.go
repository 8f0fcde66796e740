//go:build unix

package main

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNotesOf(t *testing.T) {
	const changelog = "# Changelog\n\n## 0.2 (unreleased)\n\n- Two.\n\n## 0.1.1\n\n- Patch.\n\n## 0.1 (2026-12-01)\n\n- One.\n- More.\n"
	for version, want := range map[string]string{
		"v0.1.0": "# Sandtable v0.1.0\n\n- One.\n- More.\n", "v0.1.1": "# Sandtable v0.1.1\n\n- Patch.\n", "v0.2.0-rc.1": "# Sandtable v0.2.0-rc.1\n\n- Two.\n",
	} {
		if got, err := notesOf(changelog, version); err != nil || got != want {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	if got, err := notesOf(changelog, "v0.3.0"); err == nil {
		t.Errorf("a version that the changelog does not have: %q", got)
	}
}

func TestRefusesVersions(t *testing.T) {
	for _, version := range []string{"", "0.1.0", "v1", "v1.2.3;rm", "-X"} {
		r := release{version: version, out: t.TempDir()}
		if err := r.make(); err == nil || !strings.Contains(err.Error(), "is not like v0.1.0") {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// TestZip is what Windows gets: the program is executable, wherever it is unpacked.
func TestZip(t *testing.T) {
	folder := t.TempDir()
	program, path := filepath.Join(folder, "sandtable.exe"), filepath.Join(folder, "a.zip")
	if err := os.WriteFile(program, []byte("MZ"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeZip(path, "folder", []string{program}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if f := archive.File[0]; len(archive.File) != 1 || f.Name != "folder/sandtable.exe" || f.Mode() != 0o755 || f.UncompressedSize64 != 2 {
		t.Errorf("it has %d files, first %s %v", len(archive.File), f.Name, f.Mode())
	}
}

// TestReproducible makes a release for this platform twice: all bytes are the same,
// the checksums are right, and the program knows its version.
func TestReproducible(t *testing.T) {
	t.Chdir("../..")
	npm := t.TempDir()
	if err := os.WriteFile(filepath.Join(npm, "sandtable-0.1.0.tgz"), []byte("the package"), 0o644); err != nil {
		t.Fatal(err)
	}
	var sums [2]string
	var out string
	for i := range sums {
		out = filepath.Join(t.TempDir(), "release")
		r := release{version: "v0.1.0", out: out, npm: npm, platforms: []string{runtime.GOOS + "/" + runtime.GOARCH}}
		if err := r.make(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = string(text)
	}
	if sums[0] != sums[1] {
		t.Errorf("two runs differ:\n%s\n%s", sums[0], sums[1])
	}
	if n := strings.Count(sums[0], "\n"); n != 4 {
		t.Errorf("%d files, want 4:\n%s", n, sums[0])
	}
	for line := range strings.Lines(sums[0]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != sum {
			t.Errorf("%s: %v or a wrong checksum", name, err)
		}
	}
	name := "sandtable-v0.1.0-" + runtime.GOOS + "-" + runtime.GOARCH
	folder := t.TempDir()
	if text, err := exec.Command("tar", "-xzf", filepath.Join(out, name+".tar.gz"), "-C", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, text)
	}
	if text, err := exec.Command(filepath.Join(folder, name, "sandtable"), "version").Output(); err != nil || !strings.Contains(string(text), "v0.1.0") {
		t.Errorf("its version is %q, %v", text, err)
	}
	materials, err := os.ReadFile(filepath.Join(out, "sandtable-v0.1.0.cdx.json"))
	if err != nil || !strings.Contains(string(materials), `"purl": "pkg:golang/github.com/jackc/pgx/v5@v5.`) {
		t.Errorf("bill of materials: %v\n%s", err, materials)
	}
}
