package shell

import (
	"slices"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/ui"
)

// notices are the messages over the page, and the question that is open.
type notices struct {
	toasts   []ui.Toast
	acts     map[int]func() // what a toast's button does
	last     int
	question *question
}

func (n *notices) init() { n.acts = map[int]func(){} }

// How long a message stays: long enough to read it, or to undo what it says.
const (
	toastTime = 5 * time.Second
	undoTime  = 12 * time.Second
)

// maxToasts is how many messages are shown at once.
const maxToasts = 3

// toast shows a message for a while, with a button if act is not nil. It returns the
// message's identity.
func (s *Shell) toast(text, button string, act func()) int {
	id := s.notices.show(text, button, act)
	if app.IsClient {
		after := toastTime
		if act != nil {
			after = undoTime
		}
		s.expire(id, after)
	}
	return id
}

// expire drops a message after a while, but not under the pointer or the
// keyboard: then it asks again later.
func (s *Shell) expire(id int, after time.Duration) {
	s.ctx.After(after, func(app.Context) {
		if held := app.Window().Get("document").Call("querySelector", ".toasts:is(:hover, :focus-within)"); held.Truthy() {
			s.expire(id, toastTime)
			return
		}
		s.notices.drop(id)
	})
}

// show shows a message until it is dropped, and returns its identity.
func (n *notices) show(text, button string, act func()) int {
	n.last++
	id := n.last
	// A plain message makes way for a new one; one that can be undone stays.
	others := slices.DeleteFunc(slices.Clone(n.toasts), func(t ui.Toast) bool { return t.Action == "" })
	n.toasts = append(others, ui.Toast{ID: id, Text: text, Action: button})
	if len(n.toasts) > maxToasts {
		n.drop(n.toasts[0].ID)
	}
	if act != nil {
		n.acts[id] = act
	}
	return id
}

func (n *notices) drop(id int) {
	n.toasts = slices.DeleteFunc(slices.Clone(n.toasts), func(t ui.Toast) bool { return t.ID == id })
	delete(n.acts, id)
}

// act does what a toast's button offers.
func (s *Shell) act(id int) {
	act := s.notices.acts[id]
	s.notices.drop(id)
	s.runForPage(act)
}

// runForPage runs what a page left with the shell, and has the page drawn again:
// go-app draws by itself only the component whose handler ran, which is the shell.
func (s *Shell) runForPage(act func()) {
	if act != nil {
		act()
		s.acts++
	}
}

func (s *Shell) onToastAction(_ app.Context, event app.Event) {
	id, _ := strconv.Atoi(ui.Data(event, "toast"))
	s.act(id)
}

func (s *Shell) onToastDismiss(_ app.Context, event app.Event) {
	id, _ := strconv.Atoi(ui.Data(event, "toast"))
	s.notices.drop(id)
}

// question is a dialog, and what follows its answer; each may be nil.
type question struct {
	ui.Question
	confirmed, cancelled func()
}

// ask puts a question.
func (s *Shell) ask(q ui.Question, confirmed, cancelled func()) {
	s.notices.question = &question{q, confirmed, cancelled}
	browser.ShowModal(s.ctx, ui.AskID)
}

func (s *Shell) onConfirm(app.Context, app.Event) { s.answer(true) }

func (s *Shell) onCancel(app.Context, app.Event) { s.answer(false) }

func (s *Shell) answer(yes bool) {
	q := s.notices.question
	s.notices.question = nil
	if q == nil {
		return
	}
	then := q.cancelled
	if yes {
		then = q.confirmed
	}
	s.runForPage(then)
}
