package native

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sdkPath = "github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

// indirect lists the methods that only encoding/json calls, in tests that send
// and read entities.
var indirect = []string{"MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON"}

// TestEveryMethodIsCalled reads the tests of this package, with their types,
// and fails if aztables exports a function or a method that none of them uses.
func TestEveryMethodIsCalled(t *testing.T) {
	used, sdk := usesOfSDK(t)
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(exportedBy(sdk))) {
		_, method, _ := strings.Cut(name, ".")
		if !used[name] && !slices.Contains(indirect, method) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no test uses %s", strings.Join(missing, ", "))
	}
}

// exportedBy lists a package's functions, as "NewClient", and methods, as
// "Client.AddEntity".
func exportedBy(sdk *types.Package) map[string]bool {
	names := map[string]bool{}
	for _, name := range sdk.Scope().Names() {
		switch object := sdk.Scope().Lookup(name).(type) {
		case *types.Func:
			names[name] = object.Exported()
		case *types.TypeName:
			methods := types.NewMethodSet(types.NewPointer(object.Type()))
			for method := range methods.Methods() {
				names[name+"."+method.Obj().Name()] = true
			}
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool {
		_, method, isMethod := strings.Cut(name, ".")
		return !token.IsExported(name) || isMethod && !token.IsExported(method)
	})
	return names
}

// usesOfSDK returns the functions and methods of the SDK that this package's
// tests use, and the SDK's package.
func usesOfSDK(t *testing.T) (map[string]bool, *types.Package) {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", compiled(t))}
	checked, err := config.Check("sandtable/e2e", set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, object := range info.Uses {
		if function, ok := object.(*types.Func); ok && function.Pkg() != nil && function.Pkg().Path() == sdkPath {
			used[nameOf(function)] = true
		}
	}
	for _, imported := range checked.Imports() {
		if imported.Path() == sdkPath {
			return used, imported
		}
	}
	t.Fatal("the tests do not import the SDK")
	return nil, nil
}

func nameOf(function *types.Func) string {
	receiver := function.Signature().Recv()
	if receiver == nil {
		return function.Name()
	}
	owner := receiver.Type()
	if pointer, ok := owner.(*types.Pointer); ok {
		owner = pointer.Elem()
	}
	return owner.(*types.Named).Obj().Name() + "." + function.Name()
}

// compiled finds the export data of each package that the tests import.
func compiled(t *testing.T) importer.Lookup {
	t.Helper()
	list := exec.Command("go", "list", "-test", "-deps", "-export", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}", ".")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
}
