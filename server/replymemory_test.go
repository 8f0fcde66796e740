package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"sandtable/server"
	"sandtable/server/message"
	"sandtable/server/nethttp"
	"sandtable/server/servertest"
)

// slowReader is the response to a client that reads nothing until release.
type slowReader struct {
	header  message.Header
	writing chan<- struct{}
	release <-chan struct{}
}

func (w *slowReader) Header() message.Header { return w.header }

func (w *slowReader) WriteHeader(int) {}

func (w *slowReader) Write(b []byte) (int, error) {
	close(w.writing)
	<-w.release
	return len(b), nil
}

// readSlowly sends a request of a client that reads nothing of its response until
// release is called.
func (f *fixture) readSlowly(target string) (release func()) {
	handler := f.handler
	writing, read, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		nethttp.Serve(handlerFunc(func(_ message.ResponseWriter, in *message.Request) {
			handler.Serve(&slowReader{message.Header{}, writing, read}, in)
		}), httptest.NewRecorder(), servertest.NewRequest("GET", target, ""))
	}()
	<-writing
	return func() { close(read); <-done }
}

// TestReplyMemoryIsBounded: while clients that do not read their responses take the memory
// for them, pages end early and only what is small by itself is sent.
func TestReplyMemoryIsBounded(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.ReplyMemory = 1 << 20 })
	f.createTable("things")
	// Of 60 KB as the service counts, and 180 KB in JSON.
	large := func(name string) string { return `"` + name + `":"` + strings.Repeat(`\u0001`, 30_000) + `"` }
	for i := range 10 {
		f.insert("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%02d",%s}`, i, large("a")))
	}
	f.insert("things", `{"PartitionKey":"q","RowKey":"r",`+large("a")+","+large("b")+`}`)
	const all, largest = "/things()?$filter=PartitionKey%20eq%20'p'", "/things(PartitionKey='q',RowKey='r')"
	rows := func() int { return strings.Count(f.do("GET", all, "").wantStatus(200).body, "RowKey") }

	for range 2 {
		release := f.readSlowly(all)
		if n := rows(); n != 1 {
			t.Errorf("a page has %d rows, want 1", n)
		}
		if next := f.do("GET", all, "").header.Get("x-ms-continuation-NextRowKey"); next == "" {
			t.Error("the page has no continuation")
		}
		f.do("GET", largest, "").wantError(503, "ServerBusy", "The server is busy.")
		f.batchQuery(largest).wantStatus(503) // which SDKs retry, and no part of a batch
		f.do("GET", "/things(PartitionKey='p',RowKey='00')", "").wantStatus(200)
		f.insert("things", `{"PartitionKey":"w","RowKey":"r","a":1}`)
		release()
		if n := rows(); n < 3 {
			t.Errorf("later a page has %d rows, want more", n)
		}
		f.do("GET", largest, "").wantStatus(200)
		f.do("DELETE", "/things(PartitionKey='w',RowKey='r')", "", "If-Match: *").wantStatus(204)
	}
}
