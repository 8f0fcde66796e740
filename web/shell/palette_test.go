package shell

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// TestMarkedTitles: some letters have fewer or more bytes in lower case.
func TestMarkedTitles(t *testing.T) {
	for title, want := range map[string]string{"İzmir · City eq 'İzmir' ord": "ord", "ȺȾ Orders": "Ord", "Orders": "Ord", "K ORD": "ORD"} {
		var b strings.Builder
		for _, part := range marked(title, "> ord") {
			app.PrintHTML(&b, part)
		}
		if got := b.String(); !strings.Contains(got, "<mark>"+want+"</mark>") {
			t.Errorf("%s: %s", title, got)
		}
	}
}
