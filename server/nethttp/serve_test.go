package nethttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandtable/server/message"
	"sandtable/server/nethttp"
)

type handlerFunc func(message.ResponseWriter, *message.Request)

func (f handlerFunc) Serve(w message.ResponseWriter, r *message.Request) { f(w, r) }

// serve starts a server for a handler until the test ends.
func serve(t *testing.T, h handlerFunc) (address string) {
	t.Helper()
	server := httptest.NewServer(nethttp.Handler(h))
	t.Cleanup(server.Close)
	return server.URL
}

// TestNoContentType: net/http does not add a type that the handler leaves out.
func TestNoContentType(t *testing.T) {
	address := serve(t, func(w message.ResponseWriter, r *message.Request) {
		w.WriteHeader(message.StatusBadRequest)
		fmt.Fprint(w, "<?xml ?>")
	})
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got, ok := answer.Header["Content-Type"]; ok {
		t.Errorf("Content-Type: %q, want none", got)
	}
}

func TestServe(t *testing.T) {
	address := serve(t, func(w message.ResponseWriter, r *message.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("x-seen", fmt.Sprint(r.Method, " ", r.URL, " ", r.ContentLength, " ", r.TLS, " ", r.Header.Get("X-MS-Version")))
		w.Header()["x-ms-request-id"] = []string{"as it is written"}
		w.Header().Set("x-client", r.RemoteAddr)
		w.Header().Set("x-host", r.Host)
		w.WriteHeader(message.StatusAccepted)
		if _, err := w.Write(body); err != nil {
			t.Error(err)
		}
	})
	r, err := http.NewRequest("MERGE", address+"/T(PartitionKey='a%2Fb')?$top=1", strings.NewReader("a body"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-ms-version", "2019-02-02")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "a body" || answer.StatusCode != 202 {
		t.Errorf("got %d %q, %v", answer.StatusCode, body, err)
	}
	if got, want := answer.Header.Get("x-seen"), "MERGE /T(PartitionKey='a%2Fb')?$top=1 6 false 2019-02-02"; got != want {
		t.Errorf("the handler saw %q, want %q", got, want)
	}
	if got := answer.Header.Get("x-ms-request-id"); got != "as it is written" {
		t.Errorf("x-ms-request-id: %q", got)
	}
	if got := "http://" + answer.Header.Get("x-host"); got != address {
		t.Errorf("host %q of %q", got, address)
	}
	if got := answer.Header.Get("x-client"); !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("client %q", got)
	}
}

// TestServeWithoutHost: answers repeat the host, so a request that names none, as HTTP/1.0
// allows, has the address that it was sent to.
func TestServeWithoutHost(t *testing.T) {
	address := strings.TrimPrefix(serve(t, func(w message.ResponseWriter, r *message.Request) { fmt.Fprint(w, r.Host) }), "http://")
	for request, want := range map[string]string{
		"GET / HTTP/1.0\r\n\r\n":                      address,
		"GET / HTTP/1.1\r\nHost:\r\n\r\n":             address,
		"GET / HTTP/1.0\r\nHost: example.org\r\n\r\n": "example.org",
		"GET http://example.org/ HTTP/1.0\r\n\r\n":    "example.org",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, request)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(answer.Body); err != nil || string(got) != want {
			t.Errorf("%q: host %q, want %q; %v", request, got, want, err)
		}
	}
}

// TestServeFlushes: flushed data arrive while the handler still runs, and its context
// ends when the client disconnects.
func TestServeFlushes(t *testing.T) {
	ended := make(chan error)
	address := serve(t, func(w message.ResponseWriter, r *message.Request) {
		fmt.Fprint(w, "first")
		w.(message.Flusher).Flush()
		<-r.Context.Done()
		ended <- r.Context.Err()
	})
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 5)
	if _, err := io.ReadFull(answer.Body, first); err != nil || string(first) != "first" {
		t.Errorf("read %q, %v", first, err)
	}
	answer.Body.Close()
	if err := <-ended; err != context.Canceled {
		t.Errorf("the context ended with %v", err)
	}
}

// TestServeBreaksOff: a client can tell an aborted response from a complete one.
func TestServeBreaksOff(t *testing.T) {
	address := serve(t, func(w message.ResponseWriter, r *message.Request) {
		fmt.Fprint(w, "half of")
		w.(message.Flusher).Flush()
		panic(message.ErrAbort)
	})
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err == nil || string(body) != "half of" {
		t.Errorf("read %q, %v", body, err)
	}
}

func TestServePanicsAsItsHandler(t *testing.T) {
	defer func() {
		if got := recover(); got != "tree lost" {
			t.Errorf("panicked with %v", got)
		}
	}()
	nethttp.Serve(handlerFunc(func(message.ResponseWriter, *message.Request) { panic("tree lost") }),
		httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// bare is an http.ResponseWriter that cannot flush.
type bare struct{ http.ResponseWriter }

func TestServeKnowsWhoCannotFlush(t *testing.T) {
	called := false
	h := handlerFunc(func(w message.ResponseWriter, r *message.Request) {
		_, flushes := w.(message.Flusher)
		called = true
		if flushes {
			t.Error("the writer claims to flush")
		}
	})
	nethttp.Serve(h, bare{httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil))
	if !called {
		t.Error("the handler was not called")
	}
}

func TestServeTakesOneAllocation(t *testing.T) {
	h := handlerFunc(func(message.ResponseWriter, *message.Request) {})
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(100, func() { nethttp.Serve(h, w, r) }); n > 1 {
		t.Errorf("%v allocations a request", n)
	}
}

func TestServeTellsMissingLength(t *testing.T) {
	address := serve(t, func(w message.ResponseWriter, r *message.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "missing: ", r.LengthMissing)
	})
	for _, c := range []struct{ name, header, body, want string }{
		{"neither", "", "", "missing: true"},
		{"no bytes", "Content-Length: 0\r\n", "", "missing: false"},
		{"one byte", "Content-Length: 1\r\n", "x", "missing: false"},
		{"chunks", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "missing: false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n", c.header, "\r\n", c.body)
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(answer), c.want) {
				t.Errorf("got %q, %v, want %s", answer, err, c.want)
			}
		})
	}
}
