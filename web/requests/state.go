package requests

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// The page's arguments in the address.
const (
	searchArg = "find" // words that a request must contain
	showArg   = "show" // "failed", "scans" or "faults"; "" for all
	onlyArg   = "only" // an account
	idArg     = "id"   // of the request in the panel
)

// Page is the list of requests and the panel next to it.
type Page struct {
	app.Compo
	page.Props

	ctx      app.Context
	loaded   remote.Value[struct{}] // of the first list
	reading  int                    // how many readings of the list are in progress
	arrived  []control.Recorded     // during a reading, whose answer may lack them
	list     list
	scrolled bool // the list is not at its top, so nothing may move in it
	limit    int  // how many rows are drawn
	searches int  // counts the fields of the search: a new one shows what the program changed
	detail   detail
	release  []func()
}

// detail is the request in the panel.
type detail struct {
	id        uint64
	data      remote.Value[control.RecordedDetail]
	tab       string
	whole     bool // on a narrow screen: the low sheet was opened to its full height
	raw       bool // bodies and address as they were sent
	menu      bool // the menu of languages is open
	replaying bool
	replayed  string // the ID that the endpoint gave to the repetition
	problem   error  // of the repetition
}

func hasQuery(address string) bool { return strings.Contains(address, "?") }

func rowID(id uint64) string { return "request-" + strconv.FormatUint(id, 10) }

// list is the requests that are shown, the newest first, and those that wait until
// the list may move.
type list struct {
	rows, held []control.Recorded
	paused     bool
	hold       bool   // what arrives waits
	cleared    uint64 // requests up to this one are not shown
	instance   string
}

// rowsAtOnce is how many rows are drawn, and how many more on demand.
const rowsAtOnce = 200

// chosen is the number of the request in the panel, 0 for none.
func (p *Page) chosen() uint64 {
	id, _ := strconv.ParseUint(p.Route.Arg(idArg), 10, 64)
	return id
}
