package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Routes registers the pages with go-app. It is called once, before the page
// runs or is served.
func Routes() {
	app.Route("/", func() app.Composer { return &explorer{} })
	app.Route("/gallery", func() app.Composer { return &gallery{} })
	if app.IsClient {
		// A static host can have put the page into any folder.
		app.RouteWithRegexp(`/(index\.html)?$`, func() app.Composer { return &explorer{} })
		app.RouteWithRegexp(`/gallery(\.html)?$`, func() app.Composer { return &gallery{} })
	}
}

// Colours of the page before its styles are there. They are those of
// --bg-page in tokens.css; a test holds them together.
const (
	backgroundColor = "#f6f3ed"
	themeColor      = "#f6f3ed"
)

// Handler returns what serves the page and its files, all of them local, for
// the version that is built. The files of web/assets are expected below /web/,
// beside app.wasm. The service worker's script is the caller's business.
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
		},
		Scripts:    []string{"/web/js/parts.js", "/web/js/theme.js"},
		RawHeaders: []string{`<meta name="sandtable-build" content="` + version + `">`},
	}
}
