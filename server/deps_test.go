package server_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports holds this package's row of the house: the server stands on
// engine and odata, and knows neither the page nor the browser.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"sandtable/odata": true, "sandtable/odata/filter": true, "sandtable/odata/payload": true, "sandtable/odata/batch": true,
		"sandtable/engine": true, "sandtable/server": true, "sandtable/server/auth": true,
	}
	out, err := exec.Command("go", "list", "-deps", "sandtable/server", "sandtable/server/auth").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(path, "sandtable/") && !allowed[path] {
			t.Errorf("the server imports %s", path)
		}
	}
	auth, err := exec.Command("go", "list", "-deps", "sandtable/server/auth").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(auth), "sandtable/engine") {
		t.Error("auth imports the engine")
	}
}
