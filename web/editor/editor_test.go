package editor

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

func TestDraw(t *testing.T) {
	e := Editor{ID: "program", Key: "1", Text: "a < b", Language: HTTP, Label: "Requests", Described: "keys", ErrorLine: 3}
	drawn := app.HTMLString(e.Draw(ui.Nothing).(*ui.Keyed).Render())
	for _, want := range []string{"<code-editor", `id="program"`, `data-language="http"`, `data-error-line="3"`, `aria-label="Requests"`, `aria-describedby="keys"`, "a &lt; b"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("no %s in %s", want, drawn)
		}
	}
}
