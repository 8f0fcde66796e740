package web

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
	"sandtable/web/shell"
)

// TestPrerender draws the page as a static host has it, before anything is known.
func TestPrerender(t *testing.T) {
	html := app.HTMLString(shell.New(pages()))
	for _, text := range []string{"Sandtable", "Starting the engine", `aria-label="Accounts and tables"`, "<main"} {
		if !strings.Contains(html, text) {
			t.Errorf("the page before it runs lacks %q", text)
		}
	}
}

func TestGallery(t *testing.T) {
	html := app.HTMLString(&gallery{})
	for _, piece := range exhibits() {
		if !strings.Contains(html, piece.Name) {
			t.Errorf("the gallery lacks %s", piece.Name)
		}
	}
	if strings.Count(html, `data-theme="light"`) != strings.Count(html, `data-theme="dark"`) {
		t.Error("the themes are not shown side by side")
	}
}

// TestPages: a page that is not named, named twice or belongs nowhere cannot be
// reached.
func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range pages() {
		if d.Name == "" || d.Title == "" || seen[d.Name] || d.Scopes&(page.Store|page.Account|page.Table) == 0 || d.New == nil {
			t.Errorf("page %+v", d)
		}
		seen[d.Name] = true
	}
}
