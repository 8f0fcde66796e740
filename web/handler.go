//go:build !js

package web

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Colours of the page before its styles are there. They are those of
// --bg-page in tokens.css; a test holds them together.
const (
	backgroundColor = "#f6f3ed"
	themeColor      = "#f6f3ed"
)

// Embedded returns the handler for the explorer of embedding sites. The caller adds
// the script that connects it to the engine of the embedding page.
func Embedded(version string) *app.Handler {
	h := Handler(version)
	h.Env = map[string]string{EmbeddedEnv: "1"}
	h.Scripts = slices.DeleteFunc(h.Scripts, func(name string) bool { return name == "/web/js/playground.js" })
	return h
}

// Handler returns what serves the page and its files, all of them local, for
// the version that is built. The files of web/assets are expected below /web/,
// next to app.wasm. The service worker's script is the caller's business.
func Handler(version string) *app.Handler {
	return &app.Handler{
		Name:            "Sandtable",
		ShortName:       "Sandtable",
		Title:           "Sandtable",
		Description:     "Azure Table Storage inside a browser tab: tables, entities and queries that work offline.",
		Author:          "The Sandtable authors",
		Lang:            "en",
		Version:         version,
		BackgroundColor: backgroundColor,
		ThemeColor:      themeColor,
		LoadingLabel:    "Loading {progress}%",
		Icon: app.Icon{
			Default:  "/web/img/icon-192.png",
			Large:    "/web/img/icon-512.png",
			Maskable: "/web/img/icon-maskable.png",
			SVG:      "/web/img/icon.svg",
		},
		Styles: []string{
			"/web/css/tokens.css",
			"/web/css/controls.css",
			"/web/css/shell.css",
			"/web/css/grid.css",
			"/web/css/palette.css",
			"/web/css/tables.css",
			"/web/css/entities.css",
			"/web/css/entity.css",
			"/web/css/transfer.css",
			"/web/css/bulkedit.css",
			"/web/css/storage.css",
			"/web/css/snapshots.css",
			"/web/css/partitions.css",
			"/web/css/requests.css",
			"/web/css/access.css",
			"/web/css/faults.css",
			"/web/css/editor.css",
			"/web/css/playground.css",
			"/web/css/lessons.css",
			"/web/css/forced-colors.css",
		},
		Scripts:    []string{"/web/js/parts.js", "/web/js/theme.js", "/web/js/address.js", "/web/js/focus.js", "/web/js/sheet.js", "/web/js/editor.js", "/web/js/playground.js"},
		RawHeaders: []string{`<meta name="sandtable-build" content="` + version + `">`},
	}
}
