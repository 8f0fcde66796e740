package storage

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// task is a check or a compaction, of which one at a time is in progress.
type task[Progress, Result any] struct {
	result remote.Value[Result] // of the last one that was not stopped
	began  time.Time            // of the one in progress, or that one
	took   time.Duration
	stop   context.CancelFunc       // nil if none is in progress
	now    atomic.Pointer[Progress] // nil before the first report
}

type (
	check      = task[control.Verified, control.Verified]
	compaction = task[control.Size, control.Compacted]
)

// toggle starts the task, or stops the one in progress. It calls done at the end, which
// the page may not live to see.
func (t *task[Progress, Result]) toggle(session page.Session, work func(context.Context, func(Progress)) (Result, error), done func(stopped bool)) {
	if t.stop != nil {
		t.stop()
		return
	}
	c, stop := context.WithCancel(context.Background())
	before, began := t.result, t.began
	t.result, t.stop, t.began = t.result.Asked(), stop, time.Now()
	t.now.Store(nil)
	session.Background(func(context.Context) func() {
		result, err := work(c, func(now Progress) { t.now.Store(&now) })
		return func() {
			stop()
			t.stop = nil
			stopped := errors.Is(err, context.Canceled)
			if stopped {
				t.result, t.began = before, began
			} else {
				t.result, t.took = t.result.Answered(result, err), time.Since(t.began)
			}
			done(stopped)
		}
	})
}

// draw draws the task below a heading with its button, which stays the same element
// while its label changes and so keeps the focus, also while it is off.
func (t *task[Progress, Result]) draw(title, label, name string, off bool, toggle app.EventHandler, progress, result func() []app.UI) app.UI {
	body := result
	switch {
	case t.stop != nil:
		label, body = "Stop", progress
	case t.result.State() == remote.Failed:
		body = func() []app.UI { return []app.UI{ui.Failure(t.result.Err())} }
	}
	button := ui.Button(ui.Plain, label, toggle).DataSet("testid", name)
	if off {
		button = button.Aria("disabled", true)
	}
	head := ui.Div("row task-head", app.H2().Class("grow").Text(title), button)
	return ui.Div("block", append([]app.UI{head}, body()...)...)
}

// drawProgress draws how far a task is.
func drawProgress(name, words string) app.UI {
	return app.P().Role("status").DataSet("testid", name+"-progress").Text(words)
}
