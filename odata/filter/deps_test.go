package filter

import (
	"go/build"
	"strings"
	"testing"
)

// Imports point down only: below filter there are odata and the standard
// library.
func TestImports(t *testing.T) {
	p, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Imports) == 0 {
		t.Fatal("no imports found")
	}
	for _, path := range p.Imports {
		first, _, _ := strings.Cut(path, "/")
		if path != "sandtable/odata" && (first == "sandtable" || strings.Contains(first, ".")) {
			t.Errorf("filter imports %s", path)
		}
	}
}
