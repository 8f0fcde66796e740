package web

import (
	"context"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/draft"
	"sandtable/web/remote"
	"sandtable/web/tableclient"
	"sandtable/web/ui"
)

// explorer is the page as a whole: its state, and what changes it. All of it
// runs on go-app's goroutine except for the work of [explorer.background].
type explorer struct {
	app.Compo

	transport tableclient.Transport
	host      host
	base      string      // the endpoint's address with a slash at its end
	ctx       app.Context // of this component, which stays as long as the page
	navigate  func(Place) // takes the browser to a place
	settled   bool        // a worker was there when the page began

	status   remote.Value[tableclient.Status]
	accounts remote.Value[[]tableclient.Account]
	tables   map[string]remote.Value[[]string] // by account

	place   Place
	sidebar sidebar
	query   query
	results results
	panel   panel
	life    life

	toasts    []ui.Toast
	undo      map[int]func() // what a toast's button does
	lastToast int
	question  *question
	theme     string

	release []func()
}

// OnInit gives a page its surroundings; a test has given its own.
func (e *explorer) OnInit() {
	if e.transport == nil {
		e.transport = tableclient.DefaultTransport()
	}
	if e.host == nil {
		e.host = browserHost{}
	}
	if e.navigate == nil {
		e.navigate = func(p Place) { e.ctx.NavigateTo(p.On(e.ctx.Page().URL())) }
	}
	e.tables = map[string]remote.Value[[]string]{}
	e.undo = map[int]func(){}
	e.results.active = -1
	e.theme = currentTheme()
}

// OnMount starts the page.
func (e *explorer) OnMount(ctx app.Context) {
	e.listen()
	e.settled = e.host.Controlled()
	e.release = append(e.release, e.host.Watch(func(event workerEvent) {
		ctx.Dispatch(func(app.Context) { e.onWorker(event) })
	}))
	e.start(ctx, endpointBase(app.Window().URL()))
}

// OnDismount takes the page's hands off the window.
func (e *explorer) OnDismount() {
	for _, release := range e.release {
		release()
	}
}

// OnNav follows the address: a link, back and forward, or the page's own steps.
func (e *explorer) OnNav(ctx app.Context) {
	e.goTo(PlaceOf(ctx.Page().URL()))
}

// start waits for the engine and then asks for all that the place needs.
func (e *explorer) start(ctx app.Context, base string) {
	e.ctx, e.base = ctx, base
	e.status = e.status.Asked()
	e.background(func(c context.Context) func() {
		status, err := boot(c, e.host, e.control())
		return func() {
			if errors.Is(err, errReloading) {
				return
			}
			e.status = e.status.Answered(status, err)
			if err == nil {
				e.settled = e.host.Controlled()
				e.checkHealth()
				e.loadAccounts()
				e.goTo(e.place)
			}
		}
	})
}

// background does work beside the page and then applies what it returned, in
// the page again, which is drawn anew.
func (e *explorer) background(work func(context.Context) func()) {
	ctx := e.ctx
	ctx.Async(func() {
		apply := work(ctx)
		ctx.Dispatch(func(app.Context) { apply() })
	})
}

func (e *explorer) control() *tableclient.Control {
	return &tableclient.Control{Base: e.base + "_sandtable", Transport: e.transport}
}

func (e *explorer) client(account string) *tableclient.Client {
	return &tableclient.Client{Base: e.base + "table/" + account, Transport: e.transport}
}

// ready reports whether the engine has answered.
func (e *explorer) ready() bool {
	_, ok := e.status.Data()
	return ok
}

// step goes to a place as a link does, so that back comes back here. To the
// place where it is already it goes again.
func (e *explorer) step(p Place) {
	if p == e.place {
		e.goTo(p)
		return
	}
	e.navigate(p)
}

// goTo makes p the place and asks for its entities.
func (e *explorer) goTo(p Place) {
	moved := !p.sameTable(e.place)
	e.place = p
	e.sidebar.open = false
	if moved {
		if !e.panel.changed() { // what was entered stays until it is saved or discarded
			e.panel.closeEntity()
		}
		e.results = results{active: -1, run: e.results.run + 1}
	}
	e.query.show(p)
	if e.ctx.Context != nil {
		e.ctx.Page().SetTitle(titleOf(p))
	}
	if e.ready() && p.Table != "" {
		e.runQuery()
	}
}

// titleOf returns the title of the browser's tab at a place.
func titleOf(p Place) string {
	if p.Table == "" {
		return "Sandtable"
	}
	return p.Table + " · Sandtable"
}

// wellKnownAccount is there from the start, and in every example of the SDKs.
const wellKnownAccount = "devstoreaccount1"

// account is the account that the page is about: the place's, or else the
// well-known one if it is still there.
func (e *explorer) account() string {
	if e.place.Account != "" {
		return e.place.Account
	}
	all, _ := e.accounts.Data()
	account := ""
	for _, a := range all {
		if account == "" || a.Name == wellKnownAccount {
			account = a.Name
		}
	}
	return account
}

// Render draws the page.
func (e *explorer) Render() app.UI {
	class := "app"
	if e.sidebar.open {
		class += " drawer-open"
	}
	body := []app.UI{e.top(), e.side(),
		app.Button().Type("button").Class("scrim").TabIndex(-1).Aria("label", "Close the list of tables").OnClick(e.onDrawer),
		e.work(), ui.Toasts(e.toasts, e.onToastAction, e.onToastDismiss)}
	if e.question != nil {
		body = append(body, ui.Ask(e.question.Question, e.onConfirm, e.onCancel))
	}
	return app.Div().Class(class).Body(body...)
}

func (e *explorer) top() app.UI {
	return app.Header().Class("top").Body(
		ui.IconButton(ui.Square, ui.IconMenu, "Accounts and tables", e.onDrawer).Class("menu-button").Aria("expanded", e.sidebar.open),
		app.Div().Class("brand").Body(ui.Logo(), app.Span().Body(app.Text("Sandtable"))),
		e.crumb(),
		app.Span().Class("grow"),
		e.statusPill(),
		ui.IconButton(ui.Square, themeIcon(e.theme), "Theme: "+e.theme, e.onTheme).DataSet("testid", "theme-toggle"),
		ui.Button(ui.Plain, "Connect", e.onConnect).DataSet("testid", "connect").
			Disabled(!e.ready()).Aria("expanded", e.panel.kind == panelConnect),
	)
}

func (e *explorer) crumb() app.UI {
	body := []app.UI{}
	if e.place.Account != "" {
		body = append(body, app.Span().Class("parent").Body(app.Text(e.place.Account+" /")))
	}
	if e.place.Table != "" {
		body = append(body, app.B().Body(app.Text(e.place.Table)))
	}
	return app.Div().Class("crumb").Body(body...)
}

func (e *explorer) statusPill() app.UI {
	mood, words, details := pillOf(e.status)
	return ui.PillButton(mood, words, details, e.panel.kind == panelStorage, e.onStorage).DataSet("testid", "status-pill").Disabled(!e.ready())
}

// pillOf says in two words how safe the data is.
func pillOf(v remote.Value[tableclient.Status]) (mood ui.Mood, words, details string) {
	status, _ := v.Data()
	details = "Build " + status.Build + ", " + ui.Count(status.Entities, "entity", "entities") + " in " + ui.Count(status.Tables, "table", "tables")
	switch {
	case v.State() == remote.Failed:
		return ui.Bad, "Not answering", v.Err().Error()
	case status.Build == "" && status.Store == "":
		return ui.Wait, "Starting", "Waiting for the engine"
	case len(status.Damage) > 0:
		return ui.Bad, "Stored data is damaged", "Parts of what was stored could not be read"
	case status.Store == "memory":
		return ui.Wait, "In memory only", details
	}
	return ui.Good, "Saved in this browser", details
}

func (e *explorer) work() app.UI {
	main := app.Main().Class("work").ID("work")
	title := app.H1().Class("sr-only").Body(app.Text(titleOf(e.place)))
	switch {
	case e.status.State() == remote.Failed && !e.ready():
		return main.Body(title, app.Div().Class("boot").Body(e.drawBootError(e.status.Err())))
	case !e.ready():
		return main.Body(title, app.Div().Class("boot").Body(ui.Progress(), app.P().Role("status").Body(app.Text("Starting the engine…"))))
	case e.place.Table == "":
		return main.Body(title, ui.Banners(e.banners()), app.Div().Class("split").Body(app.Div().Class("results").Body(e.welcome()), e.drawPanel()))
	}
	return main.Body(ui.Banners(e.banners()), e.head(), e.drawQuery(), e.drawExplain(),
		app.Div().Class("split").Body(e.drawResults(), e.drawPanel()), e.drawStatus())
}

func (e *explorer) onRestart(app.Context, app.Event) { e.start(e.ctx, e.base) }

func (e *explorer) onDrawer(app.Context, app.Event) { e.sidebar.open = !e.sidebar.open }

// listen takes the keys that work everywhere, looks after the engine when
// somebody comes back to the page, and keeps them from leaving what they entered.
func (e *explorer) listen() {
	e.listenTo(app.Window(), "keydown", e.onKey)
	e.listenTo(app.Window(), "focus", func(app.Value) {
		e.refreshStatus()
		e.checkHealth()
	})
	e.listenTo(app.Window(), "beforeunload", func(event app.Value) {
		if e.panel.changed() {
			event.Call("preventDefault")
		}
	})
}

func (e *explorer) listenTo(target app.Value, name string, h func(app.Value)) {
	f := app.FuncOf(func(_ app.Value, args []app.Value) any {
		h(args[0])
		return nil
	})
	target.Call("addEventListener", name, f)
	e.release = append(e.release, func() {
		target.Call("removeEventListener", name, f)
		f.Release()
	})
}

// onKey runs the query on F5, which would otherwise reload the page, and on
// Ctrl+Enter where no form takes it; Escape closes what is open.
func (e *explorer) onKey(event app.Value) {
	key := event.Get("key").String()
	control := event.Get("ctrlKey").Truthy() || event.Get("metaKey").Truthy()
	inPanel := event.Get("target").Get("closest").Truthy() && event.Get("target").Call("closest", ".panel").Truthy()
	switch {
	case e.question != nil || e.ctx.Context == nil:
	case (key == "F5" && !control && !event.Get("shiftKey").Truthy()) && e.place.Table != "",
		key == "Enter" && control && e.place.Table != "" && !inPanel:
		event.Call("preventDefault")
		e.ctx.Dispatch(func(app.Context) { e.submitQuery() })
	case key == "Enter" && control && inPanel && e.panel.kind == panelEntity:
		event.Call("preventDefault")
		e.ctx.Dispatch(func(app.Context) { e.save() })
	case key == "Escape":
		e.ctx.Dispatch(func(app.Context) { e.escape() })
	}
}

func (e *explorer) escape() {
	switch {
	case e.sidebar.open:
		e.sidebar.open = false
	case e.sidebar.form != nil:
		e.sidebar.form = nil
	case e.panel.kind != panelNone:
		e.closePanel()
	}
}

// refreshStatus asks again for the state of the whole; what is shown stays
// until the answer is there.
func (e *explorer) refreshStatus() {
	if !e.ready() {
		return
	}
	e.background(func(c context.Context) func() {
		status, err := e.control().Status(c)
		return func() { e.status = e.status.Answered(status, err) }
	})
}

// focus moves the keyboard to an element once it is drawn.
func (e *explorer) focus(id string) {
	e.ctx.Defer(func(app.Context) {
		if element := app.Window().GetElementByID(id); element.Truthy() {
			// The grid is longer than what is in sight; focus alone would scroll it.
			element.Call("focus", map[string]any{"preventScroll": id == ui.GridID})
		}
	})
}

// errorNote draws any error: the service's with its code, others in words.
func errorNote(err error, actions ...app.UI) app.HTMLDiv {
	var refusal *tableclient.ServiceError
	switch {
	case errors.As(err, &refusal):
		return ui.Error(refusal.Code, refusal.Message, actions...)
	case errors.Is(err, tableclient.ErrNoAnswer):
		return ui.Error("", "The engine does not answer.", actions...)
	}
	return ui.Error("", ui.Sentence(err.Error()), actions...)
}

// problemOf returns a field's problem, for draft.Problems that may be nil.
func problemOf(p draft.Problems, field int) string { return p[field] }
