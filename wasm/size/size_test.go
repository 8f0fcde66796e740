package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// list writes a number and what it counts: bytes, or the items of a list.
func list(n int, content ...string) string {
	return string(binary.AppendUvarint(nil, uint64(n))) + strings.Join(content, "")
}

func text(s string) string { return list(len(s), s) }

func section(id byte, content ...string) string {
	return string(id) + text(strings.Join(content, ""))
}

// sample is a module of two imports and three functions, the second
// without a name.
var sample = string(magic) +
	section(1, "types are not read") +
	section(sectionImport, list(2, text("go")+text("debug")+"\x00\x00", text("go")+text("runtime.wasmExit")+"\x00\x81\x01")) +
	section(sectionCode, list(3, text("one"), text("seventeen"), text(strings.Repeat("x", 300)))) +
	section(sectionData, "data") +
	section(sectionCustom, text("producers")+"Go") +
	section(sectionCustom, text("name"), section(0, "module"),
		section(namesFunctions, list(3, "\x00"+text("debug"), "\x02"+text("main.main"), "\x04"+text("runtime.mallocgc"))))

func TestReadModule(t *testing.T) {
	m, err := readModule([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := []function{{"main.main", 3}, {"", 9}, {"runtime.mallocgc", 300}}
	if !slices.Equal(m.functions, want) || m.data != 4 {
		t.Errorf("read %v and %d bytes of data", m.functions, m.data)
	}
}

func TestReadModuleRefuses(t *testing.T) {
	whole := len(sample)
	tests := map[string]string{
		"nothing":              "",
		"another file":         "\x7fELF and more",
		"another version":      "\x00asm\x02\x00\x00\x00",
		"a memory is imported": string(magic) + section(sectionImport, list(1, text("a")+text("b")+"\x02\x00\x01")),
		"a list of too many":   string(magic) + section(sectionCode, list(1<<30)),
		"a number too long":    string(magic) + "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"cut in the names":     sample[:whole-3],
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			if m, err := readModule([]byte(content)); !errors.Is(err, errModule) {
				t.Errorf("read %v, error %v", m, err)
			}
		})
	}
}

// FuzzReadModule: no file panics or takes memory out of proportion to its size.
func FuzzReadModule(f *testing.F) {
	f.Add([]byte(sample))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := readModule(content)
		if err != nil {
			return
		}
		size := m.data
		for _, function := range m.functions {
			size += function.size
		}
		if size > len(content) || len(m.functions) > len(content) {
			t.Errorf("%d functions and %d bytes in %d", len(m.functions), size, len(content))
		}
	})
}

func TestWeigh(t *testing.T) {
	packages := []string{"runtime", "internal/runtime/maps", "github.com/tidwall/btree", "gopkg.in/yaml.v3", "sandtable/odata", "sandtable/odata/filter"}
	functions := []function{
		{"runtime.mallocgc", 10}, {"runtime.__mspan_.init", 5}, {"internal_runtime_maps.__Map_.Get", 20},
		{"github.com_tidwall_btree.__BTreeG_go.shape.string__.Set", 70}, {"gopkg.in_yaml_2ev3.Marshal.func1", 6},
		{"sandtable_odata.Key.String", 30}, {"sandtable_odata_filter.Parse", 40},
		{"main.main", 1}, {"type_.eq.sandtable_odata.Key", 8}, {"go_.buildid", 1}, {"_rt0_wasm_js", 2}, {"", 3},
	}
	want := []weight{
		{"github.com/tidwall/btree", 70}, {"sandtable/odata/filter", 40}, {"sandtable/odata", 30}, {"internal/runtime/maps", 20},
		{"runtime", 15}, {generated, 9}, {"gopkg.in/yaml.v3", 6}, {assembly, 5}, {"main", 1},
	}
	if got := weigh(functions, packages); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestRun checks the parser against the installed compiler: it finds the packages of a
// program, and almost all code belongs to one.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc main() { println(\"small\") }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	content, packages, err := build(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readModule(content)
	if err != nil {
		t.Fatal(err)
	}
	weights := weigh(m.functions, packages)
	code, nowhere := 0, 0
	for _, w := range weights {
		code += w.size
		if w.name == assembly {
			nowhere = w.size
		}
	}
	if weights[0].name != "runtime" || !slices.ContainsFunc(weights, func(w weight) bool { return w.name == "main" }) {
		t.Errorf("weights %v", weights)
	}
	if nowhere > code/100 || code < len(content)/4 || m.data == 0 {
		t.Errorf("%d bytes of code, %d of them in no package, and %d of data, in %d", code, nowhere, m.data, len(content))
	}
	var out bytes.Buffer
	printWeights(&out, m, packages)
	if lines := strings.Split(out.String(), "\n"); len(lines) < 5 || !strings.HasSuffix(lines[2], "  runtime") {
		t.Errorf("printed %s", &out)
	}
}

func TestPrintSizes(t *testing.T) {
	for promise, want := range map[float64]string{
		1.5:      " (promise: 1.50 MB)",
		0.000001: " (promise: 0.00 MB, missed)",
		0:        "",
	} {
		var out bytes.Buffer
		if err := printSizes(&out, "build/engine.wasm", bytes.Repeat([]byte("x"), 250_000), promise); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), "engine.wasm: 0.25 MB raw, 0.00 MB gzip, 0.00 MB brotli"+want+"\n"; got != want {
			t.Errorf("promise %v: printed %s", promise, got)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	if err := run(&bytes.Buffer{}, filepath.Join(t.TempDir(), "none.wasm"), ".", 0); err == nil {
		t.Error("a missing file has a size")
	}
}
