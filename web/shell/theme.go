package shell

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

// themes are the choices in the order in which the button goes through them.
// assets/js/theme.js stores the choice.
var themes = []string{"system", "light", "dark"}

func currentTheme() string {
	keeper := app.Window().Get("sandtableTheme")
	if !keeper.Truthy() {
		return themes[0]
	}
	return keeper.Call("get").String()
}

// nextTheme returns the first one after a theme that is not known.
func nextTheme(theme string) string { return themes[(slices.Index(themes, theme)+1)%len(themes)] }

func themeIcon(theme string) ui.IconName {
	switch theme {
	case "light":
		return ui.IconLight
	case "dark":
		return ui.IconDark
	}
	return ui.IconSystem
}

func (s *Shell) onTheme(app.Context, app.Event) {
	s.theme = nextTheme(s.theme)
	if keeper := app.Window().Get("sandtableTheme"); keeper.Truthy() {
		keeper.Call("set", s.theme)
	}
}
