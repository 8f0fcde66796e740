package control

import (
	"encoding/json"
	"net/url"
	"slices"
	"syscall/js"
	"time"
)

// eventPause is how long events are collected before they are delivered: a burst
// of writes is one delivery.
const eventPause = 200 * time.Millisecond

// reopenPause is how long a watch waits before it connects again by itself.
const reopenPause = time.Second

func (c *Client) watch(query string, f func([]Event)) (stop func()) {
	w := &watch{address: c.Base + "/events" + query, deliver: f, arrived: js.Global().Get("Array").New()}
	w.push = w.arrived.Get("push").Call("bind", w.arrived)
	w.visibility = js.FuncOf(func(js.Value, []js.Value) any { w.follow(); return nil })
	js.Global().Get("document").Call("addEventListener", "visibilitychange", w.visibility)
	// Firefox reports a stream that a leaving page breaks off as an error.
	w.leaving = js.FuncOf(func(js.Value, []js.Value) any { w.close(); return nil })
	js.Global().Call("addEventListener", "pagehide", w.leaving)
	if w.worker = js.Global().Get("navigator").Get("serviceWorker"); w.worker.Truthy() {
		w.heard = js.FuncOf(func(_ js.Value, args []js.Value) any { w.hear(args[0]); return nil })
		w.worker.Call("addEventListener", "message", w.heard)
		w.worker.Call("addEventListener", "controllerchange", w.heard)
	}
	w.notified = js.FuncOf(func(js.Value, []js.Value) any { w.deliverSoon(); return nil })
	w.failed = js.FuncOf(func(js.Value, []js.Value) any { w.fail(); return nil })
	w.follow()
	w.begun = true
	return w.stop
}

// watch lets the browser collect the events: a call of Go for each would cost more
// than all the rest.
type watch struct {
	address string
	deliver func([]Event)
	source  js.Value // an EventSource, undefined while there is none
	arrived js.Value // an array of events
	push    js.Value // its method
	last    string   // identity of the last event taken; empty before the first
	begun   bool     // watch returned: a connection from now on continues
	started bool     // the first start was taken
	late    bool     // events may have been missed before that start, as while the page was hidden
	waiting []Event
	timer   *time.Timer
	reopen  *time.Timer
	stopped bool
	paused  bool     // while another worker takes over
	worker  js.Value // the page's ServiceWorkerContainer, falsy in a page that cannot have one

	visibility, leaving, heard, notified, failed js.Func
}

// The types of events: those in news are delivered, and the first start; the others
// say where to continue.
var news, positions = []string{"change", "request", "lost"}, []string{"start", "position"}

// hear closes the connection while another worker takes over: Chromium puts that off as
// long as requests go to the present one.
func (w *watch) hear(event js.Value) {
	switch {
	case event.Get("type").String() == "controllerchange":
		w.paused = false
	case event.Get("data").Truthy() && event.Get("data").Get("sandtable").Truthy() && event.Get("data").Get("type").Equal(js.ValueOf("taking over")):
		w.paused = true
	default:
		return
	}
	w.follow()
}

// follow connects while the page is visible.
func (w *watch) follow() {
	hidden := js.Global().Get("document").Get("hidden").Bool()
	switch {
	case w.stopped, hidden, w.paused:
		w.close()
	case w.source.IsUndefined():
		w.open()
	}
}

func (w *watch) open() {
	w.take()
	address := w.address
	switch {
	case w.last != "":
		address += "&after=" + url.QueryEscape(w.last)
	case w.begun:
		w.late = true // it is not known what happened since then
	}
	w.source = js.Global().Get("EventSource").New(address)
	for _, kind := range slices.Concat(news, positions) {
		w.source.Call("addEventListener", kind, w.push)
	}
	w.source.Call("addEventListener", "error", w.failed)
	w.notifyOnce()
}

// notifyOnce makes the next event start a delivery.
func (w *watch) notifyOnce() {
	if w.source.IsUndefined() {
		return
	}
	for _, kind := range append([]string{"start"}, news...) {
		w.source.Call("addEventListener", kind, w.notified, map[string]any{"once": true})
	}
}

func (w *watch) close() {
	if !w.source.IsUndefined() {
		w.source.Call("close")
		w.source = js.Undefined()
	}
}

// closed is the readyState of an EventSource that does not connect again.
const closed = 2

// fail connects again where the browser has given up, as when the worker was
// stopped. A page that waits for the first start is told, so that it can show why.
func (w *watch) fail() {
	if w.source.IsUndefined() {
		return
	}
	if !w.started {
		w.deliver([]Event{{Kind: "lost", Data: []byte("{}")}})
	}
	if w.source.Get("readyState").Int() != closed {
		return
	}
	w.close()
	w.reopen = time.AfterFunc(reopenPause, w.follow)
}

// take takes the events that have arrived. It reports whether some are missing: the stream
// has reconnected and begins later than it had ended, as Chromium sends no Last-Event-ID to
// a service worker. What arrived after that is dropped: the next stream sends it again.
func (w *watch) take() (missing bool) {
	events := w.arrived.Call("splice", 0)
	var all []struct{ Type, LastEventID, Data string }
	text := js.Global().Get("JSON").Call("stringify", events, []any{"type", "lastEventId", "data"}).String()
	if json.Unmarshal([]byte(text), &all) != nil {
		return false // what the browser wrote can be read
	}
	for _, e := range all {
		if e.Type == "start" && w.started && e.LastEventID != w.last {
			return true
		}
		w.last = e.LastEventID
		first := e.Type == "start" && !w.started
		w.started = w.started || first
		if first && w.late {
			e.Type = "lost"
		}
		if first || slices.Contains(news, e.Type) {
			w.waiting = append(w.waiting, Event{Kind: e.Type, Data: []byte(e.Data)})
		}
	}
	return false
}

// deliverSoon delivers the first start at once: a page reads what it shows after that.
func (w *watch) deliverSoon() {
	switch {
	case !w.started:
		w.deliverAll()
	case w.timer == nil:
		w.timer = time.AfterFunc(eventPause, w.deliverAll)
	}
}

func (w *watch) deliverAll() {
	missing := w.take()
	events := w.waiting
	w.waiting, w.timer = nil, nil
	if missing {
		w.close()
		w.follow()
	}
	w.notifyOnce()
	if len(events) > 0 {
		w.deliver(events)
	}
}

func (w *watch) stop() {
	w.stopped = true
	w.close()
	for _, timer := range []*time.Timer{w.timer, w.reopen} {
		if timer != nil {
			timer.Stop()
		}
	}
	js.Global().Get("document").Call("removeEventListener", "visibilitychange", w.visibility)
	js.Global().Call("removeEventListener", "pagehide", w.leaving)
	if w.worker.Truthy() {
		w.worker.Call("removeEventListener", "message", w.heard)
		w.worker.Call("removeEventListener", "controllerchange", w.heard)
		w.heard.Release()
	}
	w.visibility.Release()
	w.leaving.Release()
	w.notified.Release()
	w.failed.Release()
}
