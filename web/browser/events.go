package browser

import (
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Listen has f called with each event of a target until release is called. f
// runs inside the browser's event and must not wait.
func Listen(target app.Value, name string, f func(event app.Value)) (release func()) {
	h := app.FuncOf(func(_ app.Value, args []app.Value) any {
		f(args[0])
		return nil
	})
	target.Call("addEventListener", name, h)
	return func() {
		target.Call("removeEventListener", name, h)
		h.Release()
	}
}

// AskToStay has the browser ask before the tab is closed or loaded again, until release
// is called.
func AskToStay() (release func()) {
	if !app.IsClient {
		return func() {}
	}
	return Listen(app.Window(), "beforeunload", func(event app.Value) { event.Call("preventDefault") })
}

// Await waits for a promise. It must not be called inside an event.
func Await(promise app.Value) (app.Value, error) {
	settled := make(chan app.Value, 1)
	failed := make(chan error, 1)
	then := app.FuncOf(func(_ app.Value, args []app.Value) any {
		settled <- args[0]
		return nil
	})
	defer then.Release()
	catch := app.FuncOf(func(_ app.Value, args []app.Value) any {
		failed <- errors.New(Text(args[0], "message"))
		return nil
	})
	defer catch.Release()
	promise.Call("then", then, catch)
	select {
	case v := <-settled:
		return v, nil
	case err := <-failed:
		return nil, err
	}
}

// Yield lets the browser draw and handle the events that are due. A Go timer does not
// always: it ends within the same turn if other goroutines run meanwhile, as those of a
// garbage collection. It must not be called inside an event.
func Yield() {
	if !app.IsClient {
		return
	}
	turn := make(chan struct{})
	next := app.FuncOf(func(app.Value, []app.Value) any {
		close(turn)
		return nil
	})
	defer next.Release()
	app.Window().Call("setTimeout", next, 0)
	<-turn
}

// Text returns a property that is a string, or "".
func Text(v app.Value, name string) string {
	if t := v.Get(name); t.Truthy() {
		return t.String()
	}
	return ""
}

// Focus moves the keyboard to an element once it is drawn.
func Focus(ctx app.Context, id string) { focus(ctx, id, false) }

// FocusInPlace is Focus without scrolling, for elements longer than the screen.
func FocusInPlace(ctx app.Context, id string) { focus(ctx, id, true) }

// ShowModal opens a dialog once it is drawn. The browser keeps the keyboard inside.
func ShowModal(ctx app.Context, id string) {
	ctx.Defer(func(app.Context) {
		if dialog := app.Window().GetElementByID(id); dialog.Truthy() && !dialog.Get("open").Truthy() {
			dialog.Call("showModal")
		}
	})
}

func focus(ctx app.Context, id string, inPlace bool) {
	ctx.Defer(func(app.Context) {
		if element := app.Window().GetElementByID(id); element.Truthy() {
			element.Call("focus", map[string]any{"preventScroll": inPlace})
		}
	})
}
