package shell

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Shell is the root component.
type Shell struct {
	app.Compo

	pages     []page.Definition
	transport client.Transport
	host      host
	base      string           // the endpoint's address with a slash at its end
	ctx       app.Context      // of this component, which lives as long as the page
	navigate  func(page.Route) // takes the browser to a route
	settled   bool             // a worker controlled the page when it started

	status   remote.Value[control.Status]
	readings int // of the status that were begun after the first
	answered int // the last of them that is shown

	catalog page.Catalog
	route   page.Route
	before  page.Route // of the page that was shown before
	visit   int        // incremented to mount the pages again
	changes int        // of status and catalog
	acts    int        // counts what the shell has run for pages

	remotes remotes
	sidebar sidebar
	notices notices
	health  health
	hooks   hooks
	theme   string
	dragged bool           // a file is dragged over the window
	dropped []browser.File // until a page takes it
	rows    page.Selection // until a page takes it

	palette palette

	release    []func()
	stopEvents func()
	pause      time.Duration // [refreshPause], which tests shorten
	refreshing bool          // the catalog is being read again
	stale      bool          // the catalog has changed since that read began
	unlisted   bool          // the list without the route's table is being read again
	pausing    bool          // the counts were read because of changes, less than pause ago
	outdated   bool          // there were changes during that pause
}

// The pages that the shell's own buttons lead to.
const (
	connectPage  = "connect"
	endpointPage = "endpoint"
	faultsPage   = "faults"
	storagePage  = "storage"
)

// Control implements [page.Session].
func (s *Shell) Control() *control.Client {
	return &control.Client{Base: s.base + "_sandtable", Transport: s.transport}
}

// ready reports whether the engine has answered.
func (s *Shell) ready() bool {
	_, ok := s.status.Data()
	return ok
}

// title returns the title of the browser's tab.
func (s *Shell) title() string {
	title := "Sandtable"
	if d, ok := s.shown(); ok && d.Title != "" {
		title = d.Title + " · " + title
	}
	if s.route.Table != "" {
		title = s.route.Table + " · " + title
	} else if s.route.Account != "" {
		title = s.route.Account + " · " + title
	}
	return title
}

// definition returns the page of the route: the named one, or else the first of
// the scope. A route of the store without a page is that of the first account.
func (s *Shell) definition() (page.Definition, bool) {
	r := s.place()
	for _, d := range s.pages {
		if d.Has(r.Scope()) && (r.Page == d.Name || r.Page == "" && r.Account != "") {
			return d, true
		}
	}
	return page.Definition{}, false
}

// shown returns the page that title and sidebar name.
func (s *Shell) shown() (page.Definition, bool) {
	d, ok := s.definition()
	if ok && d.Under != nil {
		name := d.Under(s.place())
		if i := slices.IndexFunc(s.pages, func(d page.Definition) bool { return d.Name == name }); i >= 0 {
			return s.pages[i], true
		}
	}
	return d, ok
}

// place is the route with the account filled in that the user did not name.
func (s *Shell) place() page.Route {
	r := s.route
	if r.Account == "" && r.Page == "" {
		r.Account = s.account()
	}
	return r
}

// wellKnownAccount exists from the start, and is in every example of the SDKs.
const wellKnownAccount = "devstoreaccount1"

// account is the account that the shell is about: the route's, or else the
// well-known one if it still exists.
func (s *Shell) account() string {
	if s.route.Account != "" {
		return s.route.Account
	}
	all, _ := s.catalog.Accounts.Data()
	account := ""
	for _, a := range all {
		if account == "" || a.Name == wellKnownAccount {
			account = a.Name
		}
	}
	return account
}

// refreshStatus reads the status again; the old one is shown until then.
func (s *Shell) refreshStatus() {
	if !s.ready() {
		return
	}
	s.readings++
	reading := s.readings
	page.Background(s.ctx, func(c context.Context) func() {
		status, err := s.Control().Status(c)
		return func() {
			if reading < s.answered {
				return // a later status is shown
			}
			s.answered = reading
			s.status = s.status.Answered(status, err)
			s.changes++
		}
	})
}

// reload reads everything again and mounts the pages again, unless that would lose changes.
func (s *Shell) reload() {
	s.catalog.Tables = map[string]remote.Value[[]client.Table]{}
	if !s.unsaved() {
		s.visit++
	}
	s.refreshStatus()
	s.loadCatalog()
}

var discardQuestion = ui.Question{
	Title:   "Discard the changes?",
	Text:    "What you entered has not been saved.",
	Confirm: "Discard",
}

// endpointBase returns the folder of the page with a slash at its end: the
// scope of the worker, which answers below it.
func endpointBase(page *url.URL) string {
	folder := page.ResolveReference(&url.URL{Path: "."})
	folder.RawQuery, folder.Fragment = "", ""
	return folder.String()
}
