package page

import (
	"context"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Session is what the shell offers to its pages. All methods are called on
// go-app's goroutine, and all functions given to it are called there.
type Session interface {
	// Base returns the endpoint's address with a slash at its end.
	Base() string
	// Client returns a client for the tables of an account.
	Client(account string) *client.Client
	// Connected returns how an account of another endpoint is reached. It reports
	// false for accounts of this one, which the control API knows.
	Connected(account string) (client.Remote, bool)
	// Connections returns all accounts of other endpoints that are connected.
	Connections() []client.Remote
	// Connect adds an account of another endpoint, or replaces it, and goes there.
	// Its key is kept after the page only if the user wants it remembered.
	Connect(r client.Remote, remember bool)
	// Control returns a client for the endpoint's control API.
	Control() *control.Client
	// Status returns the endpoint's status as last read.
	Status() remote.Value[control.Status]
	// Catalog returns the accounts and tables as last read.
	Catalog() Catalog

	// Navigate goes to a route as a link does: back returns from there.
	Navigate(Route)
	// Replace changes the address without a step in the history, for state that
	// a link should carry.
	Replace(Route)

	// Notify shows a message for a few seconds.
	Notify(text string)
	// Offer shows a message with a button, such as "Undo", for a while, or until withdraw
	// is called.
	Offer(text, button string, act func()) (withdraw func())
	// Ask puts a question, and calls confirmed if the answer is yes.
	Ask(q ui.Question, confirmed func())

	// Wrote is called after a page has changed something: the shell reads its
	// counts again, and asks the browser once to keep the data.
	Wrote()
	// WroteTo is Wrote for an account that may be another than that of the page which
	// is shown by now.
	WroteTo(account string)
	// Checked is called after a check of the store, with the number of problems that it
	// found: the shell says that there are some until the next check or reset.
	Checked(problems int)
	// Watch calls f for each change of the store until release is called:
	// a few per second at most, with all changes since the last call.
	Watch(f func([]control.Change)) (release func())

	// Background runs work on a goroutine of its own and then, on go-app's, the
	// function it returned. A page uses [Background] instead, which drops the
	// result when the page is gone.
	Background(work func(context.Context) func())

	// Guard registers a function that reports whether leaving the page would
	// lose what the user entered.
	Guard(unsaved func() bool) (release func())
	// Leave calls then, after a question if something would be lost.
	Leave(then func())
	// Keys has key presses offered to f, before those who registered earlier. f
	// runs inside the browser's event: it must not change state, and returns
	// what to do, or nil for keys that it does not handle.
	Keys(f func(Key) (act func())) (release func())
	// Commands adds commands of the page to the command palette.
	Commands(f func() []Command) (release func())

	// Dropped returns the files that the user has dropped on the window, once. The
	// shell then opens the page "import"; Revision changes if it is open already.
	Dropped() []browser.File

	// Select hands rows to the page that is opened next.
	Select(Selection)
	// Selected returns the rows that the page before has handed over, once.
	Selected() Selection

	// NewTable opens the form for a new table in an account.
	NewTable(account string)

	// Head draws the tabs of the present scope, and the page's own actions at
	// the end of their line. Pages of tables and accounts begin with it.
	Head(actions ...app.UI) app.UI
}

// Selection is rows of a table that a user has selected.
type Selection struct {
	Account, Table string
	Entities       []client.Entity // in the order in which they are shown
	Partial        bool            // only some properties were read, and no Timestamp
	Missing        int             // rows that were selected and are no longer in memory
}

// Key is a key press.
type Key struct {
	Name             string // as the browser's KeyboardEvent.key has it
	Ctrl, Shift, Alt bool   // Ctrl is also the Command key of a Mac
	// Within reports whether the element with the focus is inside one that
	// matches a CSS selector.
	Within func(selector string) bool
}

// Command is an entry of the command palette.
type Command struct {
	Icon  ui.IconName
	Title string
	Hint  string // a key, a count, a time
	Run   func()
}

// Background runs work on a goroutine of its own and then, on go-app's, the
// function it returned, if the component is still there. The channel is closed when that
// function is queued: whatever is dispatched from then on runs after it.
func Background(ctx app.Context, work func(context.Context) func()) (ended <-chan struct{}) {
	done := make(chan struct{})
	ctx.Async(func() {
		apply := work(ctx)
		ctx.Dispatch(func(app.Context) { apply() })
		close(done)
	})
	return done
}

// Load asks for a value in the background, and takes the answer if the component is
// still there and has not asked for the value again. After that it calls then.
func Load[T any](ctx app.Context, v *remote.Value[T], ask func(context.Context) (T, error), then ...func()) {
	*v = v.Asked()
	asked := *v
	Background(ctx, func(c context.Context) func() {
		data, err := ask(c)
		return func() {
			if v.Late(asked) {
				return
			}
			*v = v.Answered(data, err)
			for _, f := range then {
				f()
			}
		}
	})
}

// drawEvery is how often a component is drawn that shows the progress of something.
const drawEvery = 200 * time.Millisecond

// Follow draws a component again and again while running reports true.
func Follow(ctx app.Context, running func() bool) {
	if running() {
		ctx.After(drawEvery, func(app.Context) { Follow(ctx, running) })
	}
}

// Release undoes what a component has registered: it is dismounted.
func Release(registered []func()) {
	for _, release := range registered {
		release()
	}
}
