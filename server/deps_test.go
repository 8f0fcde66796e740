package server_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports: the server imports engine and odata, but neither the page nor browser
// packages.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"sandtable/odata": true, "sandtable/odata/filter": true, "sandtable/odata/payload": true, "sandtable/odata/batch": true,
		"sandtable/odata/xmlscan": true,
		"sandtable/engine":        true, "sandtable/server": true, "sandtable/server/auth": true, "sandtable/server/xmldoc": true,
		"sandtable/server/message": true, "sandtable/server/faults": true, "sandtable/odata/connection": true,
	}
	out, err := exec.Command("go", "list", "-deps", "sandtable/server", "sandtable/server/auth", "sandtable/server/xmldoc").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if isOurs(path) && !allowed[path] {
			t.Errorf("the server imports %s", path)
		}
	}
	// The control API imports the service, never the other way round.
	allowed["sandtable/server/control"], allowed["sandtable/server/control/journal"], allowed["sandtable/engine/archive"] = true, true, true
	if out, err = exec.Command("go", "list", "-deps", "sandtable/server/control").Output(); err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if isOurs(path) && !allowed[path] {
			t.Errorf("the control API imports %s", path)
		}
	}
	leaves, err := exec.Command("go", "list", "-deps", "sandtable/server/auth", "sandtable/server/xmldoc", "sandtable/odata/connection").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(leaves), "sandtable/engine") {
		t.Error("auth, xmldoc or connection imports the engine")
	}
}

// isOurs excludes the engine's internal packages, which the engine's import test
// covers.
func isOurs(path string) bool {
	return strings.HasPrefix(path, "sandtable/") && !strings.HasPrefix(path, "sandtable/engine/internal/")
}
