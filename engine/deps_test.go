package engine_test

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// TestImports checks the engine's dependencies: odata, odata/filter and btree, but
// neither HTTP nor a browser.
func TestImports(t *testing.T) {
	if _, err := build.ImportDir(".", 0); err != nil {
		t.Skipf("no source to inspect, as in a browser: %v", err)
	}
	cases := []struct {
		folder string
		goos   string
		ours   []string // of this module
		others []string // of other modules
		never  []string // of the standard library, transitively
	}{
		{".", "linux", []string{"sandtable/engine/internal/block", "sandtable/engine/internal/encoding", "sandtable/odata", "sandtable/odata/filter"}, []string{"github.com/tidwall/btree"}, noHost},
		{"internal/block", "linux", []string{"sandtable/engine/internal/encoding", "sandtable/odata", "sandtable/odata/filter"}, nil, noHost},
		// unsafe is for strings that share a storage's bytes: docs/decisions/0006-blocks.md.
		{"internal/encoding", "linux", []string{"sandtable/odata"}, nil, []string{"net", "os", "syscall"}},
		{"archive", "linux", []string{"sandtable/engine", "sandtable/odata", "sandtable/odata/payload"}, nil, noHost},
		// It fills the disk under a file storage, in its own process.
		{"storagetest", "linux", []string{"sandtable/engine", "sandtable/engine/samples", "sandtable/odata"}, nil, []string{"net", "unsafe"}},
		{"filestorage/powertest", "linux", nil, nil, []string{"net", "syscall", "unsafe"}},
		{"eventloop", "js", nil, nil, []string{"net", "os", "unsafe"}},
		// syscall has the disk-full errors.
		{"filestorage", "js", []string{"sandtable/engine"}, nil, []string{"net", "unsafe"}},
		{"idbstorage", "js", []string{"sandtable/engine", "sandtable/engine/eventloop"}, []string{"github.com/hack-pad/go-indexeddb/idb"}, []string{"net", "os"}},
	}
	for _, c := range cases {
		t.Run(c.folder+" for "+c.goos, func(t *testing.T) {
			context := build.Default
			context.GOOS = c.goos
			if c.goos == "js" {
				context.GOARCH = "wasm"
			}
			p, err := context.ImportDir(c.folder, 0)
			must(t, err)
			for _, name := range p.Imports {
				if !allowed(name, append(c.ours, c.others...), c.never) {
					t.Errorf("imports %s", name)
				}
			}
		})
	}
}

// noHost lists what a platform-independent package must not import.
var noHost = []string{"net", "os", "syscall", "unsafe"}

func allowed(name string, modules, never []string) bool {
	first, _, _ := strings.Cut(name, "/")
	if first == "sandtable" || strings.Contains(first, ".") {
		return slices.Contains(modules, name)
	}
	return !slices.Contains(never, first)
}
