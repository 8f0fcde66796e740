package web

import (
	"slices"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

// How long a message stays: long enough to read it, or to undo what it says.
const (
	toastTime = 5 * time.Second
	undoTime  = 12 * time.Second
)

// maxToasts is how many messages there are at once.
const maxToasts = 3

// toast shows a message for a while, with something to do about it or without.
func (e *explorer) toast(text, action string, act func()) {
	id := e.showToast(text, action, act)
	if app.IsClient {
		after := toastTime
		if act != nil {
			after = undoTime
		}
		e.ctx.After(after, func(app.Context) { e.dropToast(id) })
	}
}

// showToast shows a message until it is dismissed, and returns its identity.
func (e *explorer) showToast(text, action string, act func()) int {
	e.lastToast++
	id := e.lastToast
	// What only tells makes way for what is new; what can be undone stays.
	others := slices.DeleteFunc(slices.Clone(e.toasts), func(t ui.Toast) bool { return t.Action == "" })
	e.toasts = append(others, ui.Toast{ID: id, Text: text, Action: action})
	if len(e.toasts) > maxToasts {
		e.dropToast(e.toasts[0].ID)
	}
	if act != nil {
		e.undo[id] = act
	}
	return id
}

func (e *explorer) dropToast(id int) {
	e.toasts = slices.DeleteFunc(slices.Clone(e.toasts), func(t ui.Toast) bool { return t.ID == id })
	delete(e.undo, id)
}

func (e *explorer) onToastAction(_ app.Context, event app.Event) {
	id, _ := strconv.Atoi(ui.Data(event, "toast"))
	e.actOnToast(id)
}

func (e *explorer) actOnToast(id int) {
	act := e.undo[id]
	e.dropToast(id)
	if act != nil {
		act()
	}
}

func (e *explorer) onToastDismiss(_ app.Context, event app.Event) {
	id, _ := strconv.Atoi(ui.Data(event, "toast"))
	e.dropToast(id)
}

// question is a dialog, and what happens when it is answered with yes.
type question struct {
	ui.Question
	confirmed func()
}

// ask puts a question. The browser keeps the keyboard inside of the dialog.
func (e *explorer) ask(q ui.Question, confirmed func()) {
	e.question = &question{q, confirmed}
	e.ctx.Defer(func(app.Context) {
		if dialog := app.Window().GetElementByID(ui.AskID); dialog.Truthy() && !dialog.Get("open").Truthy() {
			dialog.Call("showModal")
		}
	})
}

func (e *explorer) onConfirm(app.Context, app.Event) { e.answer(true) }

func (e *explorer) onCancel(app.Context, app.Event) { e.answer(false) }

func (e *explorer) answer(yes bool) {
	q := e.question
	e.question = nil
	if yes && q != nil {
		q.confirmed()
	}
}
