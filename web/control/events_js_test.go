package control

import (
	"fmt"
	"reflect"
	"slices"
	"syscall/js"
	"testing"
)

// withPage gives a test a document and an EventSource, which Node.js lacks.
func withPage(t *testing.T) (page js.Value) {
	t.Helper()
	page = js.Global().Call("eval", `(() => {
		const document = new EventTarget();
		document.hidden = false;
		const page = {
			document,
			opened: [],
			worker: new EventTarget(),
			hear(type, data) { page.worker.dispatchEvent(Object.assign(new Event(type), { data })); },
			show(visible) { document.hidden = !visible; document.dispatchEvent(new Event("visibilitychange")); },
			send(type, id) {
				const event = new Event(type);
				Object.assign(event, { lastEventId: id, data: "{}" });
				page.source.dispatchEvent(event);
			},
		};
		globalThis.EventSource = class extends EventTarget {
			constructor(url) { super(); this.readyState = 1; page.opened.push(url); page.source = this; setTimeout(() => page.opened.length > 1 && page.again?.()); }
			close() { page.source = undefined; }
		};
		return page;
	})()`)
	for name, value := range map[string]any{"document": page.Get("document"), "navigator": map[string]any{"serviceWorker": page.Get("worker")}, "addEventListener": js.Global().Call("eval", "() => {}"), "removeEventListener": js.Global().Call("eval", "() => {}")} {
		before := js.Global().Get(name)
		js.Global().Set(name, value)
		t.Cleanup(func() { js.Global().Set(name, before) })
	}
	return page
}

// TestWatchOfAHiddenPage: a page that was hidden before the first event cannot
// say where to continue, and gets an event that others were lost.
func TestWatchOfAHiddenPage(t *testing.T) {
	for _, c := range []struct {
		name   string
		before string // sent before the page is hidden
		opened string
		after  string // sent when it is shown again
		want   []string
	}{
		{"before the first event", "", "base/events?joined=true", "start", []string{"lost"}},
		{"connected", "start", "base/events?joined=true&after=x-6", "", []string{"start"}},
		{"after requests that it did not get", "position", "base/events?joined=true&after=x-6", "change", []string{"change"}},
		{"after an event", "change", "base/events?joined=true&after=x-6", "", []string{"change"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := withPage(t)
			delivered := make(chan []string, 1)
			stop := (&Client{Base: "base"}).Watch(func(events []Event) {
				var kinds []string
				for _, e := range events {
					kinds = append(kinds, e.Kind)
				}
				delivered <- kinds
			})
			defer stop()
			if c.before != "" {
				page.Call("send", c.before, "x-6")
			}
			page.Call("show", false)
			page.Call("show", true)
			if c.after != "" {
				page.Call("send", c.after, "x-8")
			}
			if got := <-delivered; !slices.Equal(got, c.want) {
				t.Errorf("delivered %v, want %v", got, c.want)
			}
			if got := page.Get("opened").Index(1).String(); got != c.opened {
				t.Errorf("opened %s, want %s", got, c.opened)
			}
		})
	}
}

// TestWatchDuringAnUpdate: a page sends no requests to a worker that is to be replaced,
// and continues with the next one.
func TestWatchDuringAnUpdate(t *testing.T) {
	page := withPage(t)
	defer (&Client{Base: "base"}).Watch(func([]Event) {})()
	page.Call("send", "start", "x-6")
	page.Call("hear", "message", nil)
	page.Call("hear", "message", map[string]any{"sandtable": 1, "type": "state"})
	if page.Get("source").IsUndefined() {
		t.Error("another message closed the connection")
	}
	page.Call("hear", "message", map[string]any{"sandtable": 1, "type": "taking over"})
	page.Call("show", true)
	if !page.Get("source").IsUndefined() {
		t.Error("the page still listens")
	}
	page.Call("hear", "controllerchange", nil)
	if opened := page.Get("opened"); opened.Length() != 2 || opened.Index(1).String() != "base/events?joined=true&after=x-6" {
		t.Errorf("opened %d times", opened.Length())
	}
}

// TestWatchThatFails: a page that waits for the first start is told each time that it
// cannot come, and later only of what it missed.
func TestWatchThatFails(t *testing.T) {
	page := withPage(t)
	delivered := make(chan string, 9)
	defer (&Client{Base: "base"}).Watch(func(events []Event) {
		for _, e := range events {
			delivered <- e.Kind
		}
	})()
	for _, kind := range []string{"error", "start", "error", "change"} {
		page.Call("send", kind, "x-6")
	}
	for _, want := range []string{"lost", "start", "change"} {
		if got := <-delivered; got != want {
			t.Errorf("delivered %s, want %s", got, want)
		}
	}
}

// TestWatchThatReconnectsElsewhere: a stream that does not begin where the one before it
// ended is opened again from there, and what it has sent by then is not delivered twice.
func TestWatchThatReconnectsElsewhere(t *testing.T) {
	page := withPage(t)
	delivered := make(chan []Event, 9)
	defer (&Client{Base: "base"}).Watch(func(events []Event) { delivered <- events })()
	page.Call("send", "start", "x-6")
	<-delivered
	opened := make(chan struct{})
	again := js.FuncOf(func(js.Value, []js.Value) any { close(opened); return nil })
	defer again.Release()
	page.Set("again", again)
	page.Call("send", "error", nil)
	page.Call("send", "start", "x-8") // x-7 and x-8 came between the streams
	page.Call("send", "change", "x-9")
	<-opened
	if got := page.Get("opened").Index(1).String(); got != "base/events?joined=true&after=x-6" {
		t.Errorf("opened %s", got)
	}
	for i, kind := range []string{"start", "change", "request", "change"} {
		page.Call("send", kind, fmt.Sprint("x-", 6+i))
	}
	if got := <-delivered; len(got) != 3 || got[1].Kind != "request" {
		t.Errorf("delivered %s", got)
	}
}

// TestWatchOfABurst: the first start is delivered at once. Events that come together are
// one delivery, in order, and so are those that come later.
func TestWatchOfABurst(t *testing.T) {
	page := withPage(t)
	delivered := make(chan []Event, 1)
	stop := (&Client{Base: "base"}).Watch(func(events []Event) { delivered <- events })
	defer stop()
	for _, burst := range [][]string{{"start"}, {"change", "request", "position", "change"}, {"position", "start", "lost", "change"}} {
		var want []Event
		for i, kind := range burst {
			id := i
			if kind == "start" && i > 0 {
				id-- // it continues
			}
			page.Call("send", kind, fmt.Sprint("x-", id))
			if kind != "position" && (kind != "start" || len(burst) == 1) {
				want = append(want, Event{kind, []byte("{}")})
			}
		}
		if got := <-delivered; !reflect.DeepEqual(got, want) {
			t.Errorf("delivered %s, want %s", got, want)
		}
	}
}
