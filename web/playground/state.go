package playground

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// The tabs.
const (
	consoleTab  = "console"
	requestsTab = "requests"
	tablesTab   = "tables"
)

// Page is the editor and what the last run did.
type Page struct {
	app.Compo
	page.Props

	ctx        app.Context
	code       string
	unsaved    bool    // the code was typed and not saved yet
	typedAt    string  // the fragment of the address when it was typed
	http       bool    // the code is requests of HTTP
	body       string  // how answers are shown: prettyBody, rawBody or tableBody, "" for the first
	signed     *signed // what Authorize signed last
	signedSend bool    // requests that are sent have credentials
	initial    string  // what the editor is drawn with
	editors    int     // counts them: a new one shows what the program changed
	problem    error   // of the link or the code
	tab        string
	account    string // "" before the first run
	starting   bool
	failed     error // a run could not start
	console    console
	stop       func()
	requests   remote.Value[[]control.Recorded]
	tables     remote.Value[[]contents]
	changes    remote.Value[control.Differences]
	reading    <-chan struct{} // is closed when the results of the last run have been read; nil before the first
	release    []func()
	course     course
}

func (p *Page) onTab(_ app.Context, event app.Event) { p.tab = ui.Data(event, "choice") }

// kept outlives the page while the browser's tab is open: links lead from the
// playground to its requests and tables, and back.
// Each lesson has its own, as the playground has under "".
var kept = map[string]*run{}

// kept returns what is kept of this page.
func (p *Page) kept() *run {
	key := p.course.key()
	if kept[key] == nil {
		kept[key] = &run{}
	}
	return kept[key]
}

// shown returns the page that shows the same code now: the user may have left this one,
// and come back.
func (p *Page) shown() *Page { return cmp.Or(p.kept().page, p) }
