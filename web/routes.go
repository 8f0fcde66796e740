package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/access"
	"sandtable/web/endpoint"
	"sandtable/web/entities"
	"sandtable/web/faults"
	"sandtable/web/lessons"
	"sandtable/web/page"
	"sandtable/web/partitions"
	"sandtable/web/playground"
	"sandtable/web/requests"
	"sandtable/web/settings"
	"sandtable/web/shell"
	"sandtable/web/snapshots"
	"sandtable/web/storage"
	"sandtable/web/tables"
	"sandtable/web/transfer"
)

// pages are the pages in the order of their tabs and entries. The first of each
// scope is its default.
func pages() []page.Definition {
	all := []page.Definition{
		tables.Definition(),
		entities.Definition(),
		access.Definition(),
		access.ConnectDefinition(),
		snapshots.Definition(),
		faults.Definition(),
		partitions.Definition(),
		settings.Definition(),
		endpoint.Definition(),
		storage.Definition(),
		transfer.ImportDefinition(),
		transfer.ExportDefinition(),
		transfer.PromoteDefinition(),
		requests.Definition(),
	}
	if app.Getenv(EmbeddedEnv) == "" {
		all = append(all, lessons.Definition(), playground.Definition())
	}
	return all
}

// Routes registers the page with go-app. It is called once, before the page
// runs or is served.
func Routes() {
	page.NamedStore = shell.EmbeddedStore()
	root := func() app.Composer { return shell.New(pages()) }
	app.Route("/", root)
	app.Route("/gallery", func() app.Composer { return &gallery{} })
	if app.IsClient {
		// A static host may serve the page from any folder.
		path := app.Window().URL().Path
		switch path[strings.LastIndexByte(path, '/')+1:] {
		case "", "index.html":
			app.Route(path, root)
		case "gallery", "gallery.html":
			app.Route(path, func() app.Composer { return &gallery{} })
		}
	}
}

// EmbeddedEnv is [page.EmbeddedEnv], for the programs that build the page.
const EmbeddedEnv = page.EmbeddedEnv
