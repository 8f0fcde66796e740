package nethttp

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"sandtable/server/message"
)

// Handler returns a handler for a net/http server.
func Handler(h message.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Serve(h, w, r) })
}

// Serve answers one request. Headers are not copied: the handler reads and
// writes those of r and w. Its ResponseWriter is a [message.Flusher] if w is an
// [http.Flusher]. It panics as the handler does, with [http.ErrAbortHandler]
// for [message.ErrAbort].
//
// A body that arrives too slowly ends with an error. If the handler responds
// before it has read the body, the rest is read and discarded first, within
// limits: otherwise the connection would be reset while the client still sends,
// and many clients would never see the response.
func Serve(h message.Handler, w http.ResponseWriter, r *http.Request) {
	defer func() {
		switch panicked := recover(); panicked {
		case nil:
		case message.ErrAbort:
			panic(http.ErrAbortHandler)
		default:
			panic(panicked)
		}
	}()
	x := &exchange{request: message.Request{
		Method: r.Method, URL: relative(r.URL), Host: hostOf(r), Header: message.Header(r.Header),
		ContentLength: r.ContentLength, LengthMissing: lengthMissing(r),
		RemoteAddr: r.RemoteAddr, TLS: r.TLS != nil, Context: r.Context(),
	}}
	x.writer.ResponseWriter = w
	w.Header()["Content-Type"] = nil // so that net/http guesses none where the handler leaves it out
	if r.Body != nil && r.ContentLength != 0 {
		x.body = body{Reader: r.Body, waits: r.Header.Get("Expect") != ""}
		x.body.conn, _ = w.(readDeadliner)
		x.request.Body, x.writer.body = &x.body, &x.body
		defer x.body.release()
	}
	if flusher, ok := w.(http.Flusher); ok {
		x.writer.Flusher = flusher
		h.Serve(&x.writer, &x.request)
		return
	}
	h.Serve(&x.writer.writer, &x.request)
}

// hostOf returns the host that a request names or, for one of HTTP/1.0 without, the
// address that it was sent to.
func hostOf(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && r.Host == "" {
		return local.String()
	}
	return r.Host
}

// lengthMissing reports what only HTTP/1 can tell: HTTP/2 has no need of the header.
func lengthMissing(r *http.Request) bool {
	return r.ContentLength == 0 && r.ProtoMajor == 1 && r.Header.Get("Content-Length") == ""
}

// relative removes the scheme and the host that a client may write before the
// path. Only the connection tells whether a request came over TLS.
func relative(u *url.URL) *url.URL {
	if u.Scheme == "" && u.Host == "" && u.User == nil {
		return u
	}
	r := *u
	r.Scheme, r.Host, r.User = "", "", nil
	return &r
}

// exchange holds a request and its writer in one allocation.
type exchange struct {
	request message.Request
	writer  flushingWriter
	body    body
}

type writer struct {
	http.ResponseWriter
	body *body // nil without one, or once the response has started
}

func (w *writer) Header() message.Header { return message.Header(w.ResponseWriter.Header()) }

func (w *writer) WriteHeader(status int) {
	w.start()
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	w.start()
	return w.ResponseWriter.Write(b)
}

// start discards the rest of the body before the response is sent.
func (w *writer) start() {
	if w.body != nil {
		w.body.discard()
		w.body = nil
	}
}

type flushingWriter struct {
	writer
	http.Flusher
}

const (
	// readTime is how long a client may send nothing of a body.
	readTime = 30 * time.Second
	// minRate is the least rate of a body, in bytes a second. A client that sends faster at
	// first may then be silent for readTime at most: until then its body takes memory.
	minRate = 1 << 10
	// maxDiscard and discardTime limit what is discarded of a body.
	maxDiscard  = 64 << 20
	discardTime = 10 * time.Second
)

// readDeadliner is the ResponseWriter of a net/http server.
type readDeadliner interface{ SetReadDeadline(time.Time) error }

// body reads the body of a request with a deadline.
type body struct {
	io.Reader
	conn     readDeadliner // nil outside of a server
	waits    bool          // the client sends nothing until the first Read
	deadline time.Time     // of the next Read
	extended time.Time     // when the deadline was set last
	returned time.Time     // when the last Read was over
	ended    bool
}

// Read reads from the connection. The deadline is set about once a second.
func (b *body) Read(p []byte) (n int, err error) {
	b.waits = false
	if b.conn != nil && !b.ended {
		b.extend(time.Now())
	}
	n, err = b.Reader.Read(p)
	b.arrived(n, time.Now())
	if err == io.EOF {
		b.release() // after any other error net/http must not wait either
	}
	b.ended = b.ended || err != nil
	return n, err
}

func (b *body) extend(now time.Time) {
	if b.deadline.IsZero() {
		b.deadline = now.Add(readTime)
	} else {
		b.deadline = b.deadline.Add(now.Sub(b.returned)) // the client is not to blame for the time between two Reads
	}
	if now.Sub(b.extended) >= time.Second {
		b.extended = now
		_ = b.conn.SetReadDeadline(b.deadline) // of a closed connection the Read fails
	}
}

// arrived moves the deadline by the time that n bytes may take.
func (b *body) arrived(n int, now time.Time) {
	b.returned = now
	b.deadline = b.deadline.Add(time.Duration(n) * time.Second / minRate)
	if latest := now.Add(readTime); latest.Before(b.deadline) {
		b.deadline = latest
	}
}

// release removes the deadline. It would otherwise end the connection, and the
// request's context with it, while the handler works.
func (b *body) release() {
	if b.conn != nil && !b.extended.IsZero() && !b.ended {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
}

// discard reads the rest of the body, within limits.
func (b *body) discard() {
	if b.conn == nil || b.ended || b.waits {
		return
	}
	b.extended = time.Now()
	if b.conn.SetReadDeadline(b.extended.Add(discardTime)) != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, b.Reader, maxDiscard); err == io.EOF {
		b.release()
	}
	// Otherwise the deadline stays: net/http reads a little more, and closes the
	// connection.
	b.ended = true
}
