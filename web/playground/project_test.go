package playground

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestProjectsImportTheirTables(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"an import", "import { TableClient } from \"@azure/data-tables\";\n", "import { TableClient } from \"./tables.mjs\";\n"},
		{"over lines", "import {\n  odata,\n} from\n  '@azure/data-tables'", "import {\n  odata,\n} from\n  './tables.mjs'\n"},
		{"without names", "import '@azure/data-tables';\n", "import './tables.mjs';\n"},
		{"no import", "await fetch(x);\n", "import \"./tables.mjs\";\nawait fetch(x);\n"},
		{"text", "console.log(\"@azure/data-tables\"); import \"@azure/data-tables\"\n", "console.log(\"@azure/data-tables\"); import \"./tables.mjs\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := project(test.code)[2].Text; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestProjectsHaveTheSandboxesSDK: a program behaves as it did in the playground.
func TestProjectsHaveTheSandboxesSDK(t *testing.T) {
	vendored, err := os.ReadFile("../../wasm/js/vendor/package.json")
	if err != nil {
		t.Fatal(err)
	}
	version := func(text string) string {
		var p struct{ Dependencies, DevDependencies map[string]string }
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		return p.Dependencies["@azure/data-tables"] + p.DevDependencies["@azure/data-tables"]
	}
	if got, want := version(projectPackage), version(string(vendored)); got != want || got == "" {
		t.Errorf("the project has version %q, the sandbox %q", got, want)
	}
	if !strings.Contains(projectTables, `"`+origin+`"`) {
		t.Errorf("tables.mjs does not know %s", origin)
	}
}
