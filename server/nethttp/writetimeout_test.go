package nethttp

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestWriteTimeoutConn: writes fail only if the client reads nothing.
func TestWriteTimeoutConn(t *testing.T) {
	takeSlowly := func(client net.Conn) {
		for b := make([]byte, 1); ; time.Sleep(writeTimeout - time.Second) {
			if _, err := client.Read(b); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name  string
		take  func(client net.Conn)
		write func(*writeTimeoutConn) (int, error)
		sent  int
		err   error
		after time.Duration
	}{
		{"the client reads nothing", func(net.Conn) {},
			func(c *writeTimeoutConn) (int, error) { return c.Write([]byte("text")) }, 0, os.ErrDeadlineExceeded, writeTimeout},
		{"a byte in nearly a minute", takeSlowly,
			func(c *writeTimeoutConn) (int, error) { return c.Write([]byte("text")) }, 4, nil, 3 * (writeTimeout - time.Second)},
		{"one byte, then nothing", func(client net.Conn) { client.Read(make([]byte, 1)) },
			func(c *writeTimeoutConn) (int, error) { return c.Write([]byte("text")) }, 1, os.ErrDeadlineExceeded, 2 * writeTimeout},
		{"an hour between two", func(client net.Conn) { io.Copy(io.Discard, client) },
			func(c *writeTimeoutConn) (int, error) {
				if _, err := c.Write([]byte("some")); err != nil {
					return 0, err
				}
				time.Sleep(time.Hour)
				return c.Write([]byte("text"))
			}, 4, nil, time.Hour},
		{"a deadline of the server's own", func(net.Conn) {},
			func(c *writeTimeoutConn) (int, error) {
				if err := c.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
					return 0, err
				}
				return c.Write([]byte("text"))
			}, 0, os.ErrDeadlineExceeded, 5 * time.Second},
		{"after that deadline is removed", func(net.Conn) {},
			func(c *writeTimeoutConn) (int, error) {
				err := errors.Join(c.SetWriteDeadline(time.Now().Add(5*time.Second)), c.SetWriteDeadline(time.Time{}))
				if err != nil {
					return 0, err
				}
				return c.Write([]byte("text"))
			}, 0, os.ErrDeadlineExceeded, writeTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner, client := net.Pipe()
				var taking sync.WaitGroup
				taking.Go(func() { c.take(client) })
				defer taking.Wait()
				defer inner.Close()
				began := time.Now()
				sent, err := c.write(&writeTimeoutConn{Conn: inner})
				if sent != c.sent || !errors.Is(err, c.err) || time.Since(began) != c.after {
					t.Errorf("%d bytes in %v, %v; want %d in %v, %v", sent, time.Since(began), err, c.sent, c.after, c.err)
				}
			})
		})
	}
}

// pipes is a listener with one connection.
type pipes struct {
	net.Listener
	conn chan net.Conn
}

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.conn
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p *pipes) Close() error   { return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestStalledClient: an endless response to a client that reads nothing is aborted,
// which ends its handler.
func TestStalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, client := net.Pipe()
		defer client.Close()
		listener := &pipes{conn: make(chan net.Conn, 1)}
		listener.conn <- inner
		var ended time.Time
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for part := make([]byte, 1<<10); ; {
				if _, err := w.Write(part); err != nil {
					ended = time.Now()
					return
				}
			}
		})}
		served := make(chan error)
		go func() { served <- server.Serve(writeTimeoutListener{listener}) }()
		began := time.Now()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		if ended.Sub(began) != writeTimeout {
			t.Errorf("its handler ended after %v", ended.Sub(began))
		}
		close(listener.conn)
		<-served
	})
}
