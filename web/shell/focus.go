package shell

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/page"
)

// arrive is called before r is shown. If the element with the focus goes away with the
// previous page, the focus moves to the heading of the new one. assets/js/focus.js
// keeps the user's place in all other cases.
func (s *Shell) arrive(r page.Route) {
	if keeper := app.Window().Get("sandtableFocus"); keeper.Truthy() && !r.SamePage(s.route) {
		keeper.Call("arrive")
	}
}
