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
		"sandtable/odata/xmlscan": true,
		"sandtable/engine":        true, "sandtable/server": true, "sandtable/server/auth": true, "sandtable/server/xmldoc": true,
		"sandtable/server/message": true, "sandtable/server/journal": true, "sandtable/engine/archive": true, "sandtable/server/nethttp": true,
	}
	out, err := exec.Command("go", "list", "-deps", "sandtable/server", "sandtable/server/auth", "sandtable/server/xmldoc").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(path, "sandtable/") && !strings.HasPrefix(path, "sandtable/engine/internal/") && !allowed[path] {
			t.Errorf("the server imports %s", path)
		}
	}
	below, err := exec.Command("go", "list", "-deps", "sandtable/server/auth", "sandtable/server/xmldoc").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(below), "sandtable/engine") {
		t.Error("auth or xmldoc imports the engine")
	}
}
