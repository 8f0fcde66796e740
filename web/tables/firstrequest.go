package tables

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
)

// firstRequest waits for the first request that a program sends to the account, and
// shows it. It is a component so that requests are listened to only while it is there.
type firstRequest struct {
	app.Compo
	page.Props
	Busy bool // the page sends requests itself

	heard   *control.Recorded
	release func()
}

// OnMount begins to listen.
func (f *firstRequest) OnMount(ctx app.Context) { f.start(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (f *firstRequest) OnPreRender(ctx app.Context) { f.start(ctx) }

func (f *firstRequest) start(ctx app.Context) {
	f.release = f.Session.Control().Watch(func(events []control.Event) { ctx.Dispatch(func(app.Context) { f.hear(control.RequestsOf(events)) }) })
}

// OnDismount stops listening.
func (f *firstRequest) OnDismount() { f.release() }

// hear takes the first request to the account.
func (f *firstRequest) hear(requests []control.Recorded) {
	if f.heard != nil || f.Busy {
		return
	}
	if i := slices.IndexFunc(requests, func(r control.Recorded) bool { return r.Account == f.Route.Account }); i >= 0 {
		f.heard = &requests[i]
	}
}

// Render draws what is waited for, or what has come.
func (f *firstRequest) Render() app.UI {
	body := []app.UI{app.Text("Waiting for the first request…")}
	class := "pill wait"
	if r := f.heard; r != nil {
		class = "pill good"
		if r.Failed() {
			class = "pill bad"
		}
		body = []app.UI{app.A().Href(page.RequestRoute(r.ID).Href()).DataSet("testid", "first-request").Text(words(*r))}
	}
	return app.P().Class("heard").Role("status").DataSet("testid", "heard").Body(app.Span().Class(class).Body(body...))
}

func words(r control.Recorded) string {
	return cmp.Or(r.Operation, r.Method) + ", " + strconv.Itoa(r.Status)
}
