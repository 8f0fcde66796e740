package entities

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/draft"
	"sandtable/web/grid"
	"sandtable/web/listing"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// The page's arguments in the address.
const (
	filterArg   = "filter"   // $filter as the user wrote it
	selectArg   = "select"   // $select as the user wrote it
	containsArg = "contains" // shows only rows with a value that contains it
	fromArg     = "from"     // PartitionKey at which the rows begin
	fromRowArg  = "fromRow"  // RowKey at which the rows begin
	entityArg   = "entity"   // the entity in the panel: its keys with a slash between them
)

// Page queries a table and shows its entities.
type Page struct {
	app.Compo
	page.Props

	ctx        app.Context
	shown      page.Route // whose query was run last, without the entity
	bar        bar
	kept       *kept // the same for each page
	results    results
	outage     page.Outage
	schema     grid.Schema // of all rows seen in this table
	settings   grid.Settings
	sheet      sheet
	selected   map[odata.Key]bool
	menu       menu
	sorting    sorting // what the sort menu asks about
	learned    bool    // a sample of the table was read
	partitions remote.Value[control.Partitions]
	address    address
	panel      panel
	editing    editing
	release    []func()
}

// query is the route without the entity that is open.
func (p *Page) query() page.Route { return p.Route.With(entityArg, "") }

// route returns the route of the query.
func (p *Page) route() page.Route {
	return p.Route.With(filterArg, strings.TrimSpace(p.bar.filter)).With(selectArg, strings.TrimSpace(p.bar.selects)).
		With(containsArg, p.bar.post.String()).With(fromArg, "").With(fromRowArg, "")
}

// panel is which entity the panel shows.
type panel struct {
	serial int // counts panels that were opened
	open   bool
	key    *odata.Key // nil for a new entity
	start  draft.Draft
}

func (p *Page) client() *client.Client { return p.Session.Client(p.Route.Account) }

func (p *Page) listing() *listing.Listing { return &p.results.rows }

// kept is what outlives the page while the user is elsewhere.
type kept struct {
	typed map[page.Route]bar   // queries that were not run, by the one that was shown
	undos map[page.Route]*undo // by table
	jobs  page.Jobs            // deletions, and their undos
	page  *Page                // that is shown, nil for none
}

// undo takes the last deletion or edit of a table's entities back.
type undo struct {
	title    string
	run      func()
	withdraw func() // removes the message that offers it
}

// The pages that the links lead to.
const (
	importPage = "import"
	exportPage = "export"
)
