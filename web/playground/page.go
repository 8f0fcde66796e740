package playground

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// origin is what programs use as their endpoint, whatever the account's real name.
const origin = "https://playground.table.core.windows.net"

// isOwnAccount reports whether a playground could have made the account, and may
// be wrong: web/assets/js/playground.js records which they are. Each open page has
// its own.
func isOwnAccount(name string) bool {
	suffix, ok := strings.CutPrefix(name, "playground")
	return ok && len(suffix) == 8 && strings.Trim(suffix, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// kept outlives the page while the browser's tab is open: links lead from the
// playground to its requests and tables, and back.
// Each lesson has its own, as the playground has under "".
var kept = map[string]*run{}

type run struct {
	account, code string
	http          bool
	fragment      string // of the address: the code that was read from it or put into it last
	ahead         bool   // the code is newer than that
	since, until  uint64 // the last request before the run, and its own last one, 0 if that was not read
}

// The tabs.
const (
	consoleTab  = "console"
	requestsTab = "requests"
	tablesTab   = "tables"
)

// Definition registers the page.
func Definition() page.Definition {
	return page.Definition{
		Name: "playground", Title: "Playground", Icon: ui.IconCode, Scopes: page.Store, Exhibits: exhibits,
		New: func(p page.Props) app.Composer { return &Page{Props: p} },
		Under: func(r page.Route) string {
			if r.Arg(lessonArg) != "" {
				return "lessons"
			}
			return ""
		},
	}
}

// Page is the editor and what the last run did.
type Page struct {
	app.Compo
	page.Props

	ctx        app.Context
	code       string
	unsaved    bool    // the code was typed and not saved yet
	http       bool    // the code is requests of HTTP
	other      string  // the code of the other language, "" if it was not shown
	raw        bool    // answers are shown as they were received
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
	before     string // the snapshot from before the run, "" for none
	changes    remote.Value[control.Differences]
	release    []func()
	course     course
}

// OnInit prepares the editor.
func (p *Page) OnInit() {
	p.tab, p.code = consoleTab, samples[0].Code
	p.initial = p.code
	p.openLesson()
}

// OnMount reads the code from the address.
func (p *Page) OnMount(ctx app.Context) {
	p.ctx = ctx
	p.release = append(p.release, p.Session.Keys(p.onKey), p.Session.Commands(p.commands),
		browser.Listen(app.Window(), "hashchange", func(app.Value) { ctx.Dispatch(func(app.Context) { p.readAddress() }) }))
	if !p.course.on {
		if p.kept().code != "" {
			p.http = p.kept().http
			p.show(p.kept().code)
		}
		p.readAddress()
	}
	if !p.course.on || p.course.ready() { // otherwise it is not known whose results they are
		if p.account = p.kept().account; p.account != "" {
			p.readResults()
		}
	}
	p.fetchLesson()
	page.Background(ctx, func(c context.Context) func() {
		p.sweep(c)
		return func() {}
	})
}

// OnDismount ends the program. Its account stays until the browser's tab is closed.
func (p *Page) OnDismount() {
	page.Release(p.release)
	p.flush()
	p.onStop(p.ctx, app.Event{})
}

// sweep deletes the accounts that playgrounds made in tabs that are closed.
func (p *Page) sweep(c context.Context) {
	scripts := app.Window().Get("sandtablePlayground")
	recorded, err := browser.Await(scripts.Call("abandoned"))
	if err != nil {
		return // nobody knows what is in use
	}
	accounts, err := p.Session.Control().Accounts(c)
	if err != nil {
		return
	}
	exists := map[string]bool{}
	for _, a := range accounts {
		exists[a.Name] = true
	}
	for _, name := range abandoned(recorded.String()) {
		if !exists[name] || p.Session.Control().DeleteAccount(c, name) == nil {
			scripts.Call("forget", name)
		}
	}
}

// abandoned returns the accounts to delete of those that were recorded. What is
// recorded may have been changed by anyone with access to the browser: only a
// name that a playground could have chosen is taken from it.
func abandoned(recorded string) []string {
	return slices.DeleteFunc(strings.Fields(recorded), func(name string) bool { return !isOwnAccount(name) })
}

// newAccount returns a name for an account that nobody has.
func newAccount() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	for i, b := range raw {
		raw[i] = letters[b%32]
	}
	return "playground" + string(raw[:])
}

// run starts the program, in an account that exists.
func (p *Page) run() {
	if p.course.on && !p.course.ready() {
		return
	}
	code, step := p.code, p.course.step
	p.prepare(func(before string) {
		p.course.ran = p.course.step == step
		p.start(before, code)
	})
}

// prepare makes an account that exists, with the data of the lesson, and then
// calls then with the code that goes before the program.
func (p *Page) prepare(then func(before string)) {
	if p.starting || p.console.running {
		return
	}
	p.starting, p.failed = true, nil
	if p.course.on { // each run of a lesson starts with its data alone
		p.course.results = nil
		p.discard()
	} else {
		p.tab = consoleTab
	}
	fresh := p.claim()
	p.save()
	account, course, stale := p.account, p.course, p.before
	page.Background(p.ctx, func(c context.Context) func() {
		var err error
		if fresh {
			err = p.create(c, account)
		}
		if err == nil {
			err = course.fill(c, p.Session.Client(account))
		}
		var before string
		if err == nil {
			before, err = course.sign(c, p.Session.Control(), account)
		}
		var recent control.Recent
		if err == nil {
			recent, err = p.Session.Control().Recent(c, 0)
		}
		var snapshot control.Snapshot
		if err == nil {
			if stale != "" { // of a run that could not start
				_ = p.Session.Control().DeleteSnapshot(c, account, stale)
			}
			snapshot, err = p.Session.Control().TakeSnapshot(c, account, beforeRun, "taken")
		}
		if err == nil {
			err = course.arm(c, p.Session.Control(), account)
		}
		return func() {
			p.starting = false
			if err != nil {
				p.fail(err)
				p.unclaim(fresh, err)
				return
			}
			p.before, p.kept().since, p.kept().until = snapshot.ID, last(recent, 0), 0
			then(before)
		}
	})
}

// last returns the ID of the last request, or before if there are none.
func last(recent control.Recent, before uint64) uint64 {
	for _, r := range recent.Requests {
		before = max(before, r.ID)
	}
	return before
}

// claim chooses the page's account. It reports whether that is still to be created.
func (p *Page) claim() (fresh bool) {
	if p.account == "" {
		p.account, fresh = newAccount(), true
		p.kept().account = p.account
	}
	return fresh
}

// isGone reports whether an error means that the account does not exist any more:
// another tab has reset the store.
func isGone(err error) bool {
	return client.HasCode(err, client.CodeResourceNotFound)
}

// unclaim gives up an account after an error, if it was to be created or is gone.
func (p *Page) unclaim(fresh bool, err error) {
	if fresh || isGone(err) {
		release(p.account, isGone(err))
		p.account, p.kept().account = "", ""
	}
}

// release lets another page delete an account that this one has held, unless it is gone.
func release(account string, gone bool) {
	scripts := app.Window().Get("sandtablePlayground")
	scripts.Call("release", account)
	if gone {
		scripts.Call("forget", account)
	}
}

// create creates an account. From before it exists until its page is closed, it is held.
func (p *Page) create(c context.Context, account string) error {
	if _, err := browser.Await(app.Window().Get("sandtablePlayground").Call("hold", account)); err != nil {
		return err
	}
	return p.Session.Control().CreateAccount(c, account)
}

// endpoints returns the origin that a program names, and the address that answers it.
func (p *Page) endpoints() (from, to string) {
	switch {
	case p.course.Signed: // signatures cover the account's name and its path
		return signedOrigin(p.account), signedOrigin(p.account) + "/"
	case p.http && p.signedSend:
		return origin, signedOrigin(p.account) + "/"
	}
	return origin, p.Session.Base() + "table/" + p.account + "/"
}

// start runs code in the sandbox, after a text that adds no line to it.
func (p *Page) start(before, code string) {
	p.console.start(p.editors)
	var deliver app.Func
	deliver = app.FuncOf(func(_ app.Value, args []app.Value) any {
		batch := args[0].String()
		p.ctx.Dispatch(func(app.Context) {
			if p.console.receive(batch) {
				deliver.Release()
				p.ended()
			}
		})
		return nil
	})
	p.console.http = p.http
	from, to := p.endpoints()
	promise := app.Window().Get("sandtablePlayground").Call("run", p.Session.Base()+"web/sandbox/", from, to, before+code, deliver)
	page.Background(p.ctx, func(context.Context) func() {
		run, err := browser.Await(promise)
		return func() {
			if err != nil {
				p.console.running = false
				p.fail(err)
				return
			}
			p.stop = func() { run.Call("stop") }
		}
	})
}

// ended reads what the run has done.
func (p *Page) ended() {
	p.stop = nil
	p.Session.Wrote()
	p.changes = p.changes.Asked()
	p.readResults()
}

func (p *Page) runOrSend() {
	if p.http {
		p.send(false)
	} else {
		p.run()
	}
}

func (p *Page) onRun(app.Context, app.Event) { p.run() }

func (p *Page) onStop(app.Context, app.Event) {
	if p.stop != nil {
		p.stop()
	}
}

// onReset empties the account: it is deleted, and the next run makes another.
func (p *Page) onReset(app.Context, app.Event) {
	p.onStop(p.ctx, app.Event{})
	p.discard()
}

// discard forgets the account with what the last run has done, and deletes it.
func (p *Page) discard() {
	account := p.account
	p.account, p.kept().account, p.console = "", "", console{}
	p.requests, p.tables = remote.Value[[]control.Recorded]{}, remote.Value[[]contents]{}
	p.before, p.changes, p.signed, p.failed = "", remote.Value[control.Differences]{}, nil, nil
	if account == "" {
		return
	}
	page.Background(p.ctx, func(c context.Context) func() {
		err := p.Session.Control().DeleteAccount(c, account)
		if isGone(err) {
			err = nil
		}
		return func() {
			release(account, err == nil)
			if err != nil {
				p.failed = err
			}
			p.Session.Wrote()
		}
	})
}

func (p *Page) onTab(_ app.Context, event app.Event) { p.tab = ui.Data(event, "choice") }

// onKey runs the program with Ctrl+Enter, wherever the focus is.
func (p *Page) onKey(key page.Key) func() {
	if key.Ctrl && key.Name == "Enter" {
		return page.Dispatch(p.ctx, p.runOrSend)
	}
	return nil
}

func (p *Page) commands() []page.Command {
	all := []page.Command{
		{Icon: ui.IconCode, Title: "Run the program", Hint: "Ctrl Enter", Run: page.Dispatch(p.ctx, p.runOrSend)},
		{Icon: ui.IconShare, Title: "Copy a link to this program", Run: page.Dispatch(p.ctx, func() { p.onShare(p.ctx, app.Event{}) })},
		{Icon: ui.IconFile, Title: "Save this program as a file", Run: page.Dispatch(p.ctx, func() { p.onSaveFile(p.ctx, app.Event{}) })},
		{Icon: ui.IconTab, Title: "Open this program in a new tab", Run: page.Dispatch(p.ctx, func() { p.onOpenTab(p.ctx, app.Event{}) })},
	}
	if !p.http {
		all = append(all, page.Command{Icon: ui.IconFile, Title: "Save this program as a Node project", Run: page.Dispatch(p.ctx, func() { p.onSaveProject(p.ctx, app.Event{}) })})
	}
	return all
}
