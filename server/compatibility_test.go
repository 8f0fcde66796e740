package server

import (
	"os"
	"strings"
	"testing"
)

// TestCompatibilityPage: docs/compatibility.md and operations.go list the same
// operations.
func TestCompatibilityPage(t *testing.T) {
	page, err := os.ReadFile("../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## Operations\n")
	if !found {
		t.Fatal("the page has no section Operations")
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	listed := map[string]string{}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			listed[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		}
	}
	delete(listed, "operation")
	delete(listed, "---")
	delete(listed, "Preflight Table Request") // on any path, before there is an operation
	for _, o := range operations {
		state, ok := listed[o.name]
		if !ok || strings.HasPrefix(state, "not yet") {
			t.Errorf("%s is in operations.go, but on the page %q", o.name, state)
		}
		delete(listed, o.name)
	}
	for name, state := range listed {
		if !strings.HasPrefix(state, "not yet") {
			t.Errorf("%s is on the page (%s) but not in operations.go", name, state)
		}
	}
}
