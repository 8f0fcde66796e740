package web

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports holds the house's rule for this row: the page stands on odata
// alone and knows neither the engine nor the server nor the worker.
func TestImports(t *testing.T) {
	for _, platform := range []string{"GOOS=js GOARCH=wasm", ""} {
		command := exec.Command("go", "list", "-deps", "./...")
		command.Env = append(command.Environ(), strings.Fields(platform)...)
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go list %s: %v", platform, err)
		}
		for _, path := range strings.Fields(string(out)) {
			ours := strings.HasPrefix(path, "sandtable")
			if ours && !strings.HasPrefix(path, "sandtable/odata") && !strings.HasPrefix(path, "sandtable/web") {
				t.Errorf("%s: web reaches %s", platform, path)
			}
		}
	}
}

// TestLogicKnowsNoComponents holds the logic apart from what draws it.
func TestLogicKnowsNoComponents(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./draft", "./grid", "./remote", "./tableclient").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "go-app") {
		t.Error("a package of the page's logic reaches go-app")
	}
}
