package page

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

// Route is where the user is: what a link carries, and what back, forward and
// reload return to. Routes can be compared with ==.
type Route struct {
	Account string
	Table   string // "" for the account as a whole
	Page    string // a [Definition]'s name; "" is the first page of the scope
	// Args are the page's own arguments, encoded as a query in the order of
	// their names. Read and change them with Arg and With.
	Args string
}

// Scope is what a page is about, and so where the shell shows its entry.
type Scope uint8

// The scopes. A page of the store has an entry at the end of the sidebar, one
// of an account or a table a tab.
const (
	Store Scope = 1 << iota
	Account
	Table
)

// Definition registers a page.
type Definition struct {
	Name   string // page= in addresses; the first definition of a scope is its default
	Title  string // of its tab or entry, and of the browser's tab
	Icon   ui.IconName
	Scopes Scope // one or several
	Hidden bool  // it has neither tab nor entry: something else leads to it
	Stays  bool  // it is shown without its table, too: it holds a file or a report
	// New returns the component, with these Props.
	// Under names the page that title and sidebar show instead of this one at a
	// route; "" for none. It may be nil.
	Under func(Route) string
	New   func(Props) app.Composer
	// Figure stands at the end of its entry, if it returns any.
	Figure func() string
	// Exhibits are shown in the gallery: the page's parts in each of their states.
	Exhibits func() []ui.Exhibit
}

// Has reports whether the page exists in a scope.
func (d Definition) Has(s Scope) bool { return d.Scopes&s != 0 }

// Props are what the shell hands to a page. Pages embed them.
type Props struct {
	Session Session
	Route   Route
	// Visit changes when the same page has to start over.
	Visit int
	// Revision changes when the session's status or catalog has changed, so that
	// go-app draws the page again.
	Revision int
	// Acts changes for the same reason when the shell has run something for the page:
	// an offer, what follows a question, a key, a command, or the end of work in the
	// background of the session.
	Acts int
}

// Connected reports whether the account is one of another endpoint, which the
// control API does not know.
func (p Props) Connected() bool {
	_, ok := p.Session.Connected(p.Route.Account)
	return ok
}

// CompoID makes go-app mount a new component for another place.
func (p Props) CompoID() string {
	place := p.Route.Place()
	return place.Account + "/" + place.Table + "/" + p.Route.Page + "/" + strconv.Itoa(p.Visit)
}
