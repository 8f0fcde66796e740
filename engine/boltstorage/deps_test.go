//go:build !js

package boltstorage_test

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// TestImports holds this package's row of the house: it stands on engine, keeps
// its file with bbolt, and knows no HTTP.
func TestImports(t *testing.T) {
	p, err := build.ImportDir(".", 0)
	must(t, err)
	allowed := []string{"sandtable/engine", "go.etcd.io/bbolt", "go.etcd.io/bbolt/errors"}
	for _, name := range p.Imports {
		first, _, _ := strings.Cut(name, "/")
		foreign := first == "sandtable" || strings.Contains(first, ".")
		if foreign && !slices.Contains(allowed, name) || first == "net" {
			t.Errorf("imports %s", name)
		}
	}
}
