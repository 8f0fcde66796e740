//go:build !js

package main

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// writeTime is for how long a client may take nothing of what is sent to it.
// What a dump looks at stays while it is sent: one that is never taken would keep
// all blocks that are replaced meanwhile.
const writeTime = time.Minute

// steadyListener has its connections end when nothing flows. It stands below
// TLS and HTTP: so it sees what the network takes, and an answer of events, which
// may have nothing to say for hours, is not late.
type steadyListener struct{ net.Listener }

// Accept waits for the next connection.
func (l steadyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &steadyConn{Conn: conn}, nil
}

// steadyConn is a connection whose writes fail once nothing of them has been
// taken for writeTime.
type steadyConn struct {
	net.Conn
	limited atomic.Bool // the caller has set a deadline
}

// Write writes all of b, however long it takes while it goes on.
func (c *steadyConn) Write(b []byte) (n int, err error) {
	if c.limited.Load() {
		return c.Conn.Write(b)
	}
	for n < len(b) {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
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

// SetWriteDeadline sets that of later writes. TLS does so for a handshake, and
// for its last message.
func (c *steadyConn) SetWriteDeadline(t time.Time) error {
	c.limited.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

// CloseWrite ends what is sent. net/http does so before it closes a connection
// whose request it has not read to the end, so that the answer arrives.
func (c *steadyConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
