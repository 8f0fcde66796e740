//go:build !js

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var allPlatforms = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "the `version`, such as v0.1.0")
	flag.StringVar(&r.out, "out", "build/release", "the `folder` to write")
	flag.StringVar(&r.npm, "npm", "build", "the `folder` with the npm package")
	platforms := flag.String("platforms", allPlatforms, "the `platforms` to build for, as GOOS/GOARCH")
	flag.Parse()
	r.platforms = strings.Fields(*platforms)
	if err := r.make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is a release to be made. The working directory is that of the module.
type release struct {
	version   string
	out, npm  string
	platforms []string
}

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

func (r *release) make() error {
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("version %q is not like v0.1.0", r.version)
	}
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	notes, err := notesOf(string(changelog), r.version)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.copyPackage(); err != nil {
		return err
	}
	for _, platform := range r.platforms {
		if err := r.program(platform); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if err := r.write("release-notes.md", []byte(notes)); err != nil {
		return err
	}
	return r.checksums()
}

func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}

// copyPackage copies the npm package, which has the version without the v.
func (r *release) copyPackage() error {
	name := "sandtable-" + r.version[1:] + ".tgz"
	content, err := os.ReadFile(filepath.Join(r.npm, name))
	if err != nil {
		return fmt.Errorf("%w: is %s the version in wasm/js/client/package.json?", err, r.version[1:])
	}
	return r.write("sandtable-npm-"+r.version[1:]+".tgz", content)
}

// program builds the program for a platform and writes its archive. The first one
// is also the source of the bill of materials.
func (r *release) program(platform string) error {
	system, architecture, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("want GOOS/GOARCH")
	}
	folder, err := os.MkdirTemp("", "sandtable-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := filepath.Join(folder, "sandtable")
	if system == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.release="+r.version, "-o", binary, "./server/cmd/sandtable")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if platform == r.platforms[0] {
		if err := r.materials(binary); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("sandtable-%s-%s-%s", r.version, system, architecture)
	files := []string{binary, "LICENSE", "README.md"}
	if system == "windows" {
		return writeZip(filepath.Join(r.out, name+".zip"), name, files)
	}
	return writeTar(filepath.Join(r.out, name+".tar.gz"), name, files)
}

// notesOf returns the section of a version in the changelog: "## 0.1" is also that
// of v0.1.0 and of its candidates.
func notesOf(changelog, version string) (string, error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	var text strings.Builder
	inside, found := false, false
	for line := range strings.Lines(changelog) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(heading), " ")
			inside = name == number || name+".0" == number
			found = found || inside
		} else if inside {
			text.WriteString(line)
		}
	}
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no section for %s", version)
	}
	return "# Sandtable " + version + "\n\n" + strings.TrimSpace(text.String()) + "\n", nil
}

// component is a module in the bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// materials writes the modules that a program contains, as CycloneDX.
//
// Source: "CycloneDX v1.5 JSON Reference", https://cyclonedx.org/docs/1.5/json/.
func (r *release) materials(binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	of := func(path, version string) component {
		return component{"library", path, version, "pkg:golang/" + path + "@" + version}
	}
	components := []component{of("stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		components = append(components, of(module.Path, module.Version))
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": component{"application", "sandtable", r.version, "pkg:golang/sandtable@" + r.version}},
		"components": components,
	})
	if err != nil {
		return err
	}
	return r.write("sandtable-"+r.version+".cdx.json", b.Bytes())
}

// checksums writes SHA256SUMS over all files, as sha256sum reads it.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), entry.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return r.write("SHA256SUMS", []byte(strings.Join(lines, "")))
}
