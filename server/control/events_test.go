package control_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/engine"
	"sandtable/server/control"
	"sandtable/server/message"
	"sandtable/server/nethttp"
)

// receivedEvent is an event's data.
type receivedEvent struct {
	Kind, Account, Table, PartitionKey, RowKey string
	URL, Operation                             string
	Status                                     int
}

func (t receivedEvent) String() string {
	if t.Operation != "" {
		return fmt.Sprint(t.Operation, " ", t.Status)
	}
	text := t.Kind + " " + t.Account
	for _, part := range []string{t.Table, t.PartitionKey, t.RowKey} {
		if part != "" {
			text += "/" + part
		}
	}
	return text
}

// subscribed returns a handler's events as short strings.
func (f *fixture) subscribed() (events chan string, cancel func()) {
	events = make(chan string, 1000)
	cancel = f.handler.Subscribe(func(e control.Event) {
		var data receivedEvent
		if err := json.Unmarshal(e.Data, &data); err != nil || strings.ContainsAny(string(e.Data), "\r\n") {
			f.Errorf("%v in %s", err, e.Data)
		}
		events <- e.Kind + ": " + data.String()
	})
	f.Cleanup(cancel)
	return events, cancel
}

func (f *fixture) wantEvents(events <-chan string, want ...string) {
	f.Helper()
	// A request's event and its change's event may arrive in either order.
	missing := map[string]int{}
	for _, w := range want {
		missing[w]++
	}
	for range want {
		e := <-events // or the test times out
		if missing[e]--; missing[e] < 0 {
			f.Errorf("event %q is not one of %q", e, want)
		}
	}
}

func TestSubscribe(t *testing.T) {
	f := newFixture(t)
	f.createTable("unheard")
	events, cancel := f.subscribed()
	f.createTable("things")
	f.wantEvents(events, "change: tableCreated devstoreaccount1/things", "request: Create Table 204")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.wantEvents(events, "change: inserted devstoreaccount1/things/p/r", "request: Insert Entity 204")
	f.do("PUT", "/things(PartitionKey='p',RowKey='r')", `{"A":1}`).wantStatus(204)
	f.wantEvents(events, "change: updated devstoreaccount1/things/p/r", "request: Insert Or Replace Entity 204")
	f.do("DELETE", "/things(PartitionKey='p',RowKey='r')", "", "If-Match: *").wantStatus(204)
	f.wantEvents(events, "change: deleted devstoreaccount1/things/p/r", "request: Delete Entity 204")
	f.do("GET", "/things()", "").wantStatus(200)
	f.wantEvents(events, "request: Query Entities 200")
	f.do("DELETE", "/Tables('things')", "").wantStatus(204)
	f.wantEvents(events, "change: tableDeleted devstoreaccount1/things", "request: Delete Table 204")
	f.control("POST", "accounts", `{"name":"second2"}`).wantStatus(201)
	f.control("PATCH", "accounts/second2", `{"access":"strict"}`).wantStatus(200)
	f.control("DELETE", "accounts/second2", "").wantStatus(204)
	f.control("PATCH", "settings", `{"permissiveCORS":true}`).wantStatus(200)
	f.wantEvents(events, "change: accountCreated second2", "change: accountChanged second2", "change: accountDeleted second2", "change: settingsChanged ")
	cancel()
	cancel()
	f.do("GET", "/things()", "")
	f.handler.Close()
	if len(events) > 0 {
		t.Errorf("after the end there is %q", <-events)
	}
}

// TestSubscribeInOrder: each subscriber gets each change once, in order.
func TestSubscribeInOrder(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const n = 500
	done := make(chan struct{}, 2)
	for range 2 {
		last, lastID, count := -1, "", 0
		f.Cleanup(f.handler.Subscribe(func(e control.Event) {
			var data receivedEvent
			_ = json.Unmarshal(e.Data, &data)
			if e.Kind == "change" {
				row := 0
				_, _ = fmt.Sscan(data.RowKey, &row)
				if row <= last || e.ID == lastID {
					t.Errorf("row %d after %d", row, last)
				}
				last, lastID = row, e.ID
				if count++; count == n {
					done <- struct{}{}
				}
			}
		}))
	}
	for i := range n {
		f.insert("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%d"}`, i))
	}
	<-done
	<-done
}

// TestSlowSubscriber: a slow subscriber blocks no one, learns that it missed events,
// and continues with the buffered ones.
func TestSlowSubscriber(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	blocked, release := make(chan struct{}), make(chan struct{})
	kinds := make(chan string, 10_000)
	first := true
	f.Cleanup(f.handler.Subscribe(func(e control.Event) {
		if first {
			first = false
			close(blocked)
			<-release
		}
		kinds <- e.Kind
	}))
	f.do("GET", "/things()", "")
	<-blocked
	for range 3000 {
		f.do("GET", "/things()", "")
	}
	close(release)
	if kind := <-kinds; kind != "request" {
		t.Errorf("the first is %s", kind)
	}
	if kind := <-kinds; kind != "lost" {
		t.Errorf("the second is %s", kind)
	}
	for range 2048 {
		if kind := <-kinds; kind != "request" {
			t.Errorf("then there is %s", kind)
		}
	}
}

// TestEventMemory: events retain only what they show, and long URLs evict other
// events.
func TestEventMemory(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	blocked, release := make(chan struct{}), make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(release) }))
	once := sync.OnceFunc(func() { close(blocked) })
	f.Cleanup(f.handler.Subscribe(func(control.Event) {
		once()
		<-release
	}))
	f.do("GET", "/things()", "")
	<-blocked
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for range 600 {
		f.do("GET", "/things()?x="+strings.Repeat("a", 30<<10), "", "x-other: "+strings.Repeat("b", 30<<10))
	}
	if grown := heap() - before; grown > 16<<20 { // 4 MiB each for events and journal
		t.Errorf("600 requests of 60 KiB keep %d MiB", grown>>20)
	}
}

// TestEventsForgotten: after some minutes without a reader events are not buffered,
// and a returning reader learns that it missed some.
func TestEventsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixtureWith(t, func(o *options) { o.EventTime = time.Second })
		ids := make(chan string, 10)
		cancel := f.handler.Subscribe(func(e control.Event) { ids <- e.ID })
		f.createTable("things")
		<-ids
		last := <-ids
		cancel()
		synctest.Wait()
		time.Sleep(time.Minute) // on the test's fake clock
		if r := f.control("GET", "events?after="+last, ""); strings.Contains(r.body, "event: lost") {
			t.Errorf("a reader that returns soon gets %q", r.body)
		}
		time.Sleep(time.Hour)
		if r := f.control("GET", "events?after="+last, ""); !strings.Contains(r.body, "event: lost") {
			t.Errorf("a reader that returns late gets %q", r.body)
		}
		events, _ := f.subscribed()
		f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
		f.wantEvents(events, "change: inserted devstoreaccount1/things/p/r", "request: Insert Entity 204")
		f.handler.Close()
		f.db.Close()
	})
}

// stream is a response with events, read like an EventSource.
type stream struct {
	*testing.T
	response *http.Response
	lines    *bufio.Scanner
}

func (f *fixture) stream(host, lastID string) *stream {
	f.Helper()
	r, err := http.NewRequestWithContext(f.Context(), "GET", host+"/_sandtable/events", nil)
	if err != nil {
		f.Fatal(err)
	}
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" || response.Header.Get("X-Accel-Buffering") != "no" {
		f.Fatalf("status %d, %v", response.StatusCode, response.Header)
	}
	return &stream{f.T, response, bufio.NewScanner(response.Body)}
}

// next returns the next event's fields, or an empty map at the end.
func (s *stream) next() map[string]string {
	fields := map[string]string{}
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch {
		case s.lines.Text() == "" && len(fields) > 0:
			return fields
		case name != "" && name != ":":
			fields[name] = value
		}
	}
	return fields
}

func TestEvents(t *testing.T) {
	f := newFixture(t)
	host := httptest.NewServer(nethttp.Handler(f.handler))
	t.Cleanup(host.Close)
	s := f.stream(host.URL, "")
	begin := s.next()
	if begin["retry"] == "" || begin["id"] == "" || begin["event"] != "start" {
		t.Fatalf("it starts with %v", begin)
	}
	f.createTable("things")
	seen := map[string]bool{}
	last := ""
	for range 2 {
		e := s.next()
		seen[e["event"]] = true
		var data receivedEvent
		if err := json.Unmarshal([]byte(e["data"]), &data); err != nil {
			t.Errorf("%v in %v", err, e)
		}
		last = e["id"]
	}
	if !seen["request"] || !seen["change"] {
		t.Errorf("there were %v", seen)
	}
	s.response.Body.Close()
	// A returning reader misses nothing.
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	s = f.stream(host.URL, last)
	if again := s.next(); again["id"] != last {
		t.Errorf("it resumes at %v, want %s", again, last)
	}
	for range 2 {
		if e := s.next(); !strings.Contains(e["data"], `"inserted"`) && !strings.Contains(e["data"], "Insert Entity") {
			t.Errorf("event %v", e)
		}
	}
	// A reader with an id of another run learns that it missed events.
	for _, id := range []string{"00000000-7", "x", last + "x", last[:len(last)-1] + "999"} {
		s := f.stream(host.URL, id)
		e := s.next()
		if e["event"] == "start" { // an id to resume at comes first if the reader's id is of this run
			e = s.next()
		}
		if e["event"] != "lost" {
			t.Errorf("after %s it gets %v", id, e)
		}
		s.response.Body.Close()
	}
	// Closing the handler ends its responses, and their readers come back later.
	f.handler.Close()
	if e := s.next(); len(e["retry"]) <= len(begin["retry"]) || len(e) > 1 {
		t.Errorf("the last message is %v, want a longer time than %s ms", e, begin["retry"])
	}
	if e := s.next(); len(e) > 0 {
		t.Errorf("an event after the end: %v", e)
	}
}

// TestEventTime: a response ends after the configured time.
func TestEventTime(t *testing.T) {
	f := newFixtureWith(t, func(o *options) { o.EventTime = 20 * time.Millisecond })
	r := f.control("GET", "events", "").wantStatus(200).wantHeader("Content-Type", "text/event-stream")
	if !strings.HasPrefix(r.body, "retry: ") || !strings.HasSuffix(r.body, "-0\ndata: {}\n\n") {
		t.Errorf("the response is %q", r.body)
	}
}

// whole is a writer that sends nothing before the response is complete.
type whole struct {
	header message.Header
	text   []byte
}

func (w *whole) Header() message.Header      { return w.header }
func (w *whole) WriteHeader(int)             {}
func (w *whole) Write(b []byte) (int, error) { w.text = append(w.text, b...); return len(b), nil }

// TestEventsWhole: on a platform that cannot stream, a response ends with its first
// events.
func TestEventsWhole(t *testing.T) {
	f := newFixture(t)
	host := httptest.NewServer(nethttp.Handler(f.handler))
	t.Cleanup(host.Close)
	id := f.stream(host.URL, "").next()["id"] // starts buffering
	f.update(func(tx *engine.Tx) error { return tx.CreateTable(testAccount, "things") })
	r := httptest.NewRequest("GET", "http://localhost/_sandtable/events?after="+id, nil)
	w := &whole{header: message.Header{}}
	f.handler.Serve(w, &message.Request{Method: "GET", URL: r.URL, Host: r.Host, Header: message.Header{}, Context: t.Context()})
	if text := string(w.text); strings.Count(text, "event: change\n") != 1 || !strings.Contains(text, `"table":"things"`) {
		t.Errorf("the response is %q", text)
	}
}
