package nethttp

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// writeTimeout is how long a client may read nothing of what is sent to it. A dump
// pins what it reads: one that nobody reads would keep replaced blocks forever.
const writeTimeout = time.Minute

// WriteTimeoutListener closes connections whose client reads nothing for a minute,
// although something was sent. It belongs below TLS and HTTP: there it sees what the
// network takes, and a response of events, which may be silent for hours, is not late.
func WriteTimeoutListener(l net.Listener) net.Listener { return writeTimeoutListener{l} }

type writeTimeoutListener struct{ net.Listener }

// Accept waits for the next connection.
func (l writeTimeoutListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &writeTimeoutConn{Conn: conn}, nil
}

// writeTimeoutConn is a connection whose writes fail once the client has read
// nothing for writeTimeout.
type writeTimeoutConn struct {
	net.Conn
	limited atomic.Bool // the caller has set a deadline
}

// Write writes all of b, for as long as some of it is taken.
func (c *writeTimeoutConn) Write(b []byte) (n int, err error) {
	if c.limited.Load() {
		return c.Conn.Write(b)
	}
	for n < len(b) {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return n, err
		}
		sent, err := c.Conn.Write(b[n:])
		n += sent
		if err != nil && (sent == 0 || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return n, err
		}
	}
	return n, nil
}

// SetWriteDeadline sets the deadline of later writes. TLS does so for a
// handshake, and for its last message.
func (c *writeTimeoutConn) SetWriteDeadline(t time.Time) error {
	c.limited.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite ends what is sent. net/http does so before it closes a connection
// with an unread request, so that the response arrives.
func (c *writeTimeoutConn) CloseWrite() error { return closeWrite(c.Conn) }

// closeWrite ends what is sent over a connection that can be half closed.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
