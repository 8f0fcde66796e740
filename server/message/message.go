package message

import (
	"context"
	"errors"
	"io"
	"net/url"
)

// Handler answers requests.
type Handler interface {
	Serve(w ResponseWriter, r *Request)
}

// Request is an HTTP request.
type Request struct {
	Method string // in upper case, "GET" for instance
	// URL has the path and the query as they were sent, and scheme and host only if
	// the client sent an absolute address, as a fetch always does.
	URL    *url.URL
	Host   string
	Header Header
	// RawHeader has lines of "name:value" with the names as they were sent; "" where
	// the platform does not report them.
	RawHeader string
	// Body is nil for a request without one. The bytes of a *bytes.Buffer, which
	// holds the whole body, are used in place and must not change afterwards.
	Body io.Reader
	// ContentLength is the length of Body in bytes, -1 if unknown.
	ContentLength int64
	// LengthMissing reports a request without a body whose client did not say so by
	// "Content-Length: 0".
	LengthMissing bool
	// RemoteAddr is the client's "address:port", "" without a network.
	RemoteAddr string
	// TLS reports that the request came over TLS, to us or to a trusted proxy.
	TLS bool
	// Context is done when the client disconnects. It is never nil.
	Context context.Context
}

// ResponseWriter takes the answer of a handler: its header until WriteHeader
// is called, then its body. An error of Write means that the client disconnected.
type ResponseWriter interface {
	Header() Header
	WriteHeader(status int)
	Write([]byte) (int, error)
}

// Flusher is a [ResponseWriter] that can send what was written so far. Flush
// waits while the client does not read.
type Flusher interface{ Flush() }

// ErrAbort is the value with which a handler panics if it cannot finish an answer
// that it has flushed, or gives none; the client sees a broken connection. It is not
// logged.
var ErrAbort = errors.New("answer broken off")
