package odata_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// row has the packages of our module that each package may import: odata none,
// the packages below it only odata.
var row = map[string][]string{
	".":          nil,
	"filter":     {"sandtable/odata"},
	"payload":    {"sandtable/odata", "sandtable/odata/xmlscan"},
	"xmlscan":    nil,
	"batch":      {"sandtable/odata"},
	"connection": {"sandtable/odata"},
	"rowfile":    {"sandtable/odata", "sandtable/odata/payload"},
}

// impure are packages with I/O, processes or the browser.
var impure = []string{"net", "net/http", "os", "os/exec", "io/fs", "bufio", "log", "sync", "syscall", "syscall/js", "context", "reflect", "encoding/json"}

func TestImports(t *testing.T) {
	for dir, ours := range row {
		t.Run(dir, func(t *testing.T) {
			p, err := build.ImportDir(filepath.FromSlash(dir), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range p.Imports {
				first, _, _ := strings.Cut(name, "/")
				switch {
				case first == "sandtable" && !slices.Contains(ours, name):
					t.Errorf("%s imports %s, want nothing of ours but %q", dir, name, ours)
				case strings.Contains(first, "."):
					t.Errorf("%s imports %s, want nothing of others", dir, name)
				case slices.Contains(impure, name):
					t.Errorf("%s imports %s, and is to stay without I/O and reflection", dir, name)
				}
			}
		})
	}
}

// These packages have no goroutine and no clock.
func TestPure(t *testing.T) {
	for dir := range row {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			t.Run(path.Base(name), func(t *testing.T) { checkPure(t, name) })
		}
	}
}

func checkPure(t *testing.T, name string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%s starts a goroutine", set.Position(n.Pos()))
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Sleep"}, n.Sel.Name) {
				t.Errorf("%s asks the clock", set.Position(n.Pos()))
			}
		}
		return true
	})
}
