package pagetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Offer is a message with a button.
type Offer struct {
	Text, Button string
	Act          func()
}

// Session is a [page.Session] that notes what a page asks for.
type Session struct {
	Transport client.Transport
	Route     page.Route
	State     remote.Value[control.Status]
	Accounts  page.Catalog
	Notices   []string // the texts of messages and offers
	Offers    []Offer
	Question  *ui.Question
	Writes    int      // calls of Wrote
	Changed   []string // accounts given to WroteTo
	Problems  int      // given to Checked last
	Watchers  []func([]control.Change)
	Files     []browser.File // that were dropped
	Rows      page.Selection // that were handed over
	Remotes   map[string]client.Remote

	Remembered map[string]bool // of Remotes

	confirmed func()
	guards    map[int]func() bool
	keys      map[int]func(page.Key) func()
	last      int
	ctx       app.Context
}

// Base implements [page.Session].
func (s *Session) Base() string { return "http://host/" }

// Client implements [page.Session].
func (s *Session) Client(account string) *client.Client {
	if r, ok := s.Remotes[account]; ok {
		return r.Client(s.Transport)
	}
	return &client.Client{Base: "http://host/table/" + account, Transport: s.Transport}
}

// Connected implements [page.Session].
func (s *Session) Connected(account string) (client.Remote, bool) {
	r, ok := s.Remotes[account]
	return r, ok
}

// Connections implements [page.Session].
func (s *Session) Connections() []client.Remote {
	return slices.SortedFunc(maps.Values(s.Remotes), func(a, b client.Remote) int { return strings.Compare(a.ID(), b.ID()) })
}

// Connect implements [page.Session].
func (s *Session) Connect(r client.Remote, remember bool) {
	if s.Remotes == nil {
		s.Remotes, s.Remembered = map[string]client.Remote{}, map[string]bool{}
	}
	s.Remotes[r.ID()], s.Remembered[r.ID()] = r, remember
}

// Control implements [page.Session].
func (s *Session) Control() *control.Client {
	return &control.Client{Base: "http://host/_sandtable", Transport: s.Transport}
}

// Status implements [page.Session].
func (s *Session) Status() remote.Value[control.Status] { return s.State }

// Catalog implements [page.Session].
func (s *Session) Catalog() page.Catalog { return s.Accounts }

// Navigate implements [page.Session].
func (s *Session) Navigate(r page.Route) { s.Route = r }

// Replace implements [page.Session].
func (s *Session) Replace(r page.Route) { s.Route = r }

// Notify implements [page.Session].
func (s *Session) Notify(text string) { s.Notices = append(s.Notices, text) }

// Offer implements [page.Session].
func (s *Session) Offer(text, button string, act func()) (withdraw func()) {
	s.Notices = append(s.Notices, text)
	s.Offers = append(s.Offers, Offer{text, button, act})
	return func() {
		s.Offers = slices.DeleteFunc(s.Offers, func(o Offer) bool { return o.Text == text })
	}
}

// Ask implements [page.Session].
func (s *Session) Ask(q ui.Question, confirmed func()) { s.Question, s.confirmed = &q, confirmed }

// Wrote implements [page.Session].
func (s *Session) Wrote() { s.Writes++ }

// WroteTo implements [page.Session].
func (s *Session) WroteTo(account string) { s.Changed = append(s.Changed, account) }

// Checked implements [page.Session].
func (s *Session) Checked(problems int) { s.Problems = problems }

// Watch implements [page.Session].
func (s *Session) Watch(f func([]control.Change)) (release func()) {
	s.Watchers = append(s.Watchers, f)
	return func() {}
}

// Background implements [page.Session].
func (s *Session) Background(work func(context.Context) func()) { page.Background(s.ctx, work) }

// Guard implements [page.Session].
func (s *Session) Guard(unsaved func() bool) (release func()) {
	s.last++
	id := s.last
	if s.guards == nil {
		s.guards = map[int]func() bool{}
	}
	s.guards[id] = unsaved
	return func() { delete(s.guards, id) }
}

// Leave implements [page.Session].
func (s *Session) Leave(then func()) {
	for _, unsaved := range s.guards {
		if unsaved() {
			s.Ask(ui.Question{Title: "Discard the changes?"}, then)
			return
		}
	}
	then()
}

// Keys implements [page.Session].
func (s *Session) Keys(f func(page.Key) func()) (release func()) {
	s.last++
	id := s.last
	if s.keys == nil {
		s.keys = map[int]func(page.Key) func(){}
	}
	s.keys[id] = f
	return func() { delete(s.keys, id) }
}

// Commands implements [page.Session].
func (s *Session) Commands(func() []page.Command) (release func()) { return func() {} }

// Dropped implements [page.Session].
func (s *Session) Dropped() []browser.File {
	files := s.Files
	s.Files = nil
	return files
}

// Select implements [page.Session].
func (s *Session) Select(rows page.Selection) { s.Rows = rows }

// Selected implements [page.Session].
func (s *Session) Selected() page.Selection {
	rows := s.Rows
	s.Rows = page.Selection{}
	return rows
}

// NewTable implements [page.Session].
func (s *Session) NewTable(account string) { s.Notify("new table in " + account) }

// Head implements [page.Session].
func (s *Session) Head(actions ...app.UI) app.UI {
	return ui.Div("head", actions...)
}

// Driver holds a page that runs.
type Driver[C app.Composer] struct {
	*Session
	Page C // the component that is mounted
	// In is the context in which Do acts, of a component inside the page; what
	// is not set is the page's.
	In       app.Context
	t        *testing.T
	frame    *frame
	engine   app.TestEngine
	revision int
}

// Open runs the page of a definition's New at a route. A page that goes
// elsewhere is mounted again there, or updated, as the shell would.
func Open[C app.Composer](t *testing.T, transport client.Transport, r page.Route, pageOf func(page.Props) C) *Driver[C] {
	t.Helper()
	d := &Driver[C]{Session: &Session{Transport: transport, Route: r}, t: t, engine: app.NewTestEngine()}
	d.State = remote.Of(control.Status{Build: "b", Store: "indexeddb", Durability: "relaxed"})
	mounted := ""
	d.frame = &frame{session: d.Session, draw: func() app.UI {
		props := page.Props{Session: d.Session, Route: d.Route, Revision: d.revision}
		next := pageOf(props)
		if id := props.CompoID(); id != mounted {
			mounted, d.Page = id, next
		}
		return next
	}}
	if err := d.engine.Load(d.frame); err != nil {
		t.Fatal(err)
	}
	d.engine.ConsumeAll()
	return d
}

// frame is the component around the page.
type frame struct {
	app.Compo
	session *Session
	draw    func() app.UI
}

func (f *frame) OnPreRender(ctx app.Context) { f.session.ctx = ctx }

func (f *frame) Render() app.UI { return app.Div().Body(f.draw()) }

// Do acts on the page as a handler would, and waits for all that follows.
func (d *Driver[C]) Do(act func()) {
	in := d.In
	if in.Context == nil {
		in = d.ctx
	}
	in.Dispatch(func(app.Context) { act() })
	d.engine.ConsumeAll()
	d.revision++ // what the test changed directly is drawn, too
	d.ctx.Update()
	d.engine.ConsumeAll()
}

// Elsewhere is where LeaveDuring takes the user.
var Elsewhere = page.Route{Account: Account, Table: "Elsewhere", Page: "elsewhere"}

// LeaveDuring acts on the page and leaves it before any of its changes is answered, and
// waits for all that follows.
func (d *Driver[C]) LeaveDuring(act func()) {
	transport, left := d.Transport, make(chan struct{})
	d.Transport = Transport(func(r client.Request) (client.Response, error) {
		if r.Method != client.MethodGet {
			<-left
		}
		return transport.Do(context.Background(), r)
	})
	d.Do(func() {
		act()
		d.Navigate(Elsewhere)
		d.ctx.Defer(func(app.Context) { close(left) })
	})
}

// Answer answers the question that is open.
func (d *Driver[C]) Answer(yes bool) {
	d.t.Helper()
	if d.Question == nil {
		d.t.Fatal("there is no question")
	}
	d.Question = nil
	if yes {
		d.Do(d.confirmed)
	}
}

// Accept presses the button of the last offer.
func (d *Driver[C]) Accept() {
	d.t.Helper()
	if len(d.Offers) == 0 {
		d.t.Fatal("there is no offer")
	}
	d.Do(d.Offers[len(d.Offers)-1].Act)
}

// HTML returns what is drawn now.
func (d *Driver[C]) HTML() string { return app.HTMLString(d.frame) }

// Shows fails the test unless the page shows all texts.
func (d *Driver[C]) Shows(texts ...string) {
	d.t.Helper()
	html := d.HTML()
	for _, text := range texts {
		if !strings.Contains(html, text) {
			d.t.Errorf("the page does not show %q", text)
		}
	}
}

// Hides fails the test if the page shows one of the texts.
func (d *Driver[C]) Hides(texts ...string) {
	d.t.Helper()
	html := d.HTML()
	for _, text := range texts {
		if strings.Contains(html, text) {
			d.t.Errorf("the page shows %q", text)
		}
	}
}

// IsHidden reports whether the first element whose content begins with this HTML is hidden.
func (d *Driver[C]) IsHidden(begin string) bool {
	d.t.Helper()
	before, _, found := strings.Cut(d.HTML(), begin)
	if !found {
		d.t.Fatalf("no element begins with %q", begin)
	}
	tag := strings.TrimRight(before[strings.LastIndexByte(before, '<'):], "> \n")
	return strings.Contains(tag+" ", " hidden ") // go-app writes hidden="false", too
}

// Notified fails the test unless a message contains the text.
func (d *Driver[C]) Notified(text string) {
	d.t.Helper()
	for _, notice := range d.Notices {
		if strings.Contains(notice, text) {
			return
		}
	}
	d.t.Errorf("no message says %q: %q", text, d.Notices)
}

// Context returns a context for handlers that are called by a test. What they do in the
// background ends with the driver, not with the page.
func (d *Driver[C]) Context() app.Context { return d.Session.ctx }
