package client

import (
	"net/url"
	"syscall/js"
	"time"
)

// eventPause is how long events are collected before they are delivered: a burst
// of writes is one delivery.
const eventPause = 200 * time.Millisecond

// reopenPause is how long a watch waits before it connects again by itself.
const reopenPause = time.Second

func (c *Control) watch(query string, f func([]Event)) (stop func()) {
	w := &watch{address: c.Base + "/events" + query, deliver: f}
	w.visibility = js.FuncOf(func(js.Value, []js.Value) any { w.follow(); return nil })
	js.Global().Get("document").Call("addEventListener", "visibilitychange", w.visibility)
	// Firefox reports a stream that a leaving page breaks off as an error.
	w.leaving = js.FuncOf(func(js.Value, []js.Value) any { w.close(); return nil })
	js.Global().Call("addEventListener", "pagehide", w.leaving)
	w.received = js.FuncOf(func(_ js.Value, args []js.Value) any { w.receive(args[0]); return nil })
	w.failed = js.FuncOf(func(js.Value, []js.Value) any { w.fail(); return nil })
	w.follow()
	w.begun = true
	return w.stop
}

type watch struct {
	address string
	deliver func([]Event)
	source  js.Value // an EventSource, undefined while there is none
	last    string   // identity of the last event; empty before the first
	begun   bool     // watch returned: a connection from now on continues
	waiting []Event
	timer   *time.Timer
	reopen  *time.Timer
	stopped bool

	visibility, leaving, received, failed js.Func
}

// follow connects while the page is visible.
func (w *watch) follow() {
	hidden := js.Global().Get("document").Get("hidden").Bool()
	switch {
	case w.stopped, hidden:
		w.close()
	case w.source.IsUndefined():
		w.open()
	}
}

func (w *watch) open() {
	address := w.address
	switch {
	case w.last != "":
		address += "&after=" + url.QueryEscape(w.last)
	case w.begun: // it is not known what happened since then
		w.collect(Event{Kind: "lost", Data: []byte("{}")})
	}
	w.source = js.Global().Get("EventSource").New(address)
	for _, kind := range []string{"start", "position", "change", "request", "lost"} {
		w.source.Call("addEventListener", kind, w.received)
	}
	w.source.Call("addEventListener", "error", w.failed)
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
// stopped.
func (w *watch) fail() {
	if w.source.IsUndefined() || w.source.Get("readyState").Int() != closed {
		return
	}
	w.close()
	w.reopen = time.AfterFunc(reopenPause, w.follow)
}

func (w *watch) receive(event js.Value) {
	w.last = event.Get("lastEventId").String()
	switch kind := event.Get("type").String(); kind {
	case "start", "position":
	default:
		w.collect(Event{Kind: kind, Data: []byte(event.Get("data").String())})
	}
}

func (w *watch) collect(e Event) {
	w.waiting = append(w.waiting, e)
	if w.timer == nil {
		w.timer = time.AfterFunc(eventPause, func() {
			events := w.waiting
			w.waiting, w.timer = nil, nil
			w.deliver(events)
		})
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
	w.visibility.Release()
	w.leaving.Release()
	w.received.Release()
	w.failed.Release()
}
