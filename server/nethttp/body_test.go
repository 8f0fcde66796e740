package nethttp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/server/message"
	"sandtable/server/nethttp"
)

// tooLarge responds with 413 without reading the body, as the service does.
var tooLarge = handlerFunc(func(w message.ResponseWriter, r *message.Request) {
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	fmt.Fprint(w, "too large")
})

// bothSchemes runs a test over HTTP and over TLS.
func bothSchemes(t *testing.T, h handlerFunc, test func(t *testing.T, server *httptest.Server)) {
	for scheme, start := range map[string]func(http.Handler) *httptest.Server{"http": httptest.NewServer, "https": httptest.NewTLSServer} {
		t.Run(scheme, func(t *testing.T) {
			server := start(nethttp.Handler(h))
			t.Cleanup(server.Close)
			test(t, server)
		})
	}
}

// TestLargeBodyGetsItsResponse: a client that sends the whole body first sees
// the response, not a reset (issue 16 §1.14).
func TestLargeBodyGetsItsResponse(t *testing.T) {
	for _, size := range []int{300 << 10, 5 << 20, 40 << 20} {
		bothSchemes(t, tooLarge, func(t *testing.T, server *httptest.Server) {
			client := server.Client()
			for range 3 { // also on a reused connection
				// With a body that Go cannot resend.
				response, err := client.Post(server.URL, "application/json", io.MultiReader(bytes.NewReader(make([]byte, size))))
				if err != nil {
					t.Fatalf("%d bytes: %v", size, err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != 413 || string(body) != "too large" || err != nil {
					t.Errorf("%d bytes: got %d %q, %v", size, response.StatusCode, body, err)
				}
			}
		})
	}
}

// TestLargeBodyOfOtherClients: Python and Node.js send the whole body before
// they read, and report a reset as an error.
func TestLargeBodyOfOtherClients(t *testing.T) {
	clients := map[string][]string{
		"python3": {"-c", `import sys, ssl, http.client, urllib.parse
u = urllib.parse.urlsplit(sys.argv[1])
c = http.client.HTTPSConnection(u.netloc, context=ssl._create_unverified_context()) if u.scheme == "https" else http.client.HTTPConnection(u.netloc)
c.request("POST", "/", body=b"x" * (6 << 20))
print(c.getresponse().status)`},
		"node": {"-e", `process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
const { request } = require(process.argv[1].split(":")[0]);
const r = request(process.argv[1], { method: "POST" }, (response) => console.log(response.statusCode) || response.resume());
r.on("error", (error) => console.log(error.code));
r.end(Buffer.alloc(6 << 20));`},
	}
	for name, args := range clients {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed", name)
			}
			bothSchemes(t, tooLarge, func(t *testing.T, server *httptest.Server) {
				out, err := exec.Command(program, append(args, server.URL)...).Output()
				if err != nil || strings.TrimSpace(string(out)) != "413" {
					t.Errorf("output %q, %v", out, err)
				}
			})
		})
	}
}

// TestExpectContinue: a client that sends Expect: 100-continue is refused at once and
// sends no body.
func TestExpectContinue(t *testing.T) {
	address := serve(t, tooLarge)
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 413 ") {
		t.Errorf("got %q, %v", line, err)
	}
}

// pipeServer serves a handler over one in-memory connection on the test's fake clock.
func pipeServer(t *testing.T, h handlerFunc) (client net.Conn, stop func()) {
	inner, client := net.Pipe()
	listener := &onePipe{conns: make(chan net.Conn, 1)}
	listener.conns <- inner
	server := &http.Server{Handler: nethttp.Handler(h)}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()
	return client, func() { client.Close(); close(listener.conns); <-served }
}

type onePipe struct {
	net.Listener
	conns chan net.Conn
}

func (p *onePipe) Accept() (net.Conn, error) {
	if conn, ok := <-p.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p *onePipe) Close() error   { return nil }
func (p *onePipe) Addr() net.Addr { return &net.TCPAddr{} }

// TestSlowBody: a body that stalls or drips ends its connection, a steady one does
// not (issue 16 §1.5).
func TestSlowBody(t *testing.T) {
	read := handlerFunc(func(w message.ResponseWriter, r *message.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(message.StatusBadRequest)
		}
	})
	readSlowly := handlerFunc(func(w message.ResponseWriter, r *message.Request) {
		for part := make([]byte, 100); ; time.Sleep(time.Minute) {
			if _, err := io.ReadFull(r.Body, part); err == io.EOF {
				return
			} else if err != nil {
				w.WriteHeader(message.StatusBadRequest)
				return
			}
		}
	})
	for _, c := range []struct {
		name          string
		h             handlerFunc
		length        int
		burst         int           // bytes at once
		pause         time.Duration // before each byte of the rest
		after, within time.Duration
		status        string
	}{
		{"it stops", read, 100, 0, time.Hour, 30 * time.Second, 31 * time.Second, "400"},
		{"a byte every 20 seconds", read, 100, 0, 20 * time.Second, 30 * time.Second, 61 * time.Second, "400"},
		{"much at once, then a byte every 20 seconds", read, 1 << 20, 1 << 19, 20 * time.Second, 30 * time.Second, 31 * time.Second, "400"},
		{"much at once, then slow but steady", read, 1<<19 + 1<<17, 1 << 19, 500 * time.Microsecond, time.Minute, 70 * time.Second, "200"},
		{"slow but steady", read, 200, 0, 100 * time.Millisecond, 20 * time.Second, 21 * time.Second, "200"},
		{"the handler is slow", readSlowly, 300, 0, time.Millisecond, 3 * time.Minute, 4 * time.Minute, "200"},
		{"nobody reads it", tooLarge, 100, 0, time.Hour, 10 * time.Second, 11 * time.Second, "413"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, stop := pipeServer(t, c.h)
				var sending sync.WaitGroup
				defer sending.Wait()
				defer stop()
				began := time.Now()
				sending.Go(func() {
					fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", c.length)
					client.Write(make([]byte, c.burst))
					for range c.length - c.burst {
						time.Sleep(c.pause)
						if _, err := client.Write([]byte("x")); err != nil {
							return
						}
					}
				})
				line, err := bufio.NewReader(client).ReadString('\n')
				if took := time.Since(began); took < c.after || took > c.within || !strings.Contains(line, " "+c.status+" ") {
					t.Errorf("%q after %v, %v; want %s after %v", line, took, err, c.status, c.after)
				}
			})
		})
	}
}

// TestDeadlineOfABodyEndsWithIt: a handler may run longer than a body's deadline, and
// the connection is reused.
func TestDeadlineOfABodyEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, stop := pipeServer(t, func(w message.ResponseWriter, r *message.Request) {
			io.ReadAll(r.Body)
			time.Sleep(time.Hour)
			fmt.Fprint(w, r.Context.Err())
		})
		defer stop()
		answers := bufio.NewReader(client)
		for range 2 {
			fmt.Fprint(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
			response, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(response.Body); string(body) != "<nil>" {
				t.Errorf("its context ended with %q, %v", body, err)
			}
		}
	})
}

// TestAbsoluteTarget: a request target with https does not make the request count as
// TLS (issue 16 §1.7).
func TestAbsoluteTarget(t *testing.T) {
	seen := make(chan string, 1)
	address := serve(t, func(w message.ResponseWriter, r *message.Request) { seen <- fmt.Sprint(r.URL, " ", r.Host, " ", r.TLS) })
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET https://first1.table.core.windows.net/t('a%2Fb')?$top=1 HTTP/1.1\r\nHost: other\r\n\r\n")
	if got := <-seen; got != "/t('a%2Fb')?$top=1 first1.table.core.windows.net false" {
		t.Errorf("the handler saw %q", got)
	}
}
